"""Suggest checks on unique values."""

from collections import Counter
from collections.abc import Mapping
from itertools import pairwise

from treaty.contracts.assertions import Assertion
from treaty.contracts.editing.check_entry import check
from treaty.engine.components.operands import INTEGRAL, TEXT
from treaty.engine.components.unions.ranks import Ranks
from treaty.engine.core.results import Value
from treaty.engine.profile.measurements import HistorySlice
from treaty.engine.profile.new_rows import NEARLY_UNIQUE, distinct_share
from treaty.engine.profile.table_profile import ColumnProfile, TableProfile
from treaty.engine.states.bag import StateBag
from treaty.engine.suggestions.candidates import SuggestionCandidate, SuggestionMetric, of_column
from treaty.engine.suggestions.column_samples import ColumnSample
from treaty.engine.suggestions.keys.candidates import KeyNames, LikelyKey, key_suggestions, may_be_unique

LEAST_ROWS = 10
# If this many pairs of equal numbers are expected, none in a partition is no chance (5 %).
LEAST_MEETINGS = 3.0
# Set by hand: values recur if half of those in all partitions are the same.
LEAST_AGAIN = 0.5
MOST_PIECES = 20


@of_column()
def unique(column: ColumnProfile, part: HistorySlice, _margin: float) -> SuggestionCandidate | None:
    """Suggest that values are unique in the whole table, by counts or else by sketch."""
    whole = part.history.whole if len(part) else None
    if whole is None or column.unique is None or whole.rows < LEAST_ROWS:
        return None
    counted, name = uniqueness(column, whole), column.column.name
    if counted != 1 and (counted is not None or not may_be_unique(column, whole)):
        return None
    return SuggestionCandidate(
        kind="unique",
        sentence=f"{name} is unique in the whole table"
        + ("" if counted else " (estimated from its name and a sketch)"),
        expression=f"uniqueness of {name} is 1",
        patch={"unique": True},
        measure=_measure(column),
        assertion=Assertion("mustBe", 1),
        limits=(1, None),
        confirmed=counted == 1,
    )


@of_column(over_time=True)
def unique_in_partition(column: ColumnProfile, part: HistorySlice, _margin: float) -> SuggestionCandidate | None:
    """Suggest that values are unique in each partition though they recur in others: each is a snapshot."""
    shares = [value for value in _measure(column).of_part(part) if value is not None]
    if len(shares) < 2 or set(shares) != {1.0} or min(part.rows) < LEAST_ROWS or unique(column, part, 0):
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
    """Return True if numbers may be unique by chance, like amounts.

    They are new in each partition and so sparse that no two have to be equal. Identifiers recur in the next
    partition or are dense."""
    bags = [bag for _, bag in part.history.partitions[part.start : part.end]]
    if column.column.base_type not in INTEGRAL or _comes_again(column, part):
        return False
    return meetings(column.ranks(bags[-1])) < LEAST_MEETINGS


def _comes_again(column: ColumnProfile, part: HistorySlice) -> bool:
    counts = part.series(column, "approx_count_distinct")
    whole = column.value("approx_count_distinct", part.history.whole)
    return float(whole or 0) <= LEAST_AGAIN * sum(map(float, counts))


def meetings(ranks: Ranks | None) -> float:
    """Return the expected number of equal pairs among a sketch's whole numbers; 0 without numbers.

    Any whole number between two quantiles is assumed to be equally likely."""
    if ranks is None:
        return 0.0
    pieces = max(1, min(MOST_PIECES, ranks.rows // 5))
    ends = Counter(ranks.quantiles(at / pieces for at in range(pieces + 1)))
    between = sum(1 / (high - low) for low, high in pairwise(sorted(ends)))
    alike = (between + sum((times - 1) ** 2 for times in ends.values())) / pieces**2
    return float(ranks.rows * (ranks.rows - 1) / 2 * alike)


def _measure(column: ColumnProfile) -> SuggestionMetric:
    return SuggestionMetric(
        lambda part: part.read((column.column.name, "uniqueness", None), lambda bag: uniqueness(column, bag)),
        _of_sample,
    )


def uniqueness(column: ColumnProfile, bag: StateBag) -> Value:
    """Return the share of the column's distinct values that occur once; None if not counted."""
    try:
        return column.unique.value(bag.values) if column.unique else None
    except KeyError:
        return None


def _of_sample(sample: ColumnSample) -> Value:
    values = sample.present.tolist()
    return 1.0 if len(set(values)) == len(values) else 0.0


def worth_counting(history: TableProfile, names: KeyNames, *, most: int = 8) -> list[ColumnProfile]:
    """Return the columns that may be unique, in the table or in each partition.

    They are complete and have nearly as many distinct values as rows. Possible keys by name come first, then the
    likeliest by values. `most`: maximum number of columns."""
    part = HistorySlice.of(history)
    keys = {each.column.column.name: each for each in key_suggestions(history, names)}
    scored = [(distinct_share(column, part), column) for column in history.columns]
    likely = [
        (share, column)
        for share, column in scored
        if share >= NEARLY_UNIQUE and _may_count(column, keys) and _is_complete(column, part)
    ]
    chances = {name: each.probability for name, each in keys.items()}
    first = sorted(likely, key=lambda pair: (-chances.get(pair[1].column.name, 0), -pair[0]))
    return [column for _, column in first[:most]]


def _may_count(column: ColumnProfile, keys: Mapping[str, LikelyKey]) -> bool:
    """Return True if the values suit a key: whole numbers, texts, or a name that suggests a key."""
    likely = keys.get(column.column.name)
    return column.column.base_type in INTEGRAL | TEXT or (likely is not None and likely.suggested)


def _is_complete(column: ColumnProfile, part: HistorySlice) -> bool:
    return min(part.series(column, "completeness"), default=0) == 1
