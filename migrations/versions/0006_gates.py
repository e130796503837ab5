"""Record the state bags that a gate stores and the open publication of a dataset."""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the columns; no gate has stored anything yet."""
    op.add_column("partition_state", sa.Column("bag", sa.String(), nullable=True))
    op.add_column("dataset", sa.Column("publishing", sa.BigInteger(), nullable=True))


def downgrade() -> None:
    """Drop the columns; published data stays."""
    op.drop_column("dataset", "publishing")
    op.drop_column("partition_state", "bag")
