"""Suggestions about what texts look like, told from their masks: of no text more than its digits, letters and signs."""

import re
from collections.abc import Callable, Mapping, Sequence
from itertools import groupby

from treaty.contracts.assertions import Assertion
from treaty.contracts.editing.check_entry import check
from treaty.contracts.predicates.parser import quote
from treaty.contracts.safe_regex import UnsafeRegex, inspect_regex
from treaty.engine.components.operands import TEXT
from treaty.engine.components.text_masks import LONGEST
from treaty.engine.core.results import Value
from treaty.engine.profile.facts import is_valid_predicate
from treaty.engine.profile.measurements import HistorySlice
from treaty.engine.profile.table_profile import ColumnProfile
from treaty.engine.profile.value_masks import mask_of
from treaty.engine.suggestions.candidates import SuggestionCandidate, SuggestionMetric, compliance, of_column
from treaty.engine.suggestions.column_samples import ColumnSample

# By hand: of fewer texts it is chance what they have in common.
LEAST_TEXTS = 100
MOST_MASKS = 200
# What symbols of a mask stand for, where all values are known to be ASCII; and where letters may be of any script: no
# class names those, so it is told which characters of ASCII they are not.
PLAIN: Mapping[str, str] = {"A": "[A-Z]", "a": "[a-z]", "0": "[0-9]"}
_ASCII_PUNCTUATION = r" !-/:-@\[-`{-~"
WIDE: Mapping[str, str] = {"A": f"[^a-z0-9{_ASCII_PUNCTUATION}]", "a": f"[^A-Z0-9{_ASCII_PUNCTUATION}]", "0": "[0-9]"}
SPECIAL = frozenset(r".^$*+?{}[]\|()")


def masks(column: ColumnProfile, part: HistorySlice) -> Mapping[str, int] | None:
    """All masks of the texts with their counts; None where they are too few or too long, or not all known."""
    if column.column.base_type not in TEXT or max(part.series(column, "maximum_length"), default=LONGEST) >= LONGEST:
        return None
    counts, error = part.all_looks(column)
    return counts if not error and sum(counts.values()) >= LEAST_TEXTS else None


def share_of_masks(column: ColumnProfile, fits: Callable[[str], object]) -> SuggestionMetric:
    """The share of the texts whose mask fits."""
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
    """All texts have the same length."""
    lengths = {*part.series(column, "minimum_length"), *part.series(column, "maximum_length")}
    found, name = masks(column, part), column.column.name
    if not found or len(lengths) != 1:
        return None
    (length,) = lengths
    predicate = f"{quote(name)} IS NULL OR length({quote(name)}) = {length}"
    said = f"{name} has {length} characters"
    return (
        SuggestionCandidate(
            kind="fixed_length",
            sentence=said,
            expression=f"length of {name} is {length}",
            patch={"quality": check(f"{name}-length", said, "conformity", compliance(predicate, at_least=1))},
            measure=share_of_masks(column, lambda mask: len(mask) == length),
            assertion=Assertion("mustBeGreaterOrEqualTo", 1),
            limits=(1, None),
        )
        if length and is_valid_predicate(predicate)
        else None
    )


@of_column(margins=(0.0, 0.005, 0.01, 0.02), safety=2.0)
def shape(column: ColumnProfile, part: HistorySlice, margin: float) -> SuggestionCandidate | None:
    """Texts are the same runs of capitals, small letters, digits and signs, each of so many characters."""
    found, name = masks(column, part), column.column.name
    runs = _runs(_main(found, margin)) if found else None
    if not runs or not any(symbol in PLAIN for symbol, _, _ in runs):
        return None
    classes = PLAIN if _is_ascii(column, part) else WIDE
    regex = "".join(_written(symbol, low, high, classes.get(symbol)) for symbol, low, high in runs)
    if not _may_be_held(regex):
        return None
    fits = re.compile("".join(_written(symbol, low, high, None) for symbol, low, high in runs)).fullmatch
    words = f"{name} looks like {regex}"
    implementation = {"analyzer": "pattern_match", "column": name, "pattern": f"^{regex}$"}
    least = 1 - margin
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
        counter=lambda seen: _other_masks(column, seen, fits),
    )


def _main(found: Mapping[str, int], margin: float) -> list[str]:
    """The masks without the rarest ones, which are no more than the margin of all together."""
    left, kept = margin * sum(found.values()), []
    for mask, count in sorted(found.items(), key=lambda item: (item[1], item[0])):
        left -= count
        if left < 0:
            kept.append(mask)
    return kept


def _runs(found: Sequence[str]) -> list[tuple[str, int, int]] | None:
    """(symbol, fewest, most) of each run; None where the masks have not the same runs, or say nothing."""
    if not 0 < len(found) <= MOST_MASKS:
        return None
    split = [[(symbol, len(list(run))) for symbol, run in groupby(mask)] for mask in found]
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
    """Whether a contract may hold the pattern: not where matching it could run away."""
    try:
        inspect_regex(regex)
    except UnsafeRegex:
        return False
    return True


def _other_masks(column: ColumnProfile, part: HistorySlice, fits: Callable[[str], object]) -> list[str]:
    counts, _ = part.all_looks(column)
    return sorted(mask for mask in counts if not fits(mask))
