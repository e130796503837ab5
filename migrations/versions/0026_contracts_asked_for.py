"""Add requests for contracts of datasets that have none."""

import sqlalchemy as sa
from alembic import op

revision = "0026"
down_revision = "0025"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Create the table; there are no requests yet."""
    op.create_table(
        "contract_request",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("namespace", sa.String(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("author_id", sa.Uuid(), nullable=False),
        sa.Column("why", sa.String(), nullable=False),
        sa.Column("created", sa.DateTime(timezone=True), nullable=False),
        sa.Column("ended", sa.DateTime(timezone=True), nullable=True),
        sa.Column("reason", sa.String(), nullable=True),
        sa.PrimaryKeyConstraint("id", name="pk_contract_request"),
        sa.ForeignKeyConstraint(
            ["author_id"],
            ["user.id"],
            name="fk_contract_request_author_id",
            deferrable=True,
            initially="DEFERRED",
        ),
    )
    op.create_index("ix_contract_request_namespace_name", "contract_request", ["namespace", "name"])


def downgrade() -> None:
    """Drop the table; contract requests are lost."""
    op.drop_table("contract_request")
