"""Contracts as their clauses judge now: with limits that were learned after the version was approved, where its recipe
admits them. The document, and with it the fingerprint, stays that of the version."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from treaty.contracts.assertions import DetectorLimit
from treaty.contracts.document.model import Contract, ContractCheck, DataObject
from treaty.engine.anomaly.detector import Limits
from treaty.engine.anomaly.learned_programs import ProgramClause


@dataclass(frozen=True)
class LearnedFit:
    """Limits of a clause that were learned after its version was approved. `clause` names those that were approved."""

    name: str
    clause: str
    limits: Limits
    points: int


def clause(check: ContractCheck) -> ProgramClause | None:
    """The clause of a program that the check is; None for other checks, and for one that has faults."""
    wanted = check.assertion.detection if check.assertion else None
    if wanted is None or wanted.detector != ProgramClause.name:
        return None
    try:
        return ProgramClause.model_validate(dict(wanted.arguments))
    except ValueError:
        return None


def refittable_clauses(of: DataObject) -> dict[str, ProgramClause]:
    """The clauses of the object's programs that later limits may judge by, by the checks' ids."""
    found = ((check.id, clause(check)) for check in of.checks)
    return {check_id: each for check_id, each in found if each is not None and each.is_refitted}


def with_fits(contract: Contract, object_name: str, fits: Mapping[str, LearnedFit]) -> Contract:
    """The contract whose clauses judge by these fits, given by the checks' ids; as it is where there is none."""
    if not fits:
        return contract
    objects = tuple(_fitted(each, fits) if each.name == object_name else each for each in contract.objects)
    return replace(contract, objects=objects)


def _fitted(of: DataObject, fits: Mapping[str, LearnedFit]) -> DataObject:
    return replace(of, checks=tuple(_judging(each, fits.get(each.id)) for each in of.checks))


def _judging(check: ContractCheck, fit: LearnedFit | None) -> ContractCheck:
    """The check with the fit's limits: of those that were approved, where it is of these."""
    known = clause(check) if fit else None
    if fit is None or known is None or check.assertion is None or known.named != fit.clause:
        return check
    detection = DetectorLimit(known.name, known.fitted(fit.limits, fit.points, fit.name).arguments())
    return replace(check, assertion=replace(check.assertion, limit=detection))
