"""Derive the type that texts parse as, from their counts or from a sample."""

import re
from collections.abc import Iterable, Sequence
from datetime import date
from math import nan
from typing import Any

from treaty.engine.analyzers.types import READS
from treaty.engine.components.text_classes import CLASSES, MOMENT, NUMBER
from treaty.engine.core.results import Value
from treaty.engine.profile.measurements import HistorySlice
from treaty.engine.profile.table_profile import ColumnProfile, state_of
from treaty.engine.states.bag import StateBag
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


def parsed_type(column: ColumnProfile, part: HistorySlice) -> str | None:
    """Return the narrowest type that all texts parse as.

    None for plain text, and for codes: whole numbers with leading zeros stay texts."""
    if column.read_as is None or column.read_as.is_code:
        return None
    return next((each for each in TEXT_FORMS if set(parsed_shares(column, part, each)) - {None} == {1.0}), None)


def parsed_shares(column: ColumnProfile, part: HistorySlice, kind: str) -> list[float | None]:
    """Return the share of each partition's texts that parse as the type; None without texts."""
    counts = part.read((column.column.name, "classes"), lambda bag: state_of(column.classes, bag))
    return [_share(each, kind) if each else None for each in counts]


def parsed_share(column: ColumnProfile, bag: StateBag, kind: str) -> float | None:
    """Return the share of the texts in these states that parse as the type; None without texts."""
    counts = state_of(column.classes, bag)
    return _share(counts, kind) if counts else None


def _share(counts: Sequence[int], kind: str) -> float | None:
    parsed = sum(count for name, count in zip(CLASSES, counts, strict=True) if name in READS[kind])
    return parsed / sum(counts) if sum(counts) else None


def share_of_sample(kind: str, sample: ColumnSample) -> Value:
    """Return the share of sampled texts that parse as the type; None without texts."""
    texts = sample.present.tolist()
    return sum(_parses(kind, text) for text in texts) / len(texts) if texts else None


def _parses(kind: str, text: str) -> bool:
    return re.fullmatch(TEXT_FORMS[kind], text) is not None and (kind not in DATES or _is_day(text[:10]))


def _is_day(text: str) -> bool:
    try:
        return bool(date.fromisoformat(text))
    except ValueError:
        return False


def numbers_of(texts: Iterable[str | None]) -> Any:
    """Return the texts as numbers; NaN for any other text and for None.

    As in Spark, blanks around a number are ignored."""
    import numpy

    return numpy.array([_number(text.strip()) if text else numpy.nan for text in texts], dtype=float)


def _number(text: str) -> float:
    return float(text) if _parses("fractional", text) else nan
