"""Narrow down why a check fails: its start, its version, and the affected part of the data."""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from urllib.parse import unquote

from treaty.registry.schemas import CheckHistoryItemOut, CheckResultOut, ViolationSampleOut
from treaty.ui import texts as ui_texts
from treaty.ui.texts import run as texts

# With fewer rows or partitions, common values may be coincidence.
FEWEST_ROWS, FEWEST_PARTS = 5, 2
# Minimum share of the sampled rows that must have a value in common.
MOST_OF = 0.8


@dataclass(frozen=True)
class FailureStart:
    """The start of an uninterrupted failure of a check.

    `first_failed_at`: end of the first failed run. `times`: failed runs in a row. `version`: set if that run was the
    first with this version; None means the version had been validated before, or nothing is known before.
    `never_passed`: no earlier result is known."""

    first_failed_at: datetime
    times: int
    version: str | None
    never_passed: bool


def since(course: Sequence[CheckHistoryItemOut], run_id: object) -> FailureStart | None:
    """Return the start of the failure in that run; None if the check did not fail there.

    `course`: results of the check, oldest first."""
    runs: dict[object, list[CheckHistoryItemOut]] = {}
    for each in course:
        runs.setdefault(each.run_id, []).append(each)
    order = list(runs)
    if run_id not in runs or not _fails(runs[run_id]):
        return None
    here = begin = order.index(run_id)
    while begin > 0 and _fails(runs[order[begin - 1]]):
        begin -= 1
    first, before = runs[order[begin]][0], order[:begin]
    changed = bool(before) and runs[before[-1]][0].version != first.version
    return FailureStart(
        first.finished_at, here - begin + 1, first.version if changed else None, never_passed=not before
    )


def _fails(results: Sequence[CheckHistoryItemOut]) -> bool:
    return any(each.outcome == "failed" for each in results)


def parts(results: Sequence[CheckResultOut]) -> tuple[str, ...]:
    """Return the 'column = value' pairs that all failed and no passed partitions have.

    () if there are none, or too few partitions to compare."""
    bad = [_pairs(each.partition) for each in results if each.outcome == "failed"]
    good = [_pairs(each.partition) for each in results if each.outcome == "passed"]
    if len(bad) < FEWEST_PARTS or not good:
        return ()
    shared = set.intersection(*bad) - set().union(*good)
    return tuple(f"{unquote(column)} = {unquote(value)}" for column, value in sorted(shared))


def _pairs(partition: str | None) -> set[tuple[str, str]]:
    pairs = (part.partition("=") for part in (partition or "").split("/"))
    return {(column, value) for column, sign, value in pairs if sign}


@dataclass(frozen=True, kw_only=True)
class FailingSegment:
    """A value that most sampled rows have in a column.

    `rows`: sampled rows with the value, of `sample_rows`. `share_of_all`: its share of all rows; None means unknown.
    The value is user data."""

    column: str
    value: str
    rows: int
    sample_rows: int
    share_of_all: float | None

    @property
    def sentence(self) -> str:
        """Describe the segment. Contains the column and the value unescaped."""
        usual = texts.usual(self.share_of_all) if self.share_of_all is not None else texts.UNKNOWN_ELSEWHERE
        return texts.segment(self.rows, self.sample_rows, self.column, self.value, usual)


def segment(
    sample: ViolationSampleOut, *, excluded: Collection[str], shares: Mapping[str, Mapping[str, float]]
) -> FailingSegment | None:
    """Return the value that most sampled rows have in common; None if there is none.

    None also if the value is as common in all rows. Skips masked columns and those in `excluded` (the check's own
    column, partition columns). `shares`: by column, the share of each value in all rows."""
    candidates = [
        _most(sample, place, shares.get(column, {}))
        for place, column in enumerate(sample.columns)
        if column not in sample.masked and column not in excluded
    ]
    telling = [each for each in candidates if each and each.rows >= MOST_OF * each.sample_rows and _is_odd(each)]
    return max(telling, key=lambda each: (each.rows, -(each.share_of_all or 0), each.column), default=None)


def _most(sample: ViolationSampleOut, place: int, shares: Mapping[str, float]) -> FailingSegment | None:
    values = [row[place] for row in sample.rows]
    if len(values) < FEWEST_ROWS:
        return None
    value, rows = Counter(values).most_common(1)[0]
    return FailingSegment(
        column=sample.columns[place],
        value=ui_texts.cell(value),
        rows=rows,
        sample_rows=len(values),
        share_of_all=shares.get(value or ""),
    )


def _is_odd(of: FailingSegment) -> bool:
    return of.share_of_all is None or of.share_of_all <= of.rows / of.sample_rows / 2


def sentence(of: FailureStart, *, now: datetime) -> str:
    """Describe the start of the failure. Contains the version's number unescaped."""
    again = texts.in_a_row(of.times) if of.times > 1 else texts.FIRST_TIME
    if of.never_passed and of.times > 1:
        again = texts.in_all(of.times)
    text = texts.fails_since(again, ui_texts.age(of.first_failed_at, now=now)) if of.times > 1 else again
    return texts.first_under(text, of.version) if of.version else text
