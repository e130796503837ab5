"""Suggestions about values that occur once."""

from collections import Counter
from collections.abc import Mapping
from itertools import pairwise
from typing import Any

from treaty.contracts.assertions import Assertion
from treaty.contracts.editing.check_entry import check
from treaty.engine.components.operands import INTEGRAL, TEXT
from treaty.engine.core.results import Value
from treaty.engine.profile.measurements import HistorySlice
from treaty.engine.profile.table_profile import ColumnProfile, TableProfile
from treaty.engine.states.bag import StateBag
from treaty.engine.suggestions.candidates import SuggestionCandidate, SuggestionMetric, of_column
from treaty.engine.suggestions.column_samples import ColumnSample
from treaty.engine.suggestions.key_candidates import LikelyKey, key_suggestions, may_be_unique

LEAST_ROWS = 10
# By hand: values that are counted are nearly as many as rows in every partition; sketches are wrong by 5 %, three times
# their standard error.
LEAST_DISTINCT = 0.9
# Were so many pairs of equal numbers expected, none in a partition is no chance (5 %).
LEAST_MEETINGS = 3.0
# By hand: values of rows come again where half of all that partitions have are the same ones.
LEAST_AGAIN = 0.5
MOST_PIECES = 20


@of_column()
def unique(column: ColumnProfile, part: HistorySlice, _margin: float) -> SuggestionCandidate | None:
    """No value occurs twice, in the whole table: by their counts; where there are none, as far as its sketch tells."""
    whole = part.history.whole if len(part) else None
    if whole is None or column.unique is None or whole.rows < LEAST_ROWS:
        return None
    counted, name = uniqueness(column, whole), column.column.name
    if counted != 1 and (counted is not None or not may_be_unique(column, whole)):
        return None
    return SuggestionCandidate(
        kind="unique",
        sentence=f"{name} is unique in the whole table" + ("" if counted else ", as far as its name and a sketch tell"),
        expression=f"uniqueness of {name} is 1",
        patch={"unique": True},
        measure=_measure(column),
        assertion=Assertion("mustBe", 1),
        limits=(1, None),
        confirmed=counted == 1,
    )


@of_column(over_time=True)
def unique_in_partition(column: ColumnProfile, part: HistorySlice, _margin: float) -> SuggestionCandidate | None:
    """No value occurs twice in a partition, though the same ones occur in others: each is the table as it was then."""
    found = [value for value in _measure(column).of_part(part) if value is not None]
    if len(found) < 2 or set(found) != {1.0} or min(part.rows) < LEAST_ROWS or unique(column, part, 0):
        return None
    name = column.column.name
    words = f"{name} is unique in each partition"
    implementation = {"analyzer": "uniqueness", "columns": [name], "mustBe": 1}
    return SuggestionCandidate(
        kind="unique_in_partition",
        sentence=words,
        expression=f"uniqueness of {name} is 1",
        patch={"quality": check(f"{name}-unique-in-partition", words, "uniqueness", implementation)},
        measure=_measure(column),
        assertion=Assertion("mustBe", 1),
        limits=(1, None),
        by_chance=_by_chance(column, part),
    )


def _by_chance(column: ColumnProfile, part: HistorySlice) -> bool:
    """Whether numbers are other ones in each partition, and so far apart that no two need meet: as amounts are.

    What identifies rows comes again in the next partition, or lies close together."""
    bags = [bag for _, bag in part.history.partitions[part.start : part.end]]
    if column.column.base_type not in INTEGRAL or _comes_again(column, part):
        return False
    return meetings(column.sketch(bags[-1])) < LEAST_MEETINGS


def _comes_again(column: ColumnProfile, part: HistorySlice) -> bool:
    counts = part.series(column, "approx_count_distinct")
    whole = column.value("approx_count_distinct", part.history.whole)
    return float(whole or 0) <= LEAST_AGAIN * sum(map(float, counts))


def meetings(sketch: Any | None) -> float:
    """How many pairs of the sketch's whole numbers would be equal, were each drawn alike: between two of its quantiles
    any whole number is as likely as the others. 0 for no numbers."""
    if sketch is None or sketch.is_empty():
        return 0.0
    pieces = max(1, min(MOST_PIECES, sketch.n // 5))
    ends = Counter(sketch.get_quantiles([at / pieces for at in range(pieces + 1)]))
    between = sum(1 / (high - low) for low, high in pairwise(sorted(ends)))
    alike = (between + sum((times - 1) ** 2 for times in ends.values())) / pieces**2
    return float(sketch.n * (sketch.n - 1) / 2 * alike)


def _measure(column: ColumnProfile) -> SuggestionMetric:
    return SuggestionMetric(
        lambda part: part.read((column.column.name, "uniqueness", None), lambda bag: uniqueness(column, bag)),
        _of_sample,
    )


def uniqueness(column: ColumnProfile, bag: StateBag) -> Value:
    """The share of the column's distinct values that occur once; None where they were not counted."""
    try:
        return column.unique.value(bag.values) if column.unique else None
    except KeyError:
        return None


def _of_sample(sample: ColumnSample) -> Value:
    values = sample.present.tolist()
    return 1.0 if len(set(values)) == len(values) else 0.0


def worth_counting(history: TableProfile, table: str = "", *, most: int = 8) -> list[ColumnProfile]:
    """The columns that may be unique, in the table or in each partition: complete, and nearly as many distinct values
    as rows. First those that may be keys of the table, by its name and theirs; then the likeliest by their values."""
    part = HistorySlice.of(history)
    keys = {each.column.column.name: each for each in key_suggestions(history, table)}
    scored = [(_distinct_share(column, part), column) for column in history.columns]
    likely = [
        (share, column)
        for share, column in scored
        if share >= LEAST_DISTINCT and _may_count(column, keys) and _is_complete(column, part)
    ]
    chances = {name: each.probability for name, each in keys.items()}
    first = sorted(likely, key=lambda pair: (-chances.get(pair[1].column.name, 0), -pair[0]))
    return [column for _, column in first[:most]]


def _may_count(column: ColumnProfile, keys: Mapping[str, LikelyKey]) -> bool:
    """Whether its values are such as keys have: whole numbers and texts, and whatever else is named as a key."""
    likely = keys.get(column.column.name)
    return column.column.base_type in INTEGRAL | TEXT or (likely is not None and likely.suggested)


def _is_complete(column: ColumnProfile, part: HistorySlice) -> bool:
    return min(part.series(column, "completeness"), default=0) == 1


def _distinct_share(column: ColumnProfile, part: HistorySlice) -> float:
    """The least share of distinct values in a partition: what is unique in the table is so in each of them."""
    counts = zip(part.each(column, "approx_count_distinct"), part.rows, strict=True)
    return min((float(count or 0) / rows for count, rows in counts if rows), default=0.0)
