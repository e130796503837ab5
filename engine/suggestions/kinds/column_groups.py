"""Suggest checks on several columns, from the counts of column groups.

See `treaty.engine.suggestions.kinds.column_group_search`."""

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
    """Suggest that rows with equal values of another column have equal values of this one."""
    for each in _counted(part, "determined", column.column.name):
        name, (by,) = column.column.name, each.other_columns
        words = f"{name} is determined by {by}"
        implementation = {"analyzer": "determination", "column": by, "other": name}
        return _group_candidate(each, part, f"{by}-determines-{name}", words, implementation)
    return None


@of_column()
def in_order(column: ColumnProfile, part: HistorySlice, _margin: float) -> SuggestionCandidate | None:
    """Suggest that no timestamp is earlier than another column's; of several, the latest such column."""
    fits = [each for each in _counted(part, "in_order", column.column.name) if _holds(each, part)]
    for each in sorted(fits, key=lambda one: _latest(one, part), reverse=True):
        name, (other,) = column.column.name, each.other_columns
        words = f"{name} is never earlier than {other}"
        implementation = {"analyzer": "comparison", "column": other, "operator": "<=", "other": name}
        return _candidate(each, f"{name}-not-before-{other}", words, implementation)
    return None


@of_table()
def composite_key(part: HistorySlice, _margin: float) -> SuggestionCandidate | None:
    """Suggest that two or three columns are unique together, without a single-column key."""
    for each in _counted(part, "composite_key", None):
        columns = ", ".join(each.other_columns)
        implementation = {"analyzer": "uniqueness", "columns": list(each.other_columns)}
        candidate = _group_candidate(
            each, part, f"{'-'.join(each.other_columns)}-unique", f"{columns} are unique together", implementation
        )
        if candidate is not None:
            return candidate
    return None


def _counted(part: HistorySlice, kind: str, column: str | None) -> Sequence[ColumnGroup]:
    return [each for each in part.history.column_groups if (each.kind, each.column) == (kind, column)]


def _group_candidate(
    each: ColumnGroup, part: HistorySlice, check_id: str, words: str, arguments: Mapping[str, object]
) -> SuggestionCandidate | None:
    """Return the check for the whole table if it holds there, else per partition; None if it fails."""
    if not _holds(each, part):
        return None
    if _value(each, part.history.whole) == 1:
        return _candidate(each, check_id, words, arguments, scope="dataset")
    return _candidate(each, check_id, f"{words} within a partition", arguments)


def _candidate(
    each: ColumnGroup, check_id: str, words: str, arguments: Mapping[str, object], *, scope: str = "delta"
) -> SuggestionCandidate:
    return SuggestionCandidate(
        kind=each.kind,
        sentence=words,
        expression=words,
        patch={"quality": check(check_id, words, "consistency", {**arguments, "mustBe": 1}, scope=scope)},
        measure=SuggestionMetric(lambda sample: _values(each, sample)),
        assertion=Assertion("mustBe", 1),
        severity="warning",
        limits=(1, None),
        details={"columns": [*each.other_columns, *([each.column] if each.column else [])]},
    )


def _holds(each: ColumnGroup, part: HistorySlice) -> bool:
    values = [value for value in _values(each, part) if value is not None]
    return sum(part.rows) >= LEAST_ROWS and set(values) == {1.0}


def _values(each: ColumnGroup, part: HistorySlice) -> Sequence[Value]:
    return part.read((each.kind, each.column, each.other_columns), lambda bag: _value(each, bag))


def _value(each: ColumnGroup, bag: StateBag) -> Value:
    try:
        return each.measured.value(bag.values)
    except KeyError:
        return None


def _latest(each: ColumnGroup, part: HistorySlice) -> str:
    """Return the latest timestamp of the other column, to choose the nearest of several."""
    other = next(one for one in part.history.columns if one.column.name == each.other_columns[0])
    return max(map(str, part.series(other, "maximum")), default="")
