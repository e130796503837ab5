"""Find swapped columns between two versions of a table.

These are columns of the newer table that violate the pattern learned from the older column of the same name, each
with the older columns that it resembles (the paper's case study of schema drift)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from treaty.engine.analyzers.conformity_test import ConformityComparison, ConformitySeverity
from treaty.engine.patterns.index import PatternIndex
from treaty.engine.patterns.inference import LearnedPattern, infer

Texts = Mapping[str, Sequence[str | None]]


@dataclass(frozen=True)
class SwappedColumn:
    """A column that changed, and the older columns whose patterns it matches, narrowest first."""

    column: str
    pattern: str
    comparison: ConformityComparison
    like: tuple[str, ...]


def swapped_columns(older: Texts, newer: Texts, index: PatternIndex) -> list[SwappedColumn]:
    """Return the columns of both tables that fail with an error, in the older order."""
    results = {name: infer(values, index) for name, values in older.items()}
    promised = {name: each.learned for name, each in results.items() if each.learned}
    narrow_first = sorted(promised, key=lambda name: results[name].passes or 0.0)
    return [
        SwappedColumn(name, learned.pattern.text, comparison, _like(newer[name], narrow_first, promised))
        for name, learned in promised.items()
        if name in newer
        and (comparison := learned.judge(learned.count(newer[name]))).severity is ConformitySeverity.ERROR
    ]


def _like(
    values: Sequence[str | None], names: Sequence[str], promised: Mapping[str, LearnedPattern]
) -> tuple[str, ...]:
    comparisons = ((name, promised[name].judge(promised[name].count(values))) for name in names)
    return tuple(name for name, comparison in comparisons if comparison.severity is ConformitySeverity.NONE)
