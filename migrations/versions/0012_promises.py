"""Allow several contracts for a dataset, and index runs by what they validated.

Runs and measurements of consumer checks refer to their subscription."""

import sqlalchemy as sa
from alembic import op

revision = "0012"
down_revision = "0007"
branch_labels = None
depends_on = None

LINK = "dataset_contract"
# An older version of the service supports one contract for a dataset: the first by name.
ONE = f"(SELECT min({{}}) FROM {LINK} AS link WHERE link.dataset_id = dataset.id{{}})"
COLUMNS = "id, namespace, name, location, format, partition_by, states_version, publishing"
BACKUP = "dataset_before"


def upgrade() -> None:
    """Move the contract of each dataset to a row of the link table."""
    op.create_table(
        LINK,
        sa.Column("dataset_id", sa.Uuid(), nullable=False),
        sa.Column("contract_id", sa.String(), nullable=False),
        sa.Column("object", sa.String(), nullable=False),
        *(_reference(LINK, name) for name in ("contract", "dataset")),
        sa.PrimaryKeyConstraint("dataset_id", "contract_id", "object", name=f"pk_{LINK}"),
    )
    op.create_index(f"ix_{LINK}_contract_id", LINK, ["contract_id"])
    test = "contract_id IS NOT NULL AND object IS NOT NULL"
    op.execute(
        f"INSERT INTO {LINK} (dataset_id, contract_id, object) SELECT id, contract_id, object FROM dataset WHERE {test}"
    )
    _without_contract()
    op.create_index("ix_dataset_name", "dataset", ["name"])
    for name in ("run", "measurement"):
        op.add_column(name, sa.Column("subscription_id", sa.Uuid(), nullable=True))
    op.drop_index("ix_run_dataset_id", "run")
    op.create_index("ix_run_dataset_id_contract_id_object_id", "run", ["dataset_id", "contract_id", "object", "id"])


def downgrade() -> None:
    """Keep the first contract of each dataset, and delete the runs of consumer checks."""
    _drop_consumers()
    op.drop_index("ix_run_dataset_id_contract_id_object_id", "run")
    op.create_index("ix_run_dataset_id", "run", ["dataset_id"])
    op.drop_index("ix_dataset_name", "dataset")
    _with_contract()
    op.execute(f"UPDATE dataset SET contract_id = {ONE.format('contract_id', '')}")
    op.execute(f"UPDATE dataset SET object = {ONE.format('object', ' AND link.contract_id = dataset.contract_id')}")
    _check_references()
    op.create_index("ix_dataset_contract_id", "dataset", ["contract_id"])
    op.drop_table(LINK)


def _without_contract() -> None:
    column = sa.Column("seen", sa.DateTime(timezone=True), nullable=True)
    if _on_sqlite():
        _rebuild(column)
        return
    for name in ("contract_id", "object"):
        op.drop_column("dataset", name)
    op.add_column("dataset", column)


def _with_contract() -> None:
    columns = [sa.Column(name, sa.String(), nullable=True) for name in ("contract_id", "object")]
    if _on_sqlite():
        _rebuild(*columns, _reference("dataset", "contract"))
        return
    op.drop_column("dataset", "seen")
    for each in columns:
        op.add_column("dataset", each)
    op.create_foreign_key(
        "fk_dataset_contract_id", "dataset", "contract", ["contract_id"], ["id"], deferrable=True, initially="DEFERRED"
    )


def _rebuild(*more: sa.Column | sa.ForeignKeyConstraint) -> None:
    """Create the dataset table again, because SQLite cannot drop a column with a foreign key.

    References from other tables are valid again once the rows are back in a table of the same name."""
    op.execute(f"CREATE TABLE {BACKUP} AS SELECT {COLUMNS} FROM dataset")
    op.drop_table("dataset")
    op.create_table(
        "dataset",
        sa.Column("id", sa.Uuid(), nullable=False),
        *(sa.Column(name, sa.String(), nullable=False) for name in ("namespace", "name")),
        *(sa.Column(name, sa.String(), nullable=True) for name in ("location", "format")),
        sa.Column("partition_by", sa.JSON(), nullable=False),
        sa.Column("states_version", sa.BigInteger(), nullable=False, server_default="1"),
        sa.Column("publishing", sa.BigInteger(), nullable=True),
        *more,
        sa.PrimaryKeyConstraint("id", name="pk_dataset"),
        sa.UniqueConstraint("namespace", "name", name="uq_dataset_namespace_name"),
    )
    op.execute(f"INSERT INTO dataset ({COLUMNS}) SELECT {COLUMNS} FROM {BACKUP}")
    op.drop_table(BACKUP)


def _drop_consumers() -> None:
    mine = "run_id IN (SELECT id FROM run WHERE subscription_id IS NOT NULL)"
    for name in ("result", "sample", "measurement"):
        op.execute(f"DELETE FROM {name} WHERE {mine}")
    op.execute("DELETE FROM run WHERE subscription_id IS NOT NULL")
    _check_references()
    for name in ("run", "measurement"):
        op.drop_column(name, "subscription_id")


def _check_references() -> None:
    """Check deferred references now: PostgreSQL alters no table with pending checks."""
    if not _on_sqlite():
        for when in ("IMMEDIATE", "DEFERRED"):
            op.execute(f"SET CONSTRAINTS ALL {when}")


def _reference(table: str, name: str) -> sa.ForeignKeyConstraint:
    return sa.ForeignKeyConstraint(
        [f"{name}_id"], [f"{name}.id"], name=f"fk_{table}_{name}_id", deferrable=True, initially="DEFERRED"
    )


def _on_sqlite() -> bool:
    return op.get_context().dialect.name == "sqlite"
