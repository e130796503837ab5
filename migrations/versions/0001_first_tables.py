"""Create the first tables."""

from collections.abc import Mapping, Sequence
from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None

KINDS = {
    "id": sa.Uuid(), "text": sa.String(), "word": sa.String(32), "time": sa.DateTime(timezone=True),
    "integer": sa.Integer(), "big": sa.BigInteger(), "float": sa.Float(), "boolean": sa.Boolean(),
    "bytes": sa.LargeBinary(), "json": sa.JSON(),
}  # fmt: skip

REFUSED = "rows of this table are kept as they were written"
IMMUTABLE = "id, contract_id, version, body, fingerprint, proposal_id, approved_by_id, approved_at"
POSTGRES_GUARDS = (
    f"create function treaty_refuse() returns trigger language plpgsql as $$ begin raise exception '{REFUSED}'; end $$",
    "create trigger audit_entry_kept before update or delete on audit_entry "
    "for each row execute function treaty_refuse()",
    f"create trigger contract_version_kept before update of {IMMUTABLE} or delete on contract_version "
    "for each row execute function treaty_refuse()",
)
SQLITE_GUARDS = (
    f"create trigger audit_entry_kept_update before update on audit_entry begin select raise(abort, '{REFUSED}'); end",
    f"create trigger audit_entry_kept_delete before delete on audit_entry begin select raise(abort, '{REFUSED}'); end",
    f"create trigger contract_version_kept_update before update of {IMMUTABLE} on contract_version "
    f"begin select raise(abort, '{REFUSED}'); end",
    f"create trigger contract_version_kept_delete before delete on contract_version "
    f"begin select raise(abort, '{REFUSED}'); end",
)
DROPPED = (
    "partition_state measurement result run dirty_mark dataset contract_version contract suggestion "
    "proposal task lineage_run rejected_event inbox_event audit_entry setup_token web_session api_token "
    "user"
)


def upgrade() -> None:
    """Create the tables in the order of their references, then the guard triggers.

    The triggers make audit entries and contract versions immutable."""
    for create in (_people, _lineage, _tasks, _proposals, _contracts, _runs):
        create()
    for statement in POSTGRES_GUARDS if _on_postgres() else SQLITE_GUARDS:
        op.execute(statement)


def downgrade() -> None:
    """Drop everything."""
    for table in DROPPED.split():
        op.drop_table(table)
    if _on_postgres():
        op.execute("drop function treaty_refuse()")


def _on_postgres() -> bool:
    return op.get_context().dialect.name == "postgresql"


def _table(
    name: str,
    columns: str,
    *,
    key: Sequence[str] = ("id",),
    unique: Sequence[Sequence[str]] = (),
    refers: Mapping[str, str] | None = None,
    index: Sequence[Sequence[str]] = (),
) -> None:
    op.create_table(
        name,
        *map(_column, columns.split()),
        sa.PrimaryKeyConstraint(*key, name=f"pk_{name}"),
        *(sa.UniqueConstraint(*each, name=f"uq_{name}_{'_'.join(each)}") for each in unique),
        *(_reference(name, column, target) for column, target in (refers or {}).items()),
    )
    for each in index:
        op.create_index(f"ix_{name}_{'_'.join(each)}", name, each)


def _column(words: str) -> sa.Column[Any]:
    name, kind = words.rstrip("?").split(":")
    return sa.Column(name, KINDS[kind], nullable=words.endswith("?"), autoincrement=False)


def _reference(table: str, column: str, target: str) -> sa.ForeignKeyConstraint:
    name = f"fk_{table}_{column}"
    return sa.ForeignKeyConstraint([column], [f"{target}.id"], name=name, deferrable=True, initially="DEFERRED")


def _people() -> None:
    _table(
        "user",
        "id:id name:text password_hash:text? roles:json active:boolean created:time",
        unique=(("name",),),
    )
    _table(
        "api_token",
        "id:id prefix:text secret_sha256:text user_id:id name:text scopes:json created:time expires:time? "
        "last_used:time? revoked:time?",
        unique=(("prefix",),),
        refers={"user_id": "user"},
        index=(("user_id",),),
    )
    _table(
        "web_session",
        "id:id secret_sha256:text user_id:id created:time expires:time",
        unique=(("secret_sha256",),),
        refers={"user_id": "user"},
        index=(("user_id",),),
    )
    _table(
        "setup_token",
        "id:id secret_sha256:text created:time expires:time used:time?",
        unique=(("secret_sha256",),),
    )
    _table(
        "audit_entry",
        "position:integer time:time actor:text action:word object_type:text object_id:text details:json "
        "previous_hash:text hash:text",
        key=("position",),
        index=(("time",),),
    )


def _lineage() -> None:
    _table(
        "inbox_event",
        "id:id key:text received:time body:bytes original_sha256:text original_size:big producer:text "
        "state:word duplicates:integer attempts:integer error:text?",
        unique=(("key",),),
        index=(("received",), ("state",)),
    )
    _table(
        "rejected_event",
        "id:id time:time producer:text status:integer reason:text body:bytes",
        index=(("time",),),
    )
    _table(
        "lineage_run",
        "id:id job_namespace:text job_name:text run_id:text state:json failed:boolean ended:boolean "
        "started:time? finished:time? updated:time",
        unique=(("job_namespace", "job_name", "run_id"),),
        index=(("run_id",),),
    )


def _tasks() -> None:
    _table(
        "task",
        "id:id kind:text payload:json key:text state:word priority:integer attempts:integer fence:integer "
        "worker:text? lease_until:time? available_at:time progress:text? error:text? result:json? "
        "created:time finished:time?",
        unique=(("key",),),
        index=(("state", "priority", "available_at"),),
    )


def _proposals() -> None:
    _table(
        "proposal",
        "id:id contract_id:text title:text base:bytes source:json? author_id:id state:word revision:integer "
        "task_id:id? comment:text? reason:text? created:time decided_by_id:id? decided_at:time?",
        refers={"author_id": "user", "decided_by_id": "user", "task_id": "task"},
        index=(("author_id",), ("contract_id",), ("state",), ("task_id",)),
    )
    _table(
        "suggestion",
        "id:id proposal_id:id identity:text position:integer content:json decision:word reason:text? "
        "rejected_before:boolean decided_by_id:id? decided_at:time?",
        unique=(("proposal_id", "identity"),),
        refers={"decided_by_id": "user", "proposal_id": "proposal"},
        index=(("identity",),),
    )


def _contracts() -> None:
    _table(
        "contract",
        "id:text name:text owner_id:id active_version:text? created:time",
        refers={"owner_id": "user"},
        index=(("owner_id",),),
    )
    _table(
        "contract_version",
        "id:id contract_id:text version:text body:bytes fingerprint:text state:word proposal_id:id? "
        "approved_by_id:id approved_at:time",
        unique=(("contract_id", "version"),),
        refers={"approved_by_id": "user", "contract_id": "contract", "proposal_id": "proposal"},
        index=(("proposal_id",),),
    )
    _table(
        "dataset",
        "id:id namespace:text name:text contract_id:text? object:text? location:text? format:text? partition_by:json",
        unique=(("namespace", "name"),),
        refers={"contract_id": "contract"},
        index=(("contract_id",),),
    )
    _table(
        "dirty_mark",
        "contract_id:text object:text dirty_seq:integer done_seq:integer",
        key=("contract_id", "object"),
        refers={"contract_id": "contract"},
    )


def _runs() -> None:
    _table(
        "run",
        "id:id contract_id:text version:text fingerprint:text object:text dataset_id:id? partitions:json "
        "verdict:word counts:json rows:big? started:time finished:time task_id:id? lineage_run_id:id? "
        "marker:text? reason:text?",
        refers={"contract_id": "contract", "dataset_id": "dataset", "lineage_run_id": "lineage_run", "task_id": "task"},
        index=(("contract_id", "finished"), ("dataset_id",), ("task_id",)),
    )
    _table(
        "result",
        "run_id:id position:integer check_id:text name:text outcome:word severity:text scope:text "
        "partition:text? sentence:text column:text? dimension:text? value:text? reason:text? "
        "measurement:text?",
        key=("run_id", "position"),
        refers={"run_id": "run"},
    )
    _table(
        "measurement",
        "run_id:id position:integer contract_id:text object:text identity:text analyzer:text arguments:json "
        "partition:text? value:float? exact:text? reason:text? time:time",
        key=("run_id", "position"),
        refers={"contract_id": "contract", "run_id": "run"},
        index=(("contract_id", "object", "identity", "time"),),
    )
    _table(
        "partition_state",
        "id:id dataset_id:id partition:text generation:integer fingerprint:text states:bytes columns:json "
        "rows:big? created:time",
        unique=(("dataset_id", "partition"),),
        refers={"dataset_id": "dataset"},
    )
