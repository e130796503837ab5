"""Store the table profile that a drafted proposal is based on."""

import sqlalchemy as sa
from alembic import op

revision = "0022"
down_revision = "0021"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Create the table; profiles of earlier drafts are unknown."""
    op.create_table(
        "proposal_profile",
        sa.Column("proposal_id", sa.Uuid(), nullable=False),
        sa.Column("document", sa.JSON(none_as_null=True), nullable=False),
        sa.Column("created", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("proposal_id", name="pk_proposal_profile"),
        sa.ForeignKeyConstraint(
            ["proposal_id"],
            ["proposal.id"],
            name="fk_proposal_profile_proposal_id",
            deferrable=True,
            initially="DEFERRED",
        ),
    )


def downgrade() -> None:
    """Drop the table; the next draft profiles the table again."""
    op.drop_table("proposal_profile")
