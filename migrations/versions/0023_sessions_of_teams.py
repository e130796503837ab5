"""Store the teams that an identity provider reported when a session was opened."""

import sqlalchemy as sa
from alembic import op

revision = "0023"
down_revision = "0022"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the column. It is empty for open sessions, which were opened with a password."""
    op.add_column("web_session", sa.Column("teams", sa.JSON(none_as_null=True), nullable=False, server_default="[]"))


def downgrade() -> None:
    """Drop the column; users of an identity provider keep only their own permissions."""
    with op.batch_alter_table("web_session") as table:
        table.drop_column("teams")
