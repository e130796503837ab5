"""Present the checks of a version for the API and the command line."""

from treaty.contracts.document.model import Contract
from treaty.registry import schemas
from treaty.registry.browse.check_executors import EntrustedCheck, VersionApproval, checks_with_executors


def shown(contract: Contract, signature: VersionApproval | None = None) -> schemas.ChecksOut:
    """Return all checks of the contract.

    `signature`: approval of the version; None if the document is not an approved version."""
    checks = tuple(map(_check, checks_with_executors(contract, signature)))
    return schemas.ChecksOut(contract_id=contract.id, version=contract.version, checks=checks)


def _check(check: EntrustedCheck) -> schemas.CheckOut:
    each, signature = check.check, check.signature
    return schemas.CheckOut(
        object=check.object,
        id=each.check.id,
        column=each.column,
        sentence=each.sentence,
        description=check.about,
        severity=each.check.severity,
        scope=each.scope,
        runner=each.runner,
        reason=each.reason,
        signed_by=signature.by if signature else None,
        signed_at=signature.approved_at if signature else None,
    )
