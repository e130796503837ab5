"""Version the states of a dataset: record when each generation of a partition was current."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None

ONE_CURRENT, EACH_ONCE = "uq_partition_state_dataset_id_partition", "uq_partition_state_dataset_id_partition_generation"


def upgrade() -> None:
    """Add the columns. Stored states are current since the first counted version."""
    op.add_column("dataset", sa.Column("states_version", sa.BigInteger(), nullable=False, server_default="1"))
    op.add_column("run", sa.Column("states_version", sa.BigInteger(), nullable=True))
    with op.batch_alter_table("partition_state") as table:
        table.add_column(sa.Column("since", sa.BigInteger(), nullable=False, server_default="1"))
        table.add_column(sa.Column("until", sa.BigInteger(), nullable=True))
        table.add_column(sa.Column("ended", sa.DateTime(timezone=True), nullable=True))
        table.drop_constraint(ONE_CURRENT, type_="unique")
        table.create_unique_constraint(EACH_ONCE, ["dataset_id", "partition", "generation"])
    op.create_index("ix_partition_state_dataset_id_until", "partition_state", ["dataset_id", "until"])


def downgrade() -> None:
    """Drop the columns and all states except the current ones."""
    op.execute("DELETE FROM partition_state WHERE until IS NOT NULL")
    op.drop_index("ix_partition_state_dataset_id_until", "partition_state")
    with op.batch_alter_table("partition_state") as table:
        table.drop_constraint(EACH_ONCE, type_="unique")
        table.create_unique_constraint(ONE_CURRENT, ["dataset_id", "partition"])
        for name in ("ended", "until", "since"):
            table.drop_column(name)
    op.drop_column("run", "states_version")
    op.drop_column("dataset", "states_version")
