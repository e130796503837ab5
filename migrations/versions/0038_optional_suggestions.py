"""Mark suggestions that add little to the proposed ones: they need no decision."""

import sqlalchemy as sa
from alembic import op

revision = "0038"
down_revision = "0037"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the column. Existing suggestions still need a decision."""
    op.add_column("proposal_suggestion", sa.Column("optional", sa.Boolean(), nullable=False, server_default=sa.false()))


def downgrade() -> None:
    """Drop the column; then every suggestion needs a decision."""
    op.drop_column("proposal_suggestion", "optional")
