"""The checks of a contract by who judges them. A text is signed by whoever approved the version that it stands in."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from treaty.contracts.document.model import Contract, DataObject
from treaty.contracts.document.yaml_syntax import walk
from treaty.engine.checks.executors import Entrusted, entrusted
from treaty.engine.core.results import Runner
from treaty.registry import schemas


@dataclass(frozen=True)
class Signature:
    """Who approved a version, and when."""

    by: str
    at: datetime


def shown(contract: Contract, signature: Signature | None = None) -> schemas.ChecksOut:
    """All checks of the contract. `signature` None: it is no version, so that nobody has signed its texts."""
    entries = dict(walk(dict(contract.document)))
    about = {path: each.get("description") for path, each in entries.items() if isinstance(each, dict)}
    checks = tuple(
        _shown(described, each, about.get(each.check.path) if each.check.kind != "schema" else None, signature)
        for described, each in _all(contract)
    )
    return schemas.ChecksOut(contract_id=contract.id, version=contract.version, checks=checks)


def _all(contract: Contract) -> Iterator[tuple[DataObject, Entrusted]]:
    return ((described, each) for described in contract.objects for each in entrusted(described))


def _shown(
    described: DataObject, each: Entrusted, about: str | None, signature: Signature | None
) -> schemas.EntrustedOut:
    signed = signature if each.runner is Runner.PEOPLE else None
    return schemas.EntrustedOut(
        object=described.name,
        id=each.check.id,
        column=each.column,
        sentence=each.sentence,
        about=about,
        severity=each.check.severity,
        scope=each.scope,
        runner=each.runner,
        reason=each.reason,
        signed_by=signed.by if signed else None,
        signed_at=signed.at if signed else None,
    )
