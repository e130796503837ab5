"""Suggest that texts keep the type that all of them parse as."""

import re
from collections.abc import Sequence
from datetime import date
from functools import partial

from treaty.contracts.assertions import Assertion
from treaty.contracts.editing.check_entry import check
from treaty.engine.analyzers.types import READS
from treaty.engine.components.text_classes import CLASSES, MOMENT, NUMBER
from treaty.engine.core.results import Value
from treaty.engine.profile.measurements import HistorySlice
from treaty.engine.profile.table_profile import ColumnProfile, state_of
from treaty.engine.suggestions.candidates import SuggestionCandidate, SuggestionMetric, of_column, of_rows
from treaty.engine.suggestions.column_samples import ColumnSample

DAY = "[0-9]{4}-[0-9]{2}-[0-9]{2}"
# What a text of each type looks like, the narrowest type first.
TEXT_FORMS = {
    "boolean": "(?i:true|false)",
    "integer": "[+-]?[0-9]+",
    "decimal": NUMBER.partition("([eE]")[0],
    "fractional": NUMBER,
    "date": DAY,
    "timestamp": f"{DAY}|{MOMENT}",
}
DATES = frozenset({"date", "timestamp"})


@of_column()
def reads_as(column: ColumnProfile, part: HistorySlice, _margin: float) -> SuggestionCandidate | None:
    """Suggest that all texts parse as the type that all past ones parse as.

    After Deequ's rule to retain a type. Whole numbers with leading zeros are codes: they stay texts."""
    if column.read_as is None or column.read_as.padded:
        return None
    kind = next((each for each in TEXT_FORMS if set(_shares(column, part, each)) - {None} == {1.0}), None)
    return None if kind is None else _of_type(column, kind, 1)


def _of_type(column: ColumnProfile, kind: str, least: float) -> SuggestionCandidate:
    name = column.column.name
    words = of_rows(f"{name} always parses as {kind}" if least == 1 else f"{name} parses as {kind}", least)
    implementation = {"analyzer": "data_type", "column": name, "type": kind, "mustBeGreaterOrEqualTo": least}
    return SuggestionCandidate(
        kind="reads_as",
        sentence=words,
        expression=f"share of {name} that parses as {kind} is at least {least}",
        patch={"quality": check(f"{name}-type", words, "conformity", implementation)},
        measure=SuggestionMetric(lambda part: _shares(column, part, kind), lambda sample: _of_sample(kind, sample)),
        assertion=Assertion("mustBeGreaterOrEqualTo", least),
        limits=(least, None),
        relaxed=partial(_of_type, column, kind),
    )


def _shares(column: ColumnProfile, part: HistorySlice, kind: str) -> list[float | None]:
    counts = part.read((column.column.name, "classes"), lambda bag: state_of(column.classes, bag))
    return [_share(each, kind) if each else None for each in counts]


def _share(counts: Sequence[int], kind: str) -> float | None:
    parsed = sum(count for name, count in zip(CLASSES, counts, strict=True) if name in READS[kind])
    return parsed / sum(counts) if sum(counts) else None


def _of_sample(kind: str, sample: ColumnSample) -> Value:
    texts = sample.present.tolist()
    return sum(_parses(kind, text) for text in texts) / len(texts) if texts else None


def _parses(kind: str, text: str) -> bool:
    return re.fullmatch(TEXT_FORMS[kind], text) is not None and (kind not in DATES or _is_day(text[:10]))


def _is_day(text: str) -> bool:
    try:
        return bool(date.fromisoformat(text))
    except ValueError:
        return False
