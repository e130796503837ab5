"""An answer is given again to who has the rights it was given by; runs of a consumer's checks are found as such."""

import sqlalchemy as sa
from alembic import op

revision = "0018"
down_revision = "0012"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Of requests that were done before, nobody knows by which rights: their answers are not given again."""
    op.add_column("done_request", sa.Column("rights", sa.String(), nullable=True))
    op.create_index("ix_run_subscription_id_id", "run", ["subscription_id", "id"])


def downgrade() -> None:
    """Answers are given again to whoever sends the request."""
    op.drop_index("ix_run_subscription_id_id", "run")
    op.drop_column("done_request", "rights")
