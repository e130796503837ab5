"""Suggest a refit that the clause's refit policy does not permit: the same check with other limits."""

from collections.abc import Mapping
from typing import Any

from treaty.contracts.assertions import ANOMALIES
from treaty.contracts.document.model import ContractCheck
from treaty.contracts.fingerprint import short_fingerprint
from treaty.engine.programs import explanations
from treaty.engine.programs.refitting.refits import Refit
from treaty.engine.programs.stationarity import LagTransform
from treaty.engine.programs.suggestions import KIND

SUGGESTED = "the approved limits stay in force until an owner decides: refit policy {} does not permit this change"


def suggestion(refit: Refit, check: ContractCheck, entry: Mapping[str, Any], object_name: str) -> dict[str, Any]:
    """Build the suggestion; its id is always the same, so other limits update it.

    `entry`: the check as written in the document."""
    description = sentence(refit)
    words = f"{refit.watched.clause.of}: {description}"
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
    """Describe the refitted limits and the approved ones."""
    watched, clause = refit.watched, refit.watched.clause
    change = LagTransform(clause.lag, clause.logged, clause.lag_unit)
    subject = ", ".join(filter(None, (explanations.statistic(watched.statistic), change.description)))
    return f"{subject}, {explanations.limits(refit)}; approved: {explanations.limits(clause)}"


def backtest(refit: Refit) -> str:
    """Describe how often limits refitted before each partition would have alarmed."""
    return f"would have alarmed {len(refit.alarms)} of {refit.evaluated} times"


def _with_limits(entry: Mapping[str, Any], refit: Refit) -> dict[str, Any]:
    implementation = entry["implementation"]
    limits = {"lower": refit.lower, "upper": refit.upper}
    unchanged = {name: value for name, value in implementation[ANOMALIES].items() if name not in limits}
    new_limits = {name: value for name, value in limits.items() if value is not None}
    return {
        **entry,
        "implementation": {**implementation, ANOMALIES: {**unchanged, **new_limits, "points": refit.points}},
    }


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
