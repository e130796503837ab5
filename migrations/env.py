"""Runs migrations on the connection handed in by treaty.registry.core.database; they share its transaction."""

from typing import Any, Literal

from alembic import context
from sqlalchemy import Enum
from sqlmodel import AutoString

from treaty.registry.tables import metadata
from treaty.registry.tables.base import UtcTime
from treaty.registry.tables.search import declared

PLAIN = {UtcTime: "sa.DateTime(timezone=True)", AutoString: "sa.String()", Enum: "sa.String(32)"}


def plain(kind: str, item: Any, _: Any) -> str | Literal[False]:
    """The plain column type to write into a new migration: migrations must not change when our code does."""
    return PLAIN.get(type(item), False) if kind == "type" else False


context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=metadata,
    render_as_batch=True,
    render_item=plain,
    compare_type=True,
    include_name=declared,
)
with context.begin_transaction():
    context.run_migrations()
