"""Summarize the past results of a consumer's check as evidence for promoting it."""

from collections.abc import Collection, Sequence
from typing import Any
from uuid import UUID

from sqlmodel import Session, col, select

from treaty.engine.core.results import Outcome
from treaty.registry.tables import CheckResultRow, RunRow

PASSED = Outcome.PASSED
EVALUATED = frozenset({Outcome.PASSED, Outcome.FAILED})
# The rows of a few years of daily partitions; the history has as many points as its chart shows.
MOST = 2000
SHOWN = 60
NAMED = 20


def of_check(session: Session, subscription_id: UUID, check_ids: Collection[str]) -> dict[str, Any]:
    """Return the evidence of the consumer's runs, in the format of a draft's evidence.

    Counts the partitions on which the check was evaluated and passed, names those on which it failed, and lists
    values over time. All zero if it was never evaluated. Only the latest result of a partition counts; results of
    the whole dataset count once per run."""
    latest = {_place(result, run): (result, run) for result, run in _results(session, subscription_id, check_ids)}
    evaluated = [entry for entry in latest.values() if entry[0].outcome in EVALUATED]
    failed = [_label(*entry) for entry in evaluated if entry[0].outcome is not PASSED]
    return {
        "rows": sum(result.row_count or 0 for result, _ in evaluated),
        "partitions": len(evaluated),
        "held": len(evaluated) - len(failed),
        "judged_on": len(evaluated),
        "failed_on": failed[-NAMED:],
        "not_evaluated": len(latest) - len(evaluated),
        "history": [[_label(*entry), entry[0].value] for entry in evaluated[-SHOWN:] if entry[0].value is not None],
    }


def _results(
    session: Session, subscription_id: UUID, check_ids: Collection[str]
) -> Sequence[tuple[CheckResultRow, RunRow]]:
    """Return the latest results of these checks, oldest first."""
    query = select(CheckResultRow, RunRow).join(RunRow, col(RunRow.id) == col(CheckResultRow.run_id))
    matching = query.where(RunRow.subscription_id == subscription_id, col(CheckResultRow.check_id).in_(list(check_ids)))
    newest = matching.order_by(
        col(RunRow.finished_at).desc(), col(RunRow.id).desc(), col(CheckResultRow.position).desc()
    )
    return session.exec(newest.limit(MOST)).all()[::-1]


def _place(result: CheckResultRow, run: RunRow) -> tuple[str, str]:
    """Return the key of a result: its partition, which a later run replaces, or else its run."""
    return result.check_id, result.partition if result.partition is not None else f"run {run.id}"


def _label(result: CheckResultRow, run: RunRow) -> str:
    return result.partition or f"{run.finished_at:%Y-%m-%d %H:%M}"
