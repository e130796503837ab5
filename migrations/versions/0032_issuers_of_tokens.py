"""Store with which token an API token was issued."""

import sqlalchemy as sa
from alembic import op

revision = "0032"
down_revision = "0028"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the column. Tokens issued before are treated as issued in a session."""
    with op.batch_alter_table("api_token") as table:
        table.add_column(sa.Column("issuer_id", sa.Uuid(), nullable=True))
        table.create_foreign_key(
            "fk_api_token_issuer_id", "api_token", ["issuer_id"], ["id"], deferrable=True, initially="DEFERRED"
        )
        table.create_index("ix_api_token_issuer_id", ["issuer_id"])


def downgrade() -> None:
    """Drop the column; tokens no longer end with their issuer."""
    with op.batch_alter_table("api_token") as table:
        table.drop_index("ix_api_token_issuer_id")
        table.drop_constraint("fk_api_token_issuer_id", type_="foreignkey")
        table.drop_column("issuer_id")
