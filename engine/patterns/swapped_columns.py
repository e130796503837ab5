"""Columns that changed places: of a newer table those whose texts break what was learned of the older one's column of
the same name, each with the columns that it looks like instead (the paper's case study of schema drift)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from treaty.engine.analyzers.conformity_test import ConformityComparison, ConformitySeverity
from treaty.engine.patterns.index import PatternIndex
from treaty.engine.patterns.inference import LearnedPattern, infer

Texts = Mapping[str, Sequence[str | None]]


@dataclass(frozen=True)
class SwappedColumn:
    """A column that is no longer what it was, and those of the older table whose promises it keeps, the narrowest
    first."""

    column: str
    pattern: str
    comparison: ConformityComparison
    like: tuple[str, ...]


def swapped_columns(older: Texts, newer: Texts, index: PatternIndex) -> list[SwappedColumn]:
    """The columns of both tables that broke with an error, in the older one's order."""
    results = {name: infer(values, index) for name, values in older.items()}
    promised = {name: each.learned for name, each in results.items() if each.learned}
    narrow_first = sorted(promised, key=lambda name: results[name].passes or 0.0)
    return [
        SwappedColumn(name, learned.pattern.text, found, _like(newer[name], narrow_first, promised))
        for name, learned in promised.items()
        if name in newer and (found := learned.judge(learned.count(newer[name]))).severity is ConformitySeverity.ERROR
    ]


def _like(
    values: Sequence[str | None], names: Sequence[str], promised: Mapping[str, LearnedPattern]
) -> tuple[str, ...]:
    kept = ((name, promised[name].judge(promised[name].count(values))) for name in names)
    return tuple(name for name, found in kept if found.severity is ConformitySeverity.NONE)
