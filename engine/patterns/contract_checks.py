"""Write a learned pattern as contract entries: two checks and, for an exact pattern, a column option."""

from collections.abc import Mapping
from typing import Any

from treaty.engine.patterns.inference import LearnedPattern


def checks(column: str, learned: LearnedPattern) -> list[Mapping[str, Any]]:
    """Return the `quality` entries of a learned pattern.

    A warning for any significant growth of the share of bad values, and an error if it also grew by more than the
    floor. Empty if the pattern exceeds what Spark may run, as a long vocabulary does."""
    if not learned.pattern.is_safe:
        return []
    warned = _check(column, learned, "warning", {})
    failed = _check(column, learned, "error", {"floor": learned.floor})
    return [warned, failed] if learned.floor else [failed]


def _check(column: str, learned: LearnedPattern, severity: str, more: Mapping[str, float]) -> Mapping[str, Any]:
    counts = {"learned_from": learned.trained.of, "learned_bad": learned.trained.bad}
    return {
        "id": f"{column}-pattern-{severity}",
        "name": f"{column} matches its learned pattern: {learned.pattern.text}"[:200],
        "type": "custom",
        "engine": "treaty",
        "dimension": "conformity",
        "severity": severity,
        "implementation": {
            "analyzer": "pattern_conformity",
            "column": column,
            "pattern": learned.pattern.regex,
            **{name: count for name, count in counts.items() if count},
            **{name: floor for name, floor in more.items() if floor},
            "mustBeGreaterThan": learned.alpha,
        },
    }


def options(learned: LearnedPattern) -> Mapping[str, str]:
    """Return the standard's `logicalTypeOptions`, which every value must satisfy.

    Empty unless all values conformed when the pattern was learned and it describes a structure."""
    exact = learned.is_pattern and not learned.trained.bad and learned.pattern.is_safe
    return {"pattern": f"^(?:{learned.pattern.regex})$"} if exact else {}
