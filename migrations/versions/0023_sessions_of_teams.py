"""A session has the rights of the teams that an identity provider told when it was opened."""

import sqlalchemy as sa
from alembic import op

revision = "0023"
down_revision = "0022"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Sessions that are open were opened with a password, which tells of no team."""
    op.add_column("web_session", sa.Column("teams", sa.JSON(none_as_null=True), nullable=False, server_default="[]"))


def downgrade() -> None:
    """Who signed in through a provider keeps their own rights alone."""
    with op.batch_alter_table("web_session") as table:
        table.drop_column("teams")
