"""Store idempotent requests with their responses, the search index, and an index on audited objects."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import TSVECTOR

revision = "0011"
down_revision = "0006"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Create the tables and the index; no idempotent request is stored yet."""
    op.create_table(
        "done_request",
        sa.Column("key", sa.String(), nullable=False),
        sa.Column("content", sa.String(), nullable=False),
        sa.Column("status", sa.Integer(), nullable=False),
        sa.Column("headers", sa.JSON(none_as_null=True), nullable=False),
        sa.Column("answer", sa.LargeBinary(), nullable=True),
        sa.Column("created", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("key", name="pk_done_request"),
    )
    op.create_index("ix_done_request_created", "done_request", ["created"])
    op.create_index("ix_audit_entry_object_id_position", "audit_entry", ["object_id", "position"])
    _search()


def _search() -> None:
    """Create the search index, which is filled when the service starts."""
    op.create_table(
        "search_entry",
        sa.Column("contract_id", sa.String(), nullable=False),
        sa.Column("shown", sa.JSON(none_as_null=True), nullable=False),
        sa.Column("words", TSVECTOR().with_variant(sa.String(), "sqlite"), nullable=True),
        sa.PrimaryKeyConstraint("contract_id", name="pk_search_entry"),
    )
    op.create_index("ix_search_entry_words", "search_entry", ["words"], postgresql_using="gin")
    op.create_table(
        "search_label",
        sa.Column("contract_id", sa.String(), nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("value", sa.String(), nullable=False),
        sa.PrimaryKeyConstraint("contract_id", "kind", "value", name="pk_search_label"),
    )
    op.create_index("ix_search_label_kind_value", "search_label", ["kind", "value"])
    if op.get_bind().dialect.name == "sqlite":
        op.execute(
            "create virtual table search_words using fts5"
            "(contract_id unindexed, names, labels, prose, prefix='2 3', tokenize='ascii')"
        )


def downgrade() -> None:
    """Drop the tables and the index; repeated requests are executed again."""
    if op.get_bind().dialect.name == "sqlite":
        op.execute("drop table search_words")
    op.drop_table("search_label")
    op.drop_table("search_entry")
    op.drop_index("ix_audit_entry_object_id_position", "audit_entry")
    op.drop_table("done_request")
