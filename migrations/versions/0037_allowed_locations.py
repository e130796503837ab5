"""Add allowed locations, and allow those of existing contracts."""

import re
from collections.abc import Iterator
from uuid import uuid4

import sqlalchemy as sa
from alembic import op

from treaty.engine.core import clock

revision = "0037"
down_revision = "0036"
branch_labels = None
depends_on = None

STORAGE = re.compile(r"(s3|gs|hdfs|abfss?|wasbs?|dbfs|viewfs|adl|oss|cosn):")
LITERAL = re.compile(r"[^*?+.\\()\[\]{}|^$]*")
ALLOWED = sa.table(
    "allowed_location", sa.column("id", sa.Uuid()), sa.column("location", sa.String()),
    sa.column("created_at", sa.DateTime(timezone=True)),
)  # fmt: skip
DATASET = sa.table("dataset", *map(sa.column, ("id", "namespace", "name", "location")))
LINK = sa.table("dataset_contract", sa.column("dataset_id"))
PATTERN = sa.table("dataset_alias_pattern", *map(sa.column, ("namespace", "name")))


def upgrade() -> None:
    """Create the table with the locations of datasets that contracts describe."""
    op.create_table(
        "allowed_location",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("location", sa.String(), nullable=False),
        sa.Column("domain", sa.String(), nullable=True),
        sa.Column("added_by", sa.String(), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_allowed_location")),
    )
    op.create_index(op.f("ix_allowed_location_location"), "allowed_location", ["location"])
    now = clock.now()
    rows = [{"id": uuid4(), "location": each, "created_at": now} for each in sorted(set(_locations()))]
    if rows:
        op.bulk_insert(ALLOWED, rows)


def downgrade() -> None:
    """Drop the table; older versions read every location."""
    op.drop_table("allowed_location")


def _locations() -> Iterator[str]:
    connection = op.get_bind()
    described = sa.select(DATASET).where(DATASET.c.id.in_(sa.select(LINK.c.dataset_id)))
    for row in connection.execute(described):
        yield row.location or _location(row.namespace, row.name)
    for row in connection.execute(sa.select(PATTERN)):
        folder = LITERAL.match(row.name)[0].rpartition("/")[0]  # type: ignore[index]
        if folder.strip("/"):
            yield _location(row.namespace, folder)


def _location(namespace: str, name: str) -> str:
    is_storage = STORAGE.match(namespace) and "://" in namespace
    return f"{namespace.rstrip('/')}/{name.lstrip('/')}" if is_storage else name
