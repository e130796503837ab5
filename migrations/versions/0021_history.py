"""Measurements say of what time and segment their data are, results which band a detector told, runs their tags."""

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
    """What was measured before is told by the names of its partitions, as it is read."""
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
    """Bands and tags are lost; the rest partitions' names tell again."""
    op.drop_table("run_tag")
    for table, name, _ in reversed(COLUMNS):
        op.drop_column(table, name)
