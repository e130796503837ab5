"""Apply later learned limits to the program clauses of a contract.

A clause accepts limits that were learned after its version was approved only if its refit mode permits. The
document, and with it the fingerprint, stays that of the approved version."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from treaty.contracts.assertions import DetectorLimit
from treaty.contracts.document.model import Contract, ContractCheck, DataObject
from treaty.engine.anomaly.detector import Limits
from treaty.engine.anomaly.learned_programs import ProgramClause


@dataclass(frozen=True)
class LearnedFit:
    """Limits of a clause that were learned after its version was approved.

    `name`: the fit. `clause`: identifies the approved limits. `points`: number of partitions that it was learned
    from."""

    name: str
    clause: str
    limits: Limits
    points: int


def clause(check: ContractCheck) -> ProgramClause | None:
    """Return the program clause of a check; None for other checks and for an invalid clause."""
    detection = check.assertion.detection if check.assertion else None
    if detection is None or detection.detector != ProgramClause.name:
        return None
    try:
        return ProgramClause.model_validate(dict(detection.arguments))
    except ValueError:
        return None


def refittable_clauses(of: DataObject) -> dict[str, ProgramClause]:
    """Return the clauses of the object's programs that may use later limits, by check id."""
    clauses = ((check.id, clause(check)) for check in of.checks)
    return {check_id: each for check_id, each in clauses if each is not None and each.is_refitted}


def with_fits(contract: Contract, object_name: str, fits: Mapping[str, LearnedFit]) -> Contract:
    """Return the contract with these fits, by check id, applied to its clauses; unchanged without fits."""
    if not fits:
        return contract
    objects = tuple(_fitted(each, fits) if each.name == object_name else each for each in contract.objects)
    return replace(contract, objects=objects)


def _fitted(of: DataObject, fits: Mapping[str, LearnedFit]) -> DataObject:
    return replace(of, checks=tuple(_judging(each, fits.get(each.id)) for each in of.checks))


def _judging(check: ContractCheck, fit: LearnedFit | None) -> ContractCheck:
    """Return the check with the fit's limits; unchanged if the fit is for other approved limits."""
    approved = clause(check) if fit else None
    if fit is None or approved is None or check.assertion is None or approved.named != fit.clause:
        return check
    detection = DetectorLimit(approved.name, approved.fitted(fit.limits, fit.points, fit.name).arguments())
    return replace(check, assertion=replace(check.assertion, limit=detection))
