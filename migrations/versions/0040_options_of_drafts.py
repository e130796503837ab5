"""Rewrite the payloads of draft tasks: the options of programs are one object."""

from collections.abc import Callable
from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0040"
down_revision = "0039"
branch_labels = None
depends_on = None

TASK = sa.table("task", sa.column("id", sa.Uuid()), sa.column("kind"), sa.column("payload", sa.JSON()))
OLD, NEW = ("alarms", "refit"), ("programs", "patterns", "compare")
PINNED = "pinned"


def upgrade() -> None:
    """Write budget and policy as `programs`; null without a budget."""
    _rewrite(lambda payload: {"programs": _programs(payload)}, OLD)


def downgrade() -> None:
    """Write budget and policy alone; other options are lost."""
    _rewrite(_budget, NEW)


def _programs(payload: dict[str, Any]) -> dict[str, Any] | None:
    alarms = payload.get("alarms")
    return None if alarms is None else {"false_alarms": alarms, "refit": payload.get("refit") or PINNED}


def _budget(payload: dict[str, Any]) -> dict[str, Any]:
    programs = payload.get("programs") or {}
    return {"alarms": programs.get("false_alarms"), "refit": programs.get("refit", PINNED)}


def _rewrite(added: Callable[[dict[str, Any]], dict[str, Any]], removed: tuple[str, ...]) -> None:
    """Replace keys of the payloads that have one of them."""
    connection = op.get_bind()
    tasks = sa.select(TASK.c.id, TASK.c.payload).where(TASK.c.kind == "draft")
    for task_id, payload in connection.execute(tasks).all():
        if any(name in payload for name in removed):
            rest = {name: value for name, value in payload.items() if name not in removed}
            changed = sa.update(TASK).where(TASK.c.id == task_id).values(payload=rest | added(payload))
            connection.execute(changed)
