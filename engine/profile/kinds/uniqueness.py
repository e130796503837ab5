"""Suggestions about values that occur once."""

from contracts.assertions import Assertion
from engine.analyzers.quoting import INTEGRAL, TEXT
from engine.profile.candidates import Candidate, Measure, check, of_column
from engine.profile.measured import Part
from engine.profile.profile import ColumnProfile, History
from engine.profile.sampled import Sample
from engine.results import Value
from engine.states import States

LEAST_ROWS = 10


@of_column()
def unique(column: ColumnProfile, part: Part, _margin: float) -> Candidate | None:
    """No value occurs twice, in the whole table."""
    whole = part.history.whole if len(part) else None
    if whole is None or column.unique is None or whole.rows < LEAST_ROWS or _uniqueness(column, whole) != 1:
        return None
    name = column.column.name
    return Candidate(
        kind="unique",
        sentence=f"{name} is unique in the whole table",
        expression=f"uniqueness of {name} is 1",
        patch={"unique": True},
        measure=_measure(column),
        assertion=Assertion("mustBe", 1),
        limits=(1, None),
    )


@of_column(over_time=True)
def unique_in_partition(column: ColumnProfile, part: Part, _margin: float) -> Candidate | None:
    """No value occurs twice in a partition, though the same ones occur in others: each is the table as it was then."""
    found = [value for value in _measure(column).of_part(part) if value is not None]
    if len(found) < 2 or set(found) != {1.0} or min(part.rows) < LEAST_ROWS or unique(column, part, 0):
        return None
    name = column.column.name
    words = f"{name} is unique in each partition"
    implementation = {"analyzer": "uniqueness", "columns": [name], "mustBe": 1}
    return Candidate(
        kind="unique_in_partition",
        sentence=words,
        expression=f"uniqueness of {name} is 1",
        patch={"quality": check(f"{name}-unique-in-partition", words, "uniqueness", implementation)},
        measure=_measure(column),
        assertion=Assertion("mustBe", 1),
        limits=(1, None),
    )


def _measure(column: ColumnProfile) -> Measure:
    return Measure(
        lambda part: part.read((column.column.name, "uniqueness", None), lambda bag: _uniqueness(column, bag)),
        _of_sample,
    )


def _uniqueness(column: ColumnProfile, bag: States) -> Value:
    try:
        return column.unique.value(bag.values) if column.unique else None
    except KeyError:
        return None


def _of_sample(sample: Sample) -> Value:
    values = sample.present.tolist()
    return 1.0 if len(set(values)) == len(values) else 0.0


def worth_counting(history: History, *, most: int = 8) -> list[ColumnProfile]:
    """The columns that may be unique, in the table or in each partition: complete, and nearly as many distinct values
    as rows; the likeliest first."""
    part = Part.of(history)
    scored = [(_distinct_share(column, part), column) for column in history.columns]
    likely = [
        (share, column)
        for share, column in scored
        if share >= 0.9 and column.column.base_type in INTEGRAL | TEXT and _is_complete(column, part)
    ]
    return [column for _, column in sorted(likely, key=lambda pair: -pair[0])[:most]]


def _is_complete(column: ColumnProfile, part: Part) -> bool:
    return min(part.series(column, "completeness"), default=0) == 1


def _distinct_share(column: ColumnProfile, part: Part) -> float:
    """The least share of distinct values in a partition: what is unique in the table is so in each of them."""
    counts = zip(part.each(column, "approx_count_distinct"), part.rows, strict=True)
    return min((float(count or 0) / rows for count, rows in counts if rows), default=0.0)
