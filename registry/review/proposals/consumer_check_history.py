"""How a consumer's check went so far: what an owner is shown when it is proposed for the contract itself."""

from collections.abc import Collection, Sequence
from typing import Any
from uuid import UUID

from sqlmodel import Session, col, select

from treaty.engine.core.results import Outcome
from treaty.registry.tables import CheckResultRow, RunRow

PASSED = Outcome.PASSED
EVALUATED = frozenset({Outcome.PASSED, Outcome.FAILED})
# The rows of a few years of days; the history shows as many points as a chart of it.
MOST = 2000
SHOWN = 60
NAMED = 20


def of_check(session: Session, subscription_id: UUID, check_ids: Collection[str]) -> dict[str, Any]:
    """The evidence of the consumer's own runs, in the words of a draft's: on how many partitions the check was judged
    and held, on which it did not, the values over time. All zero where it was never judged.

    Of a partition that was judged several times, or of the whole dataset, the last time of each run counts."""
    last = {_place(result, run): (result, run) for result, run in _results(session, subscription_id, check_ids)}
    judged = [found for found in last.values() if found[0].outcome in EVALUATED]
    failed = [_label(*found) for found in judged if found[0].outcome is not PASSED]
    return {
        "rows": sum(result.row_count or 0 for result, _ in judged),
        "partitions": len(judged),
        "held": len(judged) - len(failed),
        "judged_on": len(judged),
        "failed_on": failed[-NAMED:],
        "not_evaluated": len(last) - len(judged),
        "history": [[_label(*found), found[0].value] for found in judged[-SHOWN:] if found[0].value is not None],
    }


def _results(
    session: Session, subscription_id: UUID, check_ids: Collection[str]
) -> Sequence[tuple[CheckResultRow, RunRow]]:
    """The last results of these checks, oldest first."""
    query = select(CheckResultRow, RunRow).join(RunRow, col(RunRow.id) == col(CheckResultRow.run_id))
    mine = query.where(RunRow.subscription_id == subscription_id, col(CheckResultRow.check_id).in_(list(check_ids)))
    newest = mine.order_by(col(RunRow.finished_at).desc(), col(RunRow.id).desc(), col(CheckResultRow.position).desc())
    return session.exec(newest.limit(MOST)).all()[::-1]


def _place(result: CheckResultRow, run: RunRow) -> tuple[str, str]:
    """What was judged: a partition, which the next run replaces; the whole dataset, as of that run."""
    return result.check_id, result.partition if result.partition is not None else f"run {run.id}"


def _label(result: CheckResultRow, run: RunRow) -> str:
    return result.partition or f"{run.finished_at:%Y-%m-%d %H:%M}"
