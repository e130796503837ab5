"""Bind stored responses to permissions, and add team subscriptions and templates.

Runs of consumer checks get an index."""

import sqlalchemy as sa
from alembic import op

revision = "0018"
down_revision = "0019"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the columns and the table.

    The permissions of earlier requests are unknown, so their responses are not returned again."""
    op.add_column("done_request", sa.Column("rights", sa.String(), nullable=True))
    op.add_column("subscription", sa.Column("team_id", sa.Uuid(), nullable=True))
    op.create_index("ix_subscription_team_id", "subscription", ["team_id"])
    op.create_index("ix_run_subscription_id_id", "run", ["subscription_id", "id"])
    op.create_table(
        "template",
        *(sa.Column(name, sa.String(), nullable=False) for name in ("name", "about", "document")),
        sa.Column("owner_id", sa.Uuid(), nullable=False),
        sa.Column("created", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("name", name="pk_template"),
        sa.ForeignKeyConstraint(
            ["owner_id"], ["user.id"], name="fk_template_owner_id", deferrable=True, initially="DEFERRED"
        ),
    )
    op.create_index("ix_template_owner_id", "template", ["owner_id"])


def downgrade() -> None:
    """Drop the columns and the table; a team's subscription becomes its subscriber's own."""
    op.drop_table("template")
    op.drop_index("ix_run_subscription_id_id", "run")
    op.drop_index("ix_subscription_team_id", "subscription")
    op.drop_column("subscription", "team_id")
    op.drop_column("done_request", "rights")
