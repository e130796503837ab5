"""How one check came out, run by run: what it measured, and what was admitted then."""

from collections.abc import Sequence
from datetime import datetime

import sqlalchemy
from sqlalchemy import RowMapping
from sqlmodel import Session, col

from treaty.engine.core.results import ResultFields
from treaty.registry.tables import ResultRow, Run

# A whole row, made to be changed, takes longer to read.
SHOWN = [col(getattr(ResultRow, name)) for name in ("run_id", *ResultFields.model_fields)]


def course(
    session: Session, contract_id: str, object_name: str, check_id: str, *, limit: int, since: datetime | None = None
) -> Sequence[RowMapping]:
    """The newest results of the contract's own check of that id on that object, in the order of their runs and of
    their places in them; [] for a check that was never judged. `since`: of runs that ended then or later."""
    query = (
        sqlalchemy.select(*SHOWN, col(Run.version), col(Run.finished))
        .join(Run, col(Run.id) == col(ResultRow.run_id))
        .where(
            col(Run.contract_id) == contract_id,
            col(Run.object) == object_name,
            col(Run.subscription_id).is_(None),
            col(ResultRow.check_id) == check_id,
            *([] if since is None else [col(Run.finished) >= since]),
        )
        .order_by(col(Run.finished).desc(), col(Run.id).desc(), col(ResultRow.position).desc())
        .limit(limit)
    )
    return session.connection().execute(query).mappings().all()[::-1]
