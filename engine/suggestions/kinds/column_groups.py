"""Suggestions about several columns together, of what was counted of them
(`treaty.engine.suggestions.kinds.column_group_search`)."""

from collections.abc import Mapping, Sequence

from treaty.contracts.assertions import Assertion
from treaty.contracts.editing.check_entry import check
from treaty.engine.core.results import Value
from treaty.engine.profile.measurements import HistorySlice
from treaty.engine.profile.table_profile import ColumnGroup, ColumnProfile
from treaty.engine.states.bag import StateBag
from treaty.engine.suggestions.candidates import SuggestionCandidate, SuggestionMetric, of_column, of_table

LEAST_ROWS = 10


@of_column()
def determined(column: ColumnProfile, part: HistorySlice, _margin: float) -> SuggestionCandidate | None:
    """Rows with the same value of another column have the same of this one."""
    for each in _counted(part, "determined", column.column.name):
        name, (by,) = column.column.name, each.other_columns
        words = f"{name} is always the same for the same {by}"
        made = {"analyzer": "determination", "column": by, "other": name}
        return _group_candidate(each, part, f"{by}-determines-{name}", words, made)
    return None


@of_column()
def in_order(column: ColumnProfile, part: HistorySlice, _margin: float) -> SuggestionCandidate | None:
    """No moment is earlier than that of another column; of several such columns, than the latest."""
    fits = [each for each in _counted(part, "in_order", column.column.name) if _holds(each, part)]
    for each in sorted(fits, key=lambda one: _latest(one, part), reverse=True):
        name, (other,) = column.column.name, each.other_columns
        words = f"{name} is never earlier than {other}"
        made = {"analyzer": "comparison", "column": other, "operator": "<=", "other": name}
        return _candidate(each, f"{name}-not-before-{other}", words, made)
    return None


@of_table()
def composite_key(part: HistorySlice, _margin: float) -> SuggestionCandidate | None:
    """No combination of two or three columns occurs twice, where no column alone is a key."""
    for each in _counted(part, "composite_key", None):
        told = ", ".join(each.other_columns)
        made = {"analyzer": "uniqueness", "columns": list(each.other_columns)}
        found = _group_candidate(
            each, part, f"{'-'.join(each.other_columns)}-unique", f"{told} are unique together", made
        )
        if found is not None:
            return found
    return None


def _counted(part: HistorySlice, kind: str, column: str | None) -> Sequence[ColumnGroup]:
    return [each for each in part.history.column_groups if (each.kind, each.column) == (kind, column)]


def _group_candidate(
    each: ColumnGroup, part: HistorySlice, check_id: str, words: str, made: Mapping[str, object]
) -> SuggestionCandidate | None:
    """The promise, of the whole table where that keeps it; of each partition where only those do; None otherwise."""
    if not _holds(each, part):
        return None
    if _value(each, part.history.whole) == 1:
        return _candidate(each, check_id, words, made, scope="dataset")
    return _candidate(each, check_id, f"{words} within a partition", made)


def _candidate(
    each: ColumnGroup, check_id: str, words: str, made: Mapping[str, object], *, scope: str = "delta"
) -> SuggestionCandidate:
    return SuggestionCandidate(
        kind=each.kind,
        sentence=words,
        expression=words,
        patch={"quality": check(check_id, words, "consistency", {**made, "mustBe": 1}, scope=scope)},
        measure=SuggestionMetric(lambda seen: _values(each, seen)),
        assertion=Assertion("mustBe", 1),
        severity="warning",
        limits=(1, None),
        details={"columns": [*each.other_columns, *([each.column] if each.column else [])]},
    )


def _holds(each: ColumnGroup, part: HistorySlice) -> bool:
    found = [value for value in _values(each, part) if value is not None]
    return sum(part.rows) >= LEAST_ROWS and set(found) == {1.0}


def _values(each: ColumnGroup, part: HistorySlice) -> Sequence[Value]:
    return part.read((each.kind, each.column, each.other_columns), lambda bag: _value(each, bag))


def _value(each: ColumnGroup, bag: StateBag) -> Value:
    try:
        return each.measured.value(bag.values)
    except KeyError:
        return None


def _latest(each: ColumnGroup, part: HistorySlice) -> str:
    """The latest moment of the other column, so that of several the nearest is told."""
    other = next(one for one in part.history.columns if one.column.name == each.other_columns[0])
    return max(map(str, part.series(other, "maximum")), default="")
