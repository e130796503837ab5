"""List the results of one check over time."""

from collections.abc import Sequence
from datetime import datetime

import sqlalchemy
from sqlalchemy import RowMapping
from sqlmodel import Session, col

from treaty.engine.core.results import ResultFields
from treaty.registry.tables import CheckResultRow, RunRow

# Selecting columns is faster than loading ORM rows that track changes.
SHOWN = [col(getattr(CheckResultRow, name)) for name in ("run_id", *ResultFields.model_fields)]


def course(
    session: Session, contract_id: str, object_name: str, check_id: str, *, limit: int, since: datetime | None = None
) -> Sequence[RowMapping]:
    """Return the newest results of a contract's own check, oldest first.

    Results are ordered by run and by their position in it. `since`: only runs that finished at or after this time; None
    means all. Empty if the check was never evaluated."""
    query = (
        sqlalchemy.select(*SHOWN, col(RunRow.version), col(RunRow.finished_at))
        .join(RunRow, col(RunRow.id) == col(CheckResultRow.run_id))
        .where(
            col(RunRow.contract_id) == contract_id,
            col(RunRow.object) == object_name,
            col(RunRow.subscription_id).is_(None),
            col(CheckResultRow.check_id) == check_id,
            *([] if since is None else [col(RunRow.finished_at) >= since]),
        )
        .order_by(col(RunRow.finished_at).desc(), col(RunRow.id).desc(), col(CheckResultRow.position).desc())
        .limit(limit)
    )
    return session.connection().execute(query).mappings().all()[::-1]
