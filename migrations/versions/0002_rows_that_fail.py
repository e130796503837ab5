"""Store row counts of results, and samples of violating rows."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None

ADDED = (
    ("result", "found", sa.String()),
    ("result", "counted", sa.BigInteger()),
    ("result", "broken", sa.BigInteger()),
    ("result", "bound", sa.JSON()),
    ("result", "reference", sa.JSON()),
    ("measurement", "counted", sa.BigInteger()),
    ("measurement", "details", sa.JSON()),
)


def upgrade() -> None:
    """Add the columns, empty for existing runs, and the table of samples."""
    for table, name, kind in ADDED:
        op.add_column(table, sa.Column(name, kind, nullable=True))
    # Earlier runs could evaluate each row, or did not record otherwise.
    op.add_column("result", sa.Column("unevaluated", sa.BigInteger(), nullable=False, server_default="0"))
    op.create_table(
        "sample",
        sa.Column("run_id", sa.Uuid(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False, autoincrement=False),
        sa.Column("check_id", sa.String(), nullable=False),
        sa.Column("columns", sa.JSON(), nullable=False),
        sa.Column("masked", sa.JSON(), nullable=False),
        sa.Column("rows", sa.JSON(), nullable=False),
        sa.Column("expires", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("run_id", "position", name="pk_sample"),
        sa.ForeignKeyConstraint(["run_id"], ["run.id"], name="fk_sample_run_id", deferrable=True, initially="DEFERRED"),
    )
    op.create_index("ix_sample_expires", "sample", ["expires"])


def downgrade() -> None:
    """Drop the samples and the columns."""
    op.drop_table("sample")
    op.drop_column("result", "unevaluated")
    for table, name, _ in ADDED:
        op.drop_column(table, name)
