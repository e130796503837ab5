"""A refit that its recipe does not admit, as a suggestion: the same check with other limits."""

from collections.abc import Mapping
from typing import Any

from treaty.contracts.assertions import ANOMALIES
from treaty.contracts.document.model import ContractCheck
from treaty.contracts.fingerprint import short_fingerprint
from treaty.engine.programs import explanations
from treaty.engine.programs.refitting import Refit
from treaty.engine.programs.stationarity import LagTransform
from treaty.engine.programs.suggestions import KIND, TABLE

SUGGESTED = "its limits stay as they were approved until an owner decides: {} admits no such move"


def suggestion(refit: Refit, check: ContractCheck, entry: Mapping[str, Any], object_name: str) -> dict[str, Any]:
    """The suggestion, `entry` being what the document has of the check. It is the same one every time: with other
    limits it is news."""
    moved = sentence(refit)
    words = f"{refit.watched.column or TABLE}: {moved}"
    return {
        "id": short_fingerprint([object_name, KIND, check.id]),
        "kind": KIND,
        "object": object_name,
        "column": check.column,
        "sentence": f"{words}; {backtest(refit)}; {SUGGESTED.format(refit.watched.clause.refit)}",
        "expression": words,
        "severity": check.severity,
        "patch": {"quality": _with_limits(entry, refit)},
        "evidence": _evidence(refit),
    }


def sentence(refit: Refit) -> str:
    """What the clause would admit, and what it admits as it was approved."""
    of, clause = refit.watched, refit.watched.clause
    seen = ", ".join(
        filter(None, (explanations.statistic(of.statistic), LagTransform(clause.lag, clause.logged).description))
    )
    return f"{seen}, {explanations.limits(refit)}; approved is {explanations.limits(clause)}"


def backtest(refit: Refit) -> str:
    """How often limits learned so would have alarmed, each time of what came before."""
    return f"would have alarmed {len(refit.alarms)} of {refit.evaluated} times"


def _with_limits(entry: Mapping[str, Any], refit: Refit) -> dict[str, Any]:
    told = entry["implementation"]
    limits = {"lower": refit.lower, "upper": refit.upper}
    others = {name: value for name, value in told[ANOMALIES].items() if name not in limits}
    moved = {name: value for name, value in limits.items() if value is not None}
    return {**entry, "implementation": {**told, ANOMALIES: {**others, **moved, "points": refit.points}}}


def _evidence(refit: Refit) -> dict[str, Any]:
    clause = refit.watched.clause
    return {
        "rows": refit.rows,
        "partitions": refit.points,
        "held": refit.points - len(refit.outside),
        "failed_on": list(refit.outside),
        "learned_on": refit.points,
        "judged_on": refit.evaluated,
        "history": [[name, value] for name, value in zip(refit.partitions, refit.observed, strict=True)],
        "limits": [refit.lower, refit.upper],
        "back_test": list(refit.alarms),
        "details": {"approved": list(clause.limits), "refit": clause.refit},
        "split_by": "time",
    }
