"""Store the bounds of estimates whose error includes the threshold, and uncertain outcomes."""

import sqlalchemy as sa
from alembic import op

revision = "0035"
down_revision = "0032"
branch_labels = None
depends_on = None

UNCERTAIN, UNEVALUATED = "uncertain", "not_evaluated"
REASON = "the threshold lies within the error of the estimate"
RUN = sa.table("run", sa.column("id", sa.Uuid()), sa.column("verdict"), sa.column("outcome_counts", sa.JSON()))
RESULT = sa.table(
    "check_result", sa.column("run_id", sa.Uuid()), sa.column("outcome"), sa.column("reason", sa.String())
)


def upgrade() -> None:
    """Add the columns. Earlier results have no bounds: their estimates decided them."""
    with op.batch_alter_table("check_result") as table:
        table.add_column(sa.Column("lower_bound", sa.Float(), nullable=True))
        table.add_column(sa.Column("upper_bound", sa.Float(), nullable=True))


def downgrade() -> None:
    """Drop the columns; uncertain results become unevaluated ones with the reason."""
    connection = op.get_bind()
    uncertain = sa.select(RESULT.c.run_id).where(RESULT.c.outcome == UNCERTAIN)
    for run_id, counts in connection.execute(
        sa.select(RUN.c.id, RUN.c.outcome_counts).where(RUN.c.id.in_(uncertain))
    ).all():
        total = counts.pop(UNCERTAIN, 0) + counts.get(UNEVALUATED, 0)
        connection.execute(
            sa.update(RUN).where(RUN.c.id == run_id).values(outcome_counts=counts | {UNEVALUATED: total})
        )
    connection.execute(sa.update(RUN).where(RUN.c.verdict == UNCERTAIN).values(verdict=UNEVALUATED))
    connection.execute(
        sa.update(RESULT).where(RESULT.c.outcome == UNCERTAIN).values(outcome=UNEVALUATED, reason=REASON)
    )
    if connection.dialect.name == "postgresql":
        # A table with pending checks of foreign keys cannot be altered.
        op.execute("set constraints all immediate")
        op.execute("set constraints all deferred")
    with op.batch_alter_table("check_result") as table:
        table.drop_column("lower_bound")
        table.drop_column("upper_bound")
