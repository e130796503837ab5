"""What of a run report narrows down why a check fails: since when, under which version, in which part of the data."""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from urllib.parse import unquote

from treaty.registry.schemas import CheckHistoryItemOut, CheckResultOut, ViolationSampleOut
from treaty.ui import texts as ui_texts
from treaty.ui.texts import run as texts

# Fewer rows or partitions than that say nothing in common but by chance.
FEWEST_ROWS, FEWEST_PARTS = 5, 2
# The share of the kept rows that have to have a value in common.
MOST_OF = 0.8


@dataclass(frozen=True)
class FailureStart:
    """Since when a check fails without a pass between: in the run that ended `first_failed_at`, `times` runs in a row.

    `version`: that run was the first one judged by this version; None: the version was judged before, and passed or
    nobody knows. `never_passed`: no pass is known at all."""

    first_failed_at: datetime
    times: int
    version: str | None
    never_passed: bool


def since(course: Sequence[CheckHistoryItemOut], run_id: object) -> FailureStart | None:
    """Since when the check fails that failed in that run, by its results oldest first; None where it did not fail
    there, or that is not known."""
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
    """What all partitions on which the check failed have in common in their names and none of the others has, as
    'column = value'; () where there is no such thing, or too few partitions to say so."""
    bad = [_pairs(each.partition) for each in results if each.outcome == "failed"]
    good = [_pairs(each.partition) for each in results if each.outcome == "passed"]
    if len(bad) < FEWEST_PARTS or not good:
        return ()
    shared = set.intersection(*bad) - set().union(*good)
    return tuple(f"{unquote(column)} = {unquote(value)}" for column, value in sorted(shared))


def _pairs(partition: str | None) -> set[tuple[str, str]]:
    found = (part.partition("=") for part in (partition or "").split("/"))
    return {(column, value) for column, sign, value in found if sign}


@dataclass(frozen=True, kw_only=True)
class FailingSegment:
    """A value that most of the kept rows have in a column: in `rows` of `sample_rows`. `share_of_all`: the share of all
    rows that have it; None: nobody knows. The value is somebody's data."""

    column: str
    value: str
    rows: int
    sample_rows: int
    share_of_all: float | None

    @property
    def sentence(self) -> str:
        """The segment in words. Holds the column and the value as they are."""
        usual = texts.usual(self.share_of_all) if self.share_of_all is not None else texts.UNKNOWN_ELSEWHERE
        return texts.segment(self.rows, self.sample_rows, self.column, self.value, usual)


def segment(
    sample: ViolationSampleOut, *, apart: Collection[str], shares: Mapping[str, Mapping[str, float]]
) -> FailingSegment | None:
    """The value that explains most of the kept rows; None where no value is in most of them, or it is as common in all
    rows. Masked columns and those `apart` (what the check is about, partition columns) are not looked at.

    `shares`: by column, of all rows how large a part has which value."""
    found = [
        _most(sample, place, shares.get(column, {}))
        for place, column in enumerate(sample.columns)
        if column not in sample.masked and column not in apart
    ]
    telling = [each for each in found if each and each.rows >= MOST_OF * each.sample_rows and _is_odd(each)]
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
    """Since when, in words. Holds the version's number as it is."""
    again = texts.in_a_row(of.times) if of.times > 1 else texts.FIRST_TIME
    if of.never_passed and of.times > 1:
        again = texts.in_all(of.times)
    told = texts.fails_since(again, ui_texts.age(of.first_failed_at, now=now)) if of.times > 1 else texts.fails(again)
    return texts.first_under(told, of.version) if of.version else told
