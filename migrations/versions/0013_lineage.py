"""Store details of lineage events: names, failed or unfinished runs, and due validations."""

import sqlalchemy as sa
from alembic import op

revision = "0013"
down_revision = "0017"
branch_labels = None
depends_on = None

COLUMNS = {
    "inbox_event": (("diagnostics", sa.JSON(none_as_null=True), "[]"),),
    "lineage_run": (
        ("parent_id", sa.String(), None),
        ("root_id", sa.String(), None),
        ("awaited", sa.Boolean(), sa.false()),
    ),
    "dataset": (("written", sa.DateTime(timezone=True), None), ("dropped", sa.DateTime(timezone=True), None)),
    "run": (("superseded", sa.String(), None),),
    "dirty_mark": (
        ("told", sa.JSON(none_as_null=True), "[]"),
        ("task_id", sa.Uuid(), None),
        ("priority", sa.Integer(), "5"),
        ("quiet_seconds", sa.Float(), "0"),
        ("floor", sa.DateTime(timezone=True), None),
        ("quiet_until", sa.DateTime(timezone=True), None),
        ("due", sa.DateTime(timezone=True), None),
        ("streamed", sa.DateTime(timezone=True), None),
        ("waits_for", sa.String(), None),
    ),
}
INDEXES = (
    ("ix_lineage_run_parent_id", "lineage_run", ["parent_id"]),
    ("ix_lineage_run_awaited_updated", "lineage_run", ["awaited", "updated"]),
    ("ix_run_lineage_run_id", "run", ["lineage_run_id"]),
    ("ix_dirty_mark_waits_for", "dirty_mark", ["waits_for"]),
)


def upgrade() -> None:
    """Create the tables and columns; earlier events contribute only what was stored."""
    for table, columns in COLUMNS.items():
        for name, kind, default in columns:
            op.add_column(table, sa.Column(name, kind, nullable=default is None, server_default=default))
    for name, table, columns in INDEXES:
        op.create_index(name, table, columns)
    _names()
    _marks()


def downgrade() -> None:
    """Drop the tables and columns; names are learned again from new events."""
    for table in ("suspect_mark", "unmatched_dataset", "name_pattern", "name_link"):
        op.drop_table(table)
    for name, table, _ in INDEXES:
        op.drop_index(name, table)
    for table, columns in COLUMNS.items():
        for name, *_ in columns:
            op.drop_column(table, name)


def _names() -> None:
    pair = ("one_namespace", "one_name", "other_namespace", "other_name")
    op.create_table(
        "name_link",
        *(sa.Column(name, sa.String(), nullable=False) for name in pair),
        sa.Column("first_seen", sa.DateTime(timezone=True), nullable=False),
        sa.Column("last_seen", sa.DateTime(timezone=True), nullable=False),
        sa.Column("refused", sa.String(), nullable=True),
        sa.PrimaryKeyConstraint(*pair, name="pk_name_link"),
    )
    op.create_index("ix_name_link_other_namespace_other_name", "name_link", ["other_namespace", "other_name"])
    op.create_index("ix_name_link_last_seen", "name_link", ["last_seen"])
    key = ("contract_id", "object", "namespace", "name")
    op.create_table(
        "name_pattern",
        *(sa.Column(name, sa.String(), nullable=False) for name in key),
        sa.Column("regex", sa.Boolean(), nullable=False),
        _reference("name_pattern", "contract_id", "contract.id"),
        sa.PrimaryKeyConstraint(*key, name="pk_name_pattern"),
    )


def _marks() -> None:
    op.create_table(
        "unmatched_dataset",
        sa.Column("namespace", sa.String(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("first_seen", sa.DateTime(timezone=True), nullable=False),
        sa.Column("last_seen", sa.DateTime(timezone=True), nullable=False),
        sa.Column("times", sa.Integer(), nullable=False),
        sa.Column("lineage_run_id", sa.Uuid(), nullable=True),
        sa.Column("told", sa.JSON(none_as_null=True), nullable=False),
        _reference("unmatched_dataset", "lineage_run_id", "lineage_run.id"),
        sa.PrimaryKeyConstraint("namespace", "name", name="pk_unmatched_dataset"),
    )
    op.create_index("ix_unmatched_dataset_last_seen", "unmatched_dataset", ["last_seen"])
    op.create_table(
        "suspect_mark",
        sa.Column("dataset_id", sa.Uuid(), nullable=False),
        sa.Column("partition", sa.String(), nullable=False),
        sa.Column("lineage_run_id", sa.Uuid(), nullable=False),
        sa.Column("since", sa.DateTime(timezone=True), nullable=False),
        sa.Column("why", sa.String(), nullable=False),
        _reference("suspect_mark", "dataset_id", "dataset.id"),
        _reference("suspect_mark", "lineage_run_id", "lineage_run.id"),
        sa.PrimaryKeyConstraint("dataset_id", "partition", "lineage_run_id", name="pk_suspect_mark"),
    )


def _reference(table: str, column: str, target: str) -> sa.ForeignKeyConstraint:
    name = f"fk_{table}_{column}"
    return sa.ForeignKeyConstraint([column], [target], name=name, deferrable=True, initially="DEFERRED")
