"""Add connections to metadata catalogs, their facts, and the links that they state."""

import sqlalchemy as sa
from alembic import op

revision = "0041"
down_revision = "0040"
branch_labels = None
depends_on = None

CURRENT = sa.text("superseded_at IS NULL")
TIME = sa.DateTime(timezone=True)
TABLES = ("catalog_alias", "catalog_table", "catalog_connection")


def upgrade() -> None:
    """Create the tables."""
    op.create_table(
        "catalog_connection",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("address", sa.String(), nullable=False),
        sa.Column("secret", sa.String(), nullable=True),
        *(sa.Column(each, sa.JSON(none_as_null=True), nullable=False) for each in ("options", "namespaces", "writes")),
        sa.Column("private", sa.Boolean(), nullable=False),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.Column("state", sa.String(32), nullable=False),
        sa.Column("error", sa.String(), nullable=True),
        sa.Column("failures", sa.Integer(), nullable=False),
        sa.Column("checked_at", TIME, nullable=True),
        sa.Column("succeeded_at", TIME, nullable=True),
        sa.Column("next_read_at", TIME, nullable=False),
        sa.Column("created_at", TIME, nullable=False),
        sa.Column("created_by", sa.String(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_catalog_connection")),
        sa.UniqueConstraint("name", name=op.f("uq_catalog_connection_name")),
    )
    op.create_index(op.f("ix_catalog_connection_next_read_at"), "catalog_connection", ["next_read_at"])
    _create_facts()
    _create_aliases()


def downgrade() -> None:
    """Drop the tables with all facts."""
    for each in TABLES:
        op.drop_table(each)


def _create_facts() -> None:
    op.create_table(
        "catalog_table",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("connection_id", sa.Uuid(), nullable=False),
        *(
            sa.Column(each, sa.String(), nullable=False)
            for each in ("identifier", "namespace", "name", "token", "fingerprint")
        ),
        sa.Column("facts", sa.JSON(none_as_null=True), nullable=False),
        sa.Column("read_at", TIME, nullable=False),
        sa.Column("confirmed_at", TIME, nullable=False),
        sa.Column("superseded_at", TIME, nullable=True),
        sa.Column("dropped_at", TIME, nullable=True),
        _to_connection("catalog_table"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_catalog_table")),
    )
    op.create_index(
        op.f("ix_catalog_table_connection_id_identifier"), "catalog_table", ["connection_id", "identifier"],
        unique=True, sqlite_where=CURRENT, postgresql_where=CURRENT,
    )  # fmt: skip
    _index("catalog_table", "connection_id", "identifier", "read_at")
    _index("catalog_table", "namespace", "name")


def _create_aliases() -> None:
    names = ("identifier", "one_namespace", "one_name", "other_namespace", "other_name")
    op.create_table(
        "catalog_alias",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("connection_id", sa.Uuid(), nullable=False),
        *(sa.Column(each, sa.String(), nullable=False) for each in names),
        sa.Column("first_seen_at", TIME, nullable=False),
        sa.Column("conflict", sa.String(), nullable=True),
        _to_connection("catalog_alias"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_catalog_alias")),
    )
    _index("catalog_alias", "connection_id", "identifier")
    _index("catalog_alias", "one_namespace", "one_name")
    _index("catalog_alias", "other_namespace", "other_name")


def _to_connection(table: str) -> sa.ForeignKeyConstraint:
    return sa.ForeignKeyConstraint(
        ["connection_id"], ["catalog_connection.id"], name=op.f(f"fk_{table}_connection_id"),
        initially="DEFERRED", deferrable=True,
    )  # fmt: skip


def _index(table: str, *columns: str) -> None:
    op.create_index(op.f(f"ix_{table}_{'_'.join(columns)}"), table, list(columns))
