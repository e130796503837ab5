"""Suggestions of references: columns all of whose values are among those of another dataset's key.

Held against a key are the columns that are named after it, and those whose sketches say so though chance would not:
small whole numbers lie in any key of running numbers."""

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
# Of fewer values, and with fewer different ones, it is chance that all of them are keys of another dataset.
LEAST_ROWS, LEAST_DISTINCT = 10, 3
# Of so many different texts it is no chance, whatever they are called; of numbers the key says how likely it is.
LEAST_TOLD, CHANCE = 10, 1e-9
# Two estimates of the same number of values may be so far apart: both are wrong by 5 %, three standard errors.
ABOUT = 1.1
# By hand: numbers that refer to a key lie all over it.
LEAST_SPAN = 0.5
# What keys of whatever datasets are called.
COMMON = frozenset({"code", "guid", "id", "key", "name", "nr", "number", "uuid"})


@dataclass(frozen=True)
class KeyValues:
    """The values of a column: their `ThetaSketch` state, and their ends where all of them read as whole numbers."""

    sketch: bytes | None
    low: int | None = None
    high: int | None = None

    @property
    def span(self) -> int:
        """How many whole numbers lie between the ends, both included; 0 for texts."""
        return 0 if self.low is None or self.high is None else self.high - self.low + 1

    @property
    def density(self) -> float:
        """The share of the whole numbers between the ends that are among them; 0 for texts."""
        return min(1.0, ThetaSketch.estimate(self.sketch).value / self.span) if self.span else 0.0


def lie_within(ours: KeyValues, theirs: KeyValues) -> bool:
    """Whether all of our values are among theirs, as far as sketches tell, and chance does not explain it.

    Numbers are among theirs by chance as if each had been drawn from between their ends. Of those that keep to a small
    part of that nothing is said: keys are denser at one end."""
    share, count = overlap(ours.sketch, theirs.sketch).of_left, ThetaSketch.estimate(ours.sketch).value
    if share is None or share.value < 1:
        return False
    if not theirs.span:
        return count >= LEAST_TOLD
    return ours.span >= LEAST_SPAN * theirs.span and theirs.density**count < CHANCE


def may_lie_within(column: ColumnProfile, part: HistorySlice, theirs: KeyValues) -> bool:
    """Whether what the profile tells of the column admits that its values are among theirs: so that most columns need
    no sketch."""
    whole = part.history.whole
    count = float(column.value("approx_count_distinct", whole) or 0)
    if not LEAST_DISTINCT <= count <= ABOUT * ThetaSketch.estimate(theirs.sketch).value:
        return False
    if column.column.base_type in TEXT:
        return True
    low, high = (int(column.value(end, whole) or 0) for end in ("minimum", "maximum"))
    return theirs.low is not None and theirs.high is not None and theirs.low <= low and high <= theirs.high


def words(name: str) -> tuple[str, ...]:
    """The words of a name in snake_case, CamelCase or with other signs between them, in lower case."""
    return tuple(each.lower() for each in _WORD.findall(name))


def is_named_after(column: str, key: ReferableKey) -> bool:
    """Whether a column's name says that it refers to the key: it ends with the key's own name, or, where datasets call
    theirs alike, with that after the dataset's name in singular."""
    said, own = words(column), words(key.column)
    if set(own) <= COMMON:
        own = (*(_singular(each) for each in words(key.dataset.rpartition(".")[2])[-1:]), *own)
    return len(own) > 0 and said[-len(own) :] == own


def _singular(word: str) -> str:
    if word.endswith("ies"):
        return f"{word[:-3]}y"
    return word.removesuffix("s") if not word.endswith("ss") else word


def pairs(part: HistorySlice, keys: Iterable[ReferableKey]) -> Iterator[tuple[ColumnProfile, ReferableKey]]:
    """The columns that may refer to a key, with that key; no key refers to itself, and no classified column is told."""
    likely = referable(part)
    for key in keys:
        yield from ((each, key) for each in likely if is_named_after(each.column.name, key))


def referable(part: HistorySlice) -> list[ColumnProfile]:
    """The columns of texts and whole numbers, of values enough, that are not classified."""
    return [each for each in part.history.columns if not each.classified and _has_values(each, part)]


def _has_values(column: ColumnProfile, part: HistorySlice) -> bool:
    if column.column.base_type not in TEXT | INTEGRAL or not len(part):
        return False
    whole = part.history.whole
    filled, distinct = column.value("completeness", whole), column.value("approx_count_distinct", whole)
    return whole.rows * float(filled or 0) >= LEAST_ROWS and float(distinct or 0) >= LEAST_DISTINCT


def reference_suggestion(column: ColumnProfile, key: ReferableKey, part: HistorySlice) -> HoldoutCandidate:
    """The suggestion of a reference of which it was seen that every value is among the key's."""
    name = column.column.name
    said = f"every {name} exists in {key.dataset} as {key.column}"
    made = {"analyzer": "referential_integrity", "columns": [name], "dataset": key.dataset, "mustBe": 1}
    made |= {} if key.column == name else {"other_columns": [key.column]}
    candidate = SuggestionCandidate(
        kind="refers",
        sentence=said,
        expression=f"{name} in {key.dataset}.{key.column}",
        patch={"quality": check(f"{name}-exists", said, "consistency", made, scope="dataset")},
        measure=SuggestionMetric(lambda part: [1.0 if value else None for value in part.each(column, "completeness")]),
        assertion=Assertion("mustBe", 1),
        limits=(1, None),
    )
    return HoldoutCandidate(candidate, column, 0.0, part)
