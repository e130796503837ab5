"""Store the largest violations of an incident's checks, and how often they grew."""

import sqlalchemy as sa
from alembic import op

revision = "0039"
down_revision = "0038"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the columns. The extent of open incidents is unknown until their next run."""
    op.add_column("incident", sa.Column("growth_count", sa.Integer(), nullable=False, server_default="0"))
    op.add_column(
        "incident_object", sa.Column("violations", sa.JSON(none_as_null=True), nullable=False, server_default="{}")
    )


def downgrade() -> None:
    """Drop the columns; then a growing violation is not notified again."""
    op.drop_column("incident_object", "violations")
    op.drop_column("incident", "growth_count")
