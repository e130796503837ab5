"""Suggest references: columns whose values all occur in a key of another dataset.

Candidates are columns named after the key, and columns whose sketches show containment beyond chance: small whole
numbers are contained in any running number."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from treaty.contracts.assertions import Assertion
from treaty.contracts.editing.check_entry import check
from treaty.engine.components.operands import INTEGRAL, TEXT
from treaty.engine.components.theta_sketch import ThetaSketch, overlap
from treaty.engine.profile.measurements import HistorySlice
from treaty.engine.profile.table_profile import ColumnProfile
from treaty.engine.protocol.requests import ReferableKey
from treaty.engine.suggestions.candidates import SuggestionCandidate, SuggestionMetric
from treaty.engine.suggestions.selection.holdout_test import HoldoutCandidate

_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+")
# With fewer rows or distinct values, containment in a key may be chance.
LEAST_ROWS, LEAST_DISTINCT = 10, 3
# With so many distinct texts, containment is no chance whatever the names; for numbers the key's density decides.
LEAST_TOLD, CHANCE = 10, 1e-9
# Two estimates of one count may differ by this factor: each has an error of 5 %, three standard errors.
ABOUT = 1.1
# Set by hand: numbers that refer to a key span most of it.
LEAST_SPAN = 0.5
# Common key names that do not identify a dataset.
COMMON = frozenset({"code", "guid", "id", "key", "name", "nr", "number", "uuid"})


@dataclass(frozen=True)
class KeyValues:
    """The values of a column: their `ThetaSketch` state, and minimum and maximum if all are whole numbers."""

    sketch: bytes | None
    low: int | None = None
    high: int | None = None

    @property
    def span(self) -> int:
        """Return the number of whole numbers between the ends, inclusive; 0 for texts."""
        return 0 if self.low is None or self.high is None else self.high - self.low + 1

    @property
    def density(self) -> float:
        """Return the share of whole numbers between the ends that occur; 0 for texts."""
        return min(1.0, ThetaSketch.estimate(self.sketch).value / self.span) if self.span else 0.0


def lie_within(ours: KeyValues, theirs: KeyValues) -> bool:
    """Return True if the sketches show that all our values are among theirs, beyond chance.

    For numbers, chance draws each value uniformly between the key's ends. Numbers that cover a small part of that
    span are not accepted: keys are denser at one end."""
    share, count = overlap(ours.sketch, theirs.sketch).of_left, ThetaSketch.estimate(ours.sketch).value
    if share is None or share.value < 1:
        return False
    if not theirs.span:
        return count >= LEAST_TOLD
    return ours.span >= LEAST_SPAN * theirs.span and theirs.density**count < CHANCE


def may_lie_within(column: ColumnProfile, part: HistorySlice, theirs: KeyValues) -> bool:
    """Return True unless the profile rules out containment, so that most columns need no sketch."""
    whole = part.history.whole
    count = float(column.value("approx_count_distinct", whole) or 0)
    if not LEAST_DISTINCT <= count <= ABOUT * ThetaSketch.estimate(theirs.sketch).value:
        return False
    if column.column.base_type in TEXT:
        return True
    low, high = (int(column.value(end, whole) or 0) for end in ("minimum", "maximum"))
    return theirs.low is not None and theirs.high is not None and theirs.low <= low and high <= theirs.high


def words(name: str) -> tuple[str, ...]:
    """Split a name in snake_case, CamelCase or with other separators into lower-case words."""
    return tuple(each.lower() for each in _WORD.findall(name))


def is_named_after(column: str, key: ReferableKey) -> bool:
    """Return True if the column's name refers to the key.

    It ends with the key's name or, for common key names, with the dataset's name in the singular and the key's name."""
    column_words, own = words(column), words(key.column)
    if set(own) <= COMMON:
        own = (*(_singular(each) for each in words(key.dataset.rpartition(".")[2])[-1:]), *own)
    return len(own) > 0 and column_words[-len(own) :] == own


def _singular(word: str) -> str:
    if word.endswith("ies"):
        return f"{word[:-3]}y"
    return word.removesuffix("s") if not word.endswith("ss") else word


def pairs(part: HistorySlice, keys: Iterable[ReferableKey]) -> Iterator[tuple[ColumnProfile, ReferableKey]]:
    """Yield the columns named after a key, with that key.

    Classified columns are left out."""
    likely = referable(part)
    for key in keys:
        yield from ((each, key) for each in likely if is_named_after(each.column.name, key))


def referable(part: HistorySlice) -> list[ColumnProfile]:
    """Return the unclassified columns of texts and whole numbers with enough values."""
    return [each for each in part.history.columns if not each.classified and _has_values(each, part)]


def _has_values(column: ColumnProfile, part: HistorySlice) -> bool:
    if column.column.base_type not in TEXT | INTEGRAL or not len(part):
        return False
    whole = part.history.whole
    filled, distinct = column.value("completeness", whole), column.value("approx_count_distinct", whole)
    return whole.rows * float(filled or 0) >= LEAST_ROWS and float(distinct or 0) >= LEAST_DISTINCT


def reference_suggestion(column: ColumnProfile, key: ReferableKey, part: HistorySlice) -> HoldoutCandidate:
    """Return the suggestion of a reference whose values were all found in the key."""
    name = column.column.name
    sentence = f"every {name} exists in {key.dataset} as {key.column}"
    implementation = {"analyzer": "referential_integrity", "columns": [name], "dataset": key.dataset, "mustBe": 1}
    implementation |= {} if key.column == name else {"other_columns": [key.column]}
    candidate = SuggestionCandidate(
        kind="refers",
        sentence=sentence,
        expression=f"{name} in {key.dataset}.{key.column}",
        patch={"quality": check(f"{name}-exists", sentence, "consistency", implementation, scope="dataset")},
        measure=SuggestionMetric(lambda part: [1.0 if value else None for value in part.each(column, "completeness")]),
        assertion=Assertion("mustBe", 1),
        limits=(1, None),
    )
    return HoldoutCandidate(candidate, column, 0.0, part)
