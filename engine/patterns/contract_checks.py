"""A learned pattern as a contract writes it: two checks over the same two counts, and a pattern where it is exact."""

from collections.abc import Mapping
from typing import Any

from treaty.engine.patterns.inference import LearnedPattern


def checks(column: str, learned: LearnedPattern) -> list[Mapping[str, Any]]:
    """The entries of `quality`: a warning of any significant growth of the share of bad values, and an error where it
    grew by more than the floor. None where the pattern is beyond what Spark may be given, as a long vocabulary is."""
    if not learned.pattern.is_safe:
        return []
    warned = _check(column, learned, "warning", {})
    failed = _check(column, learned, "error", {"floor": learned.floor})
    return [warned, failed] if learned.floor else [failed]


def _check(column: str, learned: LearnedPattern, severity: str, more: Mapping[str, float]) -> Mapping[str, Any]:
    counts = {"learned_from": learned.trained.of, "learned_bad": learned.trained.bad}
    return {
        "id": f"{column}-pattern-{severity}",
        "name": f"{column} looks as it did: {learned.pattern.text}"[:200],
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
    """`logicalTypeOptions` of the standard, which every value must keep: empty unless all values that were learned
    from matched, the pattern tells a structure, and any floor is left to the checks."""
    exact = learned.is_pattern and not learned.trained.bad and learned.pattern.is_safe
    return {"pattern": f"^(?:{learned.pattern.regex})$"} if exact else {}
