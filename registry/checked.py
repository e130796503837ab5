"""How one check came out, run by run: what it measured, and what was admitted then."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from sqlmodel import Session, col, select

from registry.tables import ResultRow, Run


def course(
    session: Session, contract_id: str, object_name: str, check_id: str, *, limit: int, since: datetime | None = None
) -> Sequence[Mapping[str, Any]]:
    """The newest results of the contract's own check of that id on that object, in the order of their runs and of
    their places in them; [] for a check that was never judged. `since`: of runs that ended then or later."""
    query = (
        select(ResultRow, Run.version, Run.finished)
        .join(Run, col(Run.id) == col(ResultRow.run_id))
        .where(
            Run.contract_id == contract_id,
            Run.object == object_name,
            col(Run.subscription_id).is_(None),
            ResultRow.check_id == check_id,
            *([] if since is None else [col(Run.finished) >= since]),
        )
        .order_by(col(Run.finished).desc(), col(Run.id).desc(), col(ResultRow.position).desc())
        .limit(limit)
    )
    rows = session.exec(query).all()[::-1]
    return [{**row.model_dump(), "version": version, "finished": finished} for row, version, finished in rows]
