"""The checks of a contract by who judges them. A text is signed by whoever approved the version that it stands in."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from treaty.contracts.document.model import Contract
from treaty.contracts.document.yaml_syntax import walk
from treaty.engine.checks.executors import CheckAssignment, checks_with_runners
from treaty.engine.core.results import Runner


@dataclass(frozen=True)
class VersionApproval:
    """Who approved a version, and when."""

    by: str
    approved_at: datetime


@dataclass(frozen=True)
class EntrustedCheck:
    """A check of an object, what its entry says of it, and who signed it; None unless people judge it."""

    object: str
    check: CheckAssignment
    about: str | None
    signature: VersionApproval | None


def checks_with_executors(contract: Contract, signature: VersionApproval | None = None) -> Iterator[EntrustedCheck]:
    """All checks of the contract. `signature` None: it is no version, so that nobody has signed its texts."""
    entries = dict(walk(dict(contract.document)))
    for described in contract.objects:
        for each in checks_with_runners(described):
            signed = signature if each.runner is Runner.PEOPLE else None
            yield EntrustedCheck(described.name, each, _about(entries, each), signed)


def _about(entries: Mapping[str, Any], each: CheckAssignment) -> str | None:
    entry = entries.get(each.check.path) if each.check.kind != "schema" else None
    return entry.get("description") if isinstance(entry, dict) else None
