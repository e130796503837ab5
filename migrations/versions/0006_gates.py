"""A gate publishes to a dataset: it names the bags that it keeps, and says while a publication is open."""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """No gate has kept anything yet."""
    op.add_column("partition_state", sa.Column("bag", sa.String(), nullable=True))
    op.add_column("dataset", sa.Column("publishing", sa.BigInteger(), nullable=True))


def downgrade() -> None:
    """What was published stays."""
    op.drop_column("dataset", "publishing")
    op.drop_column("partition_state", "bag")
