"""Run migrations on the connection of treaty.registry.core.database, within its transaction."""

from typing import Any, Literal

from alembic import context
from sqlalchemy import Enum
from sqlmodel import AutoString

from treaty.registry.tables import metadata
from treaty.registry.tables.base import UtcTime
from treaty.registry.tables.search import declared

PLAIN = {UtcTime: "sa.DateTime(timezone=True)", AutoString: "sa.String()", Enum: "sa.String(32)"}


def plain(kind: str, item: Any, _: Any) -> str | Literal[False]:
    """Return the plain column type for new migrations, which must not depend on our code."""
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
