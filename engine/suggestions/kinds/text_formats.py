"""Suggest text formats from masks, which show only digits, letters and signs of a text."""

import re
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import groupby

from treaty.contracts.assertions import Assertion
from treaty.contracts.editing.check_entry import check
from treaty.contracts.limits.safe_regex import UnsafeRegex, inspect_regex
from treaty.contracts.predicates.parser import quote
from treaty.engine.components.operands import TEXT
from treaty.engine.components.text_masks import LONGEST
from treaty.engine.core.results import Value
from treaty.engine.profile.facts import is_valid_predicate
from treaty.engine.profile.measurements import HistorySlice
from treaty.engine.profile.table_profile import ColumnProfile
from treaty.engine.profile.value_masks import mask_of
from treaty.engine.suggestions.candidates import (
    SuggestionCandidate,
    SuggestionMetric,
    compliance,
    of_column,
    of_rows,
)
from treaty.engine.suggestions.column_samples import ColumnSample

# Set by hand: with fewer texts, common properties may be chance.
LEAST_TEXTS = 100
MOST_MASKS = 200
# Regex classes of mask symbols, for ASCII values and for letters of any script. No class covers the latter, so the
# ASCII characters that they are not are excluded.
PLAIN: Mapping[str, str] = {"A": "[A-Z]", "a": "[a-z]", "0": "[0-9]"}
_ASCII_PUNCTUATION = r" !-/:-@\[-`{-~"
WIDE: Mapping[str, str] = {"A": f"[^a-z0-9{_ASCII_PUNCTUATION}]", "a": f"[^A-Z0-9{_ASCII_PUNCTUATION}]", "0": "[0-9]"}
SPECIAL = frozenset(r".^$*+?{}[]\|()")


def masks(column: ColumnProfile, part: HistorySlice) -> Mapping[str, int] | None:
    """Return all masks of the texts with counts; None if too few, too long or not all known."""
    if column.column.base_type not in TEXT or max(part.series(column, "maximum_length"), default=LONGEST) >= LONGEST:
        return None
    counts, error = part.all_looks(column)
    return counts if not error and sum(counts.values()) >= LEAST_TEXTS else None


def share_of_masks(column: ColumnProfile, fits: Callable[[str], object]) -> SuggestionMetric:
    """Return the metric of the share of texts whose mask fits."""
    return SuggestionMetric(
        lambda part: [_share(counts, fits) for counts, _ in part.mask_counts(column)],
        lambda sample: _share_of_texts(sample, fits),
    )


def _share(counts: Mapping[str, int], fits: Callable[[str], object]) -> Value:
    total = sum(counts.values())
    return sum(count for mask, count in counts.items() if fits(mask)) / total if total else None


def _share_of_texts(sample: ColumnSample, fits: Callable[[str], object]) -> Value:
    texts = sample.present.tolist()
    return sum(bool(fits(mask_of(text))) for text in texts) / len(texts) if texts else None


@of_column()
def fixed_length(column: ColumnProfile, part: HistorySlice, _margin: float) -> SuggestionCandidate | None:
    """Suggest that all texts have the same length."""
    lengths = {*part.series(column, "minimum_length"), *part.series(column, "maximum_length")}
    counts, name = masks(column, part), column.column.name
    if not counts or len(lengths) != 1:
        return None
    (length,) = lengths
    return _of_length(column, length, 1) if length and is_valid_predicate(_has_length(name, length)) else None


def _has_length(name: str, length: int) -> str:
    return f"{quote(name)} IS NULL OR length({quote(name)}) = {length}"


def _of_length(column: ColumnProfile, length: int, least: float) -> SuggestionCandidate:
    name = column.column.name
    sentence, predicate = of_rows(f"{name} has exactly {length} characters", least), _has_length(name, length)
    return SuggestionCandidate(
        kind="fixed_length",
        sentence=sentence,
        expression=of_rows(f"length of {name} is {length}", least),
        patch={"quality": check(f"{name}-length", sentence, "conformity", compliance(predicate, at_least=least))},
        measure=share_of_masks(column, lambda mask: len(mask) == length),
        assertion=Assertion("mustBeGreaterOrEqualTo", least),
        limits=(least, None),
        relaxed=partial(_of_length, column, length),
    )


@of_column(margins=(0.0, 0.005, 0.01, 0.02), safety=2.0)
def shape(column: ColumnProfile, part: HistorySlice, margin: float) -> SuggestionCandidate | None:
    """Suggest a pattern of runs of capitals, small letters, digits and signs, with lengths."""
    counts = masks(column, part)
    runs = _runs(_main(counts, margin)) if counts else None
    if not runs or not any(symbol in PLAIN for symbol, _, _ in runs):
        return None
    classes = PLAIN if _is_ascii(column, part) else WIDE
    regex = "".join(_written(symbol, low, high, classes.get(symbol)) for symbol, low, high in runs)
    if not _may_be_held(regex):
        return None
    fits = re.compile("".join(_written(symbol, low, high, None) for symbol, low, high in runs)).fullmatch
    return _of_shape(column, regex, fits, 1 - margin)


def _of_shape(
    column: ColumnProfile, regex: str, fits: Callable[[str], object], least: float
) -> SuggestionCandidate:  # fmt: skip
    name = column.column.name
    words = of_rows(f"{name} matches the pattern {regex}", least)
    implementation = {"analyzer": "pattern_match", "column": name, "pattern": f"^{regex}$"}
    return SuggestionCandidate(
        kind="shape",
        sentence=words,
        expression=f"{name} matches ^{regex}$",
        patch={
            "quality": check(f"{name}-shape", words, "conformity", {**implementation, "mustBeGreaterOrEqualTo": least})
        },
        measure=share_of_masks(column, fits),
        assertion=Assertion("mustBeGreaterOrEqualTo", least),
        limits=(least, None),
        counter=lambda sample: _other_masks(column, sample, fits),
        relaxed=partial(_of_shape, column, regex, fits),
    )


def _main(masks: Mapping[str, int], margin: float) -> list[str]:
    """Return the masks without the rarest, which together are at most the margin of all."""
    left, frequent = margin * sum(masks.values()), []
    for mask, count in sorted(masks.items(), key=lambda item: (item[1], item[0])):
        left -= count
        if left < 0:
            frequent.append(mask)
    return frequent


def _runs(masks: Sequence[str]) -> list[tuple[str, int, int]] | None:
    """Return (symbol, fewest, most) of each run; None if masks differ in runs or are inconclusive."""
    if not 0 < len(masks) <= MOST_MASKS:
        return None
    split = [[(symbol, len(list(run))) for symbol, run in groupby(mask)] for mask in masks]
    symbols = {tuple(symbol for symbol, _ in each) for each in split}
    if len(symbols) != 1 or not all(split) or "x" in next(iter(symbols)):
        return None
    return [
        (symbol, min(each[at][1] for each in split), max(each[at][1] for each in split))
        for at, symbol in enumerate(next(iter(symbols)))
    ]


def _written(symbol: str, low: int, high: int, of_class: str | None) -> str:
    times = "" if low == high == 1 else f"{{{low}}}" if low == high else f"{{{low},{high}}}"
    return (of_class or (f"\\{symbol}" if symbol in SPECIAL else symbol)) + times


def _is_ascii(column: ColumnProfile, part: HistorySlice) -> bool:
    counts, error = part.all_values(column)
    return bool(counts) and not error and all(value.isascii() for value in counts)


def _may_be_held(regex: str) -> bool:
    """Return True if a contract accepts the pattern: matching must not backtrack catastrophically."""
    try:
        inspect_regex(regex)
    except UnsafeRegex:
        return False
    return True


def _other_masks(column: ColumnProfile, part: HistorySlice, fits: Callable[[str], object]) -> list[str]:
    counts, _ = part.all_looks(column)
    return sorted(mask for mask in counts if not fits(mask))
