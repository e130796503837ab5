"""Add the lineage graph, incidents with their downstream impact, and detected consumers."""

import sqlalchemy as sa
from alembic import op

revision = "0016"
down_revision = "0018"
branch_labels = None
depends_on = None

TABLES = ("guessed_consumer", "incident_reach", "incident_part", "incident", "lineage_edge", "lineage_job")


def upgrade() -> None:
    """Create the tables. Earlier events are not processed again; each job's next run fills the graph."""
    _graph()
    _incidents()
    _parts()
    _reach()
    _guesses()


def downgrade() -> None:
    """Drop the tables. The next runs fill the graph again; incidents are lost."""
    for table in TABLES:
        op.drop_table(table)


def _graph() -> None:
    op.create_table(
        "lineage_job",
        sa.Column("id", sa.Uuid(), nullable=False),
        *_texts("namespace", "name"),
        sa.Column("grade", sa.Integer(), nullable=False),
        _time("moment"),
        *_texts("run_id", "flow"),
        _data("declared", nullable=True),
        sa.Column("ours", sa.Boolean(), nullable=False),
        _data("owners"),
        sa.PrimaryKeyConstraint("id", name="pk_lineage_job"),
        sa.UniqueConstraint("namespace", "name", name="uq_lineage_job_namespace_name"),
    )
    op.create_table(
        "lineage_edge",
        sa.Column("job_id", sa.Uuid(), nullable=False),
        sa.Column("direction", sa.String(32), nullable=False),
        *_texts("namespace", "name"),
        _data("feeds"),
        _data("sources", nullable=True),
        _data("owners"),
        sa.PrimaryKeyConstraint("job_id", "direction", "namespace", "name", name="pk_lineage_edge"),
        _reference("lineage_edge", "job_id", "lineage_job"),
    )
    op.create_index("ix_lineage_edge_namespace_name", "lineage_edge", ["namespace", "name"])


def _incidents() -> None:
    references = {
        "contract_id": "contract",
        "dataset_id": "dataset",
        "acknowledged_by_id": "user",
        "assignee_id": "user",
        "resolved_by_id": "user",
        "duplicate_of": "incident",
    }
    op.create_table(
        "incident",
        sa.Column("id", sa.Uuid(), nullable=False),
        *_texts("contract_id", "object"),
        sa.Column("dataset_id", sa.Uuid(), nullable=True),
        sa.Column("state", sa.String(32), nullable=False),
        sa.Column("revision", sa.Integer(), nullable=False),
        *(_time(name) for name in ("opened", "changed", "since")),
        sa.Column("data_version", sa.String(), nullable=True),
        _data("columns", nullable=True),
        _time("recovered", nullable=True),
        sa.Column("reopened", sa.Integer(), nullable=False),
        *(sa.Column(name, sa.Uuid(), nullable=True) for name in ("acknowledged_by_id", "assignee_id")),
        _time("snoozed_until", nullable=True),
        sa.Column("resolution", sa.String(32), nullable=True),
        _time("resolved", nullable=True),
        sa.Column("resolved_by_id", sa.Uuid(), nullable=True),
        sa.Column("comment", sa.String(), nullable=True),
        sa.Column("duplicate_of", sa.Uuid(), nullable=True),
        sa.PrimaryKeyConstraint("id", name="pk_incident"),
        *(_reference("incident", column, target) for column, target in references.items()),
    )
    op.create_index("ix_incident_contract_id_object", "incident", ["contract_id", "object"])
    for column in ("state", "assignee_id"):
        op.create_index(f"ix_incident_{column}", "incident", [column])


def _parts() -> None:
    references = {
        "incident_id": "incident",
        "contract_id": "contract",
        "first_run_id": "run",
        "last_run_id": "run",
    }
    op.create_table(
        "incident_part",
        sa.Column("incident_id", sa.Uuid(), nullable=False),
        *_texts("contract_id", "object"),
        sa.Column("active", sa.Boolean(), nullable=True),
        *_texts("version"),
        _data("failing"),
        *(sa.Column(name, sa.Uuid(), nullable=False) for name in ("first_run_id", "last_run_id")),
        _time("joined"),
        _time("recovered", nullable=True),
        sa.PrimaryKeyConstraint("incident_id", "contract_id", "object", name="pk_incident_part"),
        sa.UniqueConstraint("contract_id", "object", "active", name="uq_incident_part_contract_id_object_active"),
        *(_reference("incident_part", column, target) for column, target in references.items()),
    )


def _reach() -> None:
    op.create_table(
        "incident_reach",
        sa.Column("incident_id", sa.Uuid(), nullable=False),
        *_texts("namespace", "name", "node_namespace", "node_name"),
        sa.Column("distance", sa.Integer(), nullable=False),
        sa.Column("spread", sa.String(32), nullable=False),
        *(sa.Column(name, sa.Boolean(), nullable=False) for name in ("direct", "coarse")),
        _time("since", nullable=True),
        _data("path"),
        sa.PrimaryKeyConstraint("incident_id", "namespace", "name", name="pk_incident_reach"),
        _reference("incident_reach", "incident_id", "incident"),
    )
    op.create_index("ix_incident_reach_namespace_name", "incident_reach", ["namespace", "name"])


def _guesses() -> None:
    references = {"contract_id": "contract", "subscription_id": "subscription", "decided_by_id": "user"}
    op.create_table(
        "guessed_consumer",
        *_texts("contract_id", "job_namespace", "job_name"),
        sa.Column("state", sa.String(32), nullable=False),
        sa.Column("subscription_id", sa.Uuid(), nullable=True),
        _time("decided"),
        sa.Column("decided_by_id", sa.Uuid(), nullable=False),
        sa.PrimaryKeyConstraint("contract_id", "job_namespace", "job_name", name="pk_guessed_consumer"),
        *(_reference("guessed_consumer", column, target) for column, target in references.items()),
    )


def _texts(*names: str) -> list[sa.Column]:
    return [sa.Column(name, sa.String(), nullable=False) for name in names]


def _time(name: str, *, nullable: bool = False) -> sa.Column:
    return sa.Column(name, sa.DateTime(timezone=True), nullable=nullable)


def _data(name: str, *, nullable: bool = False) -> sa.Column:
    return sa.Column(name, sa.JSON(none_as_null=True), nullable=nullable)


def _reference(table: str, column: str, target: str) -> sa.ForeignKeyConstraint:
    name = f"fk_{table}_{column}"
    return sa.ForeignKeyConstraint([column], [f"{target}.id"], name=name, deferrable=True, initially="DEFERRED")
