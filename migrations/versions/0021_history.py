"""Add time and segment of measurements, bands of results, and tags of runs."""

import sqlalchemy as sa
from alembic import op

revision = "0021"
down_revision = "0020"
branch_labels = None
depends_on = None

COLUMNS = (
    ("measurement", "data_time", sa.DateTime(timezone=True)),
    ("measurement", "segment", sa.String()),
    ("result", "band", sa.JSON()),
)


def upgrade() -> None:
    """Add the columns and the table. For earlier measurements, partition names supply the values."""
    for table, name, kind in COLUMNS:
        op.add_column(table, sa.Column(name, kind, nullable=True))
    op.create_table(
        "run_tag",
        sa.Column(
            "run_id",
            sa.Uuid(),
            sa.ForeignKey("run.id", name="fk_run_tag_run_id", deferrable=True, initially="DEFERRED"),
            nullable=False,
        ),
        sa.Column("tag", sa.String(), nullable=False),
        sa.PrimaryKeyConstraint("run_id", "tag", name="pk_run_tag"),
    )
    op.create_index("ix_run_tag_tag", "run_tag", ["tag"])


def downgrade() -> None:
    """Drop the columns and the table; bands and tags are lost."""
    op.drop_table("run_tag")
    for table, name, _ in reversed(COLUMNS):
        op.drop_column(table, name)
