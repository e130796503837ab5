"""Store fits of programs and feedback on points, both immutable."""

import sqlalchemy as sa
from alembic import op

revision = "0024"
down_revision = "0023"
branch_labels = None
depends_on = None

REFUSED = "rows of this table are kept as they were written"
BY = ("contract_id", "object", "check_id", "created")
TABLES = ("fit", "point_mark")


def upgrade() -> None:
    """Create the tables; there are no fits yet, and feedback on incidents is stored here as well."""
    _fits()
    _marks()
    for table in TABLES:
        _guard(table)


def downgrade() -> None:
    """Drop the tables; approved limits apply again, and incidents stay as they are."""
    for table in TABLES:
        op.drop_table(table)


def _fits() -> None:
    op.create_table(
        "fit",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("contract_id", sa.String(), nullable=False),
        sa.Column("object", sa.String(), nullable=False),
        sa.Column("check_id", sa.String(), nullable=False),
        sa.Column("version", sa.String(), nullable=False),
        sa.Column("clause", sa.String(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("lower", sa.Float(), nullable=True),
        sa.Column("upper", sa.Float(), nullable=True),
        sa.Column("points", sa.Integer(), nullable=False),
        sa.Column("first", sa.String(), nullable=False),
        sa.Column("last", sa.String(), nullable=False),
        sa.Column("without", sa.JSON(none_as_null=True), nullable=False),
        sa.Column("states_version", sa.BigInteger(), nullable=False),
        sa.Column("training", sa.String(), nullable=False),
        sa.Column("judged", sa.Integer(), nullable=False),
        sa.Column("alarms", sa.JSON(none_as_null=True), nullable=False),
        sa.Column("admitted", sa.Boolean(), nullable=False),
        sa.Column("reason", sa.String(length=32), nullable=False),
        sa.Column("created", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_fit"),
        _reference("fit", "contract_id", "contract.id"),
    )
    op.create_index(
        "ix_fit_contract_id_object_check_id_created", "fit", ["contract_id", "object", "check_id", "created"]
    )


def _marks() -> None:
    op.create_table(
        "point_mark",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("contract_id", sa.String(), nullable=False),
        sa.Column("object", sa.String(), nullable=False),
        sa.Column("run_id", sa.Uuid(), nullable=False),
        sa.Column("partition", sa.String(), nullable=True),
        sa.Column("since", sa.BigInteger(), nullable=True),
        sa.Column("mark", sa.String(length=32), nullable=False),
        sa.Column("why", sa.String(), nullable=False),
        sa.Column("author_id", sa.Uuid(), nullable=False),
        sa.Column("incident_id", sa.Uuid(), nullable=True),
        sa.Column("created", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_point_mark"),
        _reference("point_mark", "contract_id", "contract.id"),
        _reference("point_mark", "run_id", "run.id"),
        _reference("point_mark", "author_id", "user.id"),
        _reference("point_mark", "incident_id", "incident.id"),
    )
    op.create_index("ix_point_mark_contract_id_object_created", "point_mark", ["contract_id", "object", "created"])
    op.create_index("ix_point_mark_incident_id", "point_mark", ["incident_id"])


def _reference(table: str, column: str, target: str) -> sa.ForeignKeyConstraint:
    name = f"fk_{table}_{column}"
    return sa.ForeignKeyConstraint([column], [target], name=name, deferrable=True, initially="DEFERRED")


def _guard(table: str) -> None:
    if op.get_context().dialect.name == "postgresql":
        for kind, when in (("", "before update or delete"), ("_whole", "before truncate")):
            each = "statement" if kind else "row"
            op.execute(
                f"create trigger {table}_kept{kind} {when} on {table} for each {each} execute function treaty_refuse()"
            )
        return
    refuse = f"begin select raise(abort, '{REFUSED}'); end"
    for event in ("update", "delete"):
        op.execute(f"create trigger {table}_kept_{event} before {event} on {table} {refuse}")
    duplicate = f"exists (select 1 from {table} as other where other.id = new.id)"
    op.execute(f"create trigger {table}_kept_insert before insert on {table} when {duplicate} {refuse}")
