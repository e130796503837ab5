"""List the checks of a contract by executor.

Checks that people evaluate carry the approval of the version that contains them."""

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
    """Approver and approval time of a version."""

    by: str
    approved_at: datetime


@dataclass(frozen=True)
class EntrustedCheck:
    """A check of an object with its executor, description and approval.

    `about`: description of the check in the document; None if it has none.
    `signature`: approval of the version; None unless people evaluate the check."""

    object: str
    check: CheckAssignment
    about: str | None
    signature: VersionApproval | None


def checks_with_executors(contract: Contract, signature: VersionApproval | None = None) -> Iterator[EntrustedCheck]:
    """Yield all checks of the contract with their executors.

    `signature`: approval of the version; None if the document is not an approved version."""
    entries = dict(walk(dict(contract.document)))
    for described in contract.objects:
        for each in checks_with_runners(described):
            signed = signature if each.runner is Runner.PEOPLE else None
            yield EntrustedCheck(described.name, each, _about(entries, each), signed)


def _about(entries: Mapping[str, Any], each: CheckAssignment) -> str | None:
    entry = entries.get(each.check.path) if each.check.kind != "schema" else None
    return entry.get("description") if isinstance(entry, dict) else None
