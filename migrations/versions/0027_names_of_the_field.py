"""Rename tables and columns: times end in `_at`, flags begin with `is_`, names are nouns."""

from collections.abc import Iterator, Mapping
from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0027"
down_revision = "0026"
branch_labels = None
depends_on = None

TABLES = {
    "postponement": "proposal_snooze",
    "suggestion": "proposal_suggestion",
    "proposal_change": "proposal_revision",
    "approval": "proposal_approval",
    "comment": "proposal_comment",
    "change_request": "proposal_change_request",
    "incident_part": "incident_object",
    "incident_reach": "incident_downstream",
    "guessed_consumer": "inferred_consumer",
    "point_mark": "point_feedback",
    "inbox_event": "lineage_event",
    "rejected_event": "rejected_lineage_event",
    "name_link": "dataset_alias",
    "name_pattern": "dataset_alias_pattern",
    "suspect_mark": "suspect_partition",
    "done_request": "idempotency_key",
    "result": "check_result",
    "sample": "violation_sample",
    "appointment": "schedule_entry",
    "part_read": "read_checkpoint",
    "dirty_mark": "pending_validation",
}
# By the table's old name.
COLUMNS = {
    "subscription": {"created": "created_at", "ended": "ended_at", "kinds": "notification_kinds"},
    "consumer_check": {"created": "created_at"},
    "acknowledgement": {"answer": "state", "asked": "requested_at", "deadline": "due_at", "breaks": "breaking_reasons"},
    "contract": {"created": "created_at"},
    "contract_version": {"successor": "successor_version"},
    "dataset": {
        "publishing": "publishing_version",
        "seen": "last_scanned_at",
        "arrived": "last_arrival_at",
        "written": "last_written_at",
        "dropped": "dropped_at",
        "redefined": "schema_declared_at",
        "read_at": "read_version",
    },
    "proposal": {"created": "created_at"},
    "postponement": {"until": "snoozed_until"},
    "contract_request": {"why": "purpose", "created": "created_at", "ended": "ended_at"},
    "suggestion": {"news": "new_evidence", "edited": "edited_patch"},
    "proposal_profile": {"created": "created_at"},
    "proposal_change": {"what": "description", "wrote": "edited_document", "time": "created_at"},
    "approval": {"time": "approved_at", "void_since": "voided_at"},
    "comment": {"time": "created_at"},
    "change_request": {"ended": "ended_at"},
    "template": {"about": "description", "created": "created_at"},
    "lineage_job": {"grade": "run_rank", "moment": "run_at", "flow": "flow_hash", "ours": "is_own"},
    "incident": {
        "opened": "opened_at",
        "changed": "updated_at",
        "since": "started_at",
        "recovered": "recovered_at",
        "reopened": "reopen_count",
        "resolved": "resolved_at",
    },
    "incident_part": {"failing": "failing_checks", "joined": "joined_at", "recovered": "recovered_at"},
    "incident_reach": {
        "spread": "contamination",
        "direct": "is_direct",
        "coarse": "is_table_level",
        "since": "reached_at",
    },
    "guessed_consumer": {"decided": "decided_at"},
    "fit": {
        "first": "first_partition",
        "last": "last_partition",
        "without": "excluded_partitions",
        "training": "training_fingerprint",
        "judged": "backtest_points",
        "alarms": "backtest_alarms",
        "admitted": "is_active",
        "created": "created_at",
    },
    "point_mark": {"since": "from_version", "mark": "kind", "why": "reason", "created": "created_at"},
    "inbox_event": {"received": "received_at", "key": "content_hash"},
    "rejected_event": {"time": "received_at"},
    "lineage_run": {
        "failed": "is_failed",
        "ended": "is_ended",
        "started": "started_at",
        "finished": "finished_at",
        "updated": "updated_at",
        "awaited": "is_awaited",
    },
    "name_link": {"first_seen": "first_seen_at", "last_seen": "last_seen_at", "refused": "conflict"},
    "name_pattern": {"regex": "is_regex"},
    "unmatched_dataset": {
        "first_seen": "first_seen_at",
        "last_seen": "last_seen_at",
        "times": "write_count",
        "told": "details",
    },
    "suspect_mark": {"since": "suspected_at", "why": "reason"},
    "outbox_message": {"lease_until": "lease_expires_at", "created": "created_at", "ended": "ended_at"},
    "channel": {"kinds": "notification_kinds", "created": "created_at"},
    "user": {"created": "created_at"},
    "team": {"created": "created_at"},
    "role_grant": {"part": "scope", "created": "created_at"},
    "api_token": {
        "created": "created_at",
        "expires": "expires_at",
        "last_used": "last_used_at",
        "revoked": "revoked_at",
        "previous_until": "previous_expires_at",
    },
    "web_session": {"created": "created_at", "expires": "expires_at"},
    "sign_in_window": {"began": "started_at", "refused": "is_refused"},
    "setup_token": {"created": "created_at", "expires": "expires_at", "used": "used_at"},
    "approval_record": {"created": "created_at"},
    "done_request": {
        "content": "request_hash",
        "rights": "permissions",
        "answer": "response_body",
        "created": "created_at",
    },
    "run": {
        "started": "started_at",
        "finished": "finished_at",
        "marker": "dataset_fingerprint",
        "cause": "kind",
        "superseded": "superseded_reason",
        "found_by": "detection_method",
        "counts": "outcome_counts",
    },
    "result": {
        "found": "finding",
        "counted": "row_count",
        "broken": "violating_rows",
        "unevaluated": "unevaluated_rows",
        "bound": "threshold",
    },
    "sample": {"expires": "expires_at"},
    "measurement": {"time": "measured_at", "data_time": "data_at", "counted": "row_count"},
    "partition_state": {
        "since": "from_version",
        "until": "until_version",
        "ended": "ended_at",
        "created": "created_at",
    },
    "search_entry": {"shown": "summary"},
    "task": {
        "turn": "queue_position",
        "subject": "exclusive_key",
        "lease_until": "lease_expires_at",
        "created": "created_at",
        "finished": "finished_at",
    },
    "appointment": {"due": "due_at", "missed": "missed_at"},
    "dirty_mark": {
        "dirty_seq": "trigger_sequence",
        "done_seq": "validated_sequence",
        "told": "pending_triggers",
        "floor": "not_before_at",
        "quiet_until": "quiet_ends_at",
        "due": "due_at",
        "streamed": "last_stream_validation_at",
        "waits_for": "awaited_run",
    },
}
# Renamed values of closed vocabularies, by the new names of their tables and columns.
WORDS = {
    ("acknowledgement", "state"): {"told": "notified"},
    ("lineage_event", "state"): {"folded": "processed"},
    ("point_feedback", "kind"): {"undone": "cleared"},
}
# Keys in the payload and the result of a replay task.
REPLAY_KEYS = {
    "counting": "merge_counts",
    "replaced": "include_replaced",
    "judged": "evaluated",
    "empty": "not_applicable",
    "unjudged": "not_evaluated",
    "appeared": "new_alerts",
    "gone": "resolved_alerts",
    "same": "unchanged_alerts",
    "what": "element",
    "says": "evidence",
}
PLAIN = sa.JSON(none_as_null=True)
TASK = sa.table("task", sa.column("id"), sa.column("kind"), sa.column("payload", PLAIN), sa.column("result", PLAIN))
REFUSED = "rows of this table are kept as they were written"
SAME_ID = "other.id = new.id"
# Renamed tables that are immutable: columns that must not change ('' for all), and the condition for a duplicate row.
GUARDS = {
    "proposal_change": ("", "other.proposal_id = new.proposal_id and other.revision = new.revision"),
    "approval": ("id, proposal_id, approver_id, version, fingerprint, revision, time", SAME_ID),
    "comment": ("", SAME_ID),
    "point_mark": ("", SAME_ID),
}


def upgrade() -> None:
    """Rename tables and columns, three values of closed vocabularies, and the keys of replays."""
    for table in GUARDS:
        _unguard(table)
    _rename(TABLES, COLUMNS)
    for (table, column), words in WORDS.items():
        _replace(table, column, words)
    _rename_replay_keys(REPLAY_KEYS)
    for table, (columns, same) in GUARDS.items():
        _guard(TABLES[table], _renamed(columns, COLUMNS[table]) if table in COLUMNS else columns, same)


def downgrade() -> None:
    """Restore the old names."""
    for table in GUARDS:
        _unguard(TABLES[table])
    _rename_replay_keys(_turned(REPLAY_KEYS))
    for (table, column), words in WORDS.items():
        _replace(table, column, _turned(words))
    _rename(_turned(TABLES), {TABLES.get(table, table): _turned(names) for table, names in COLUMNS.items()})
    for table, (columns, same) in GUARDS.items():
        _guard(table, columns, same)


def _turned(names: Mapping[str, str]) -> dict[str, str]:
    return {new: old for old, new in names.items()}


def _renamed(columns: str, names: Mapping[str, str]) -> str:
    return ", ".join(names.get(each, each) for each in columns.split(", "))


def _rename(tables: Mapping[str, str], columns: Mapping[str, Mapping[str, str]]) -> None:
    """Rename columns, then tables, then the indexes and constraints named after them."""
    named = {table: list(_names(table, tables, columns)) for table in {*tables, *columns}}
    for table, names in columns.items():
        for old, new in names.items():
            op.execute(f'alter table "{table}" rename column "{old}" to "{new}"')
    for old, new in tables.items():
        op.rename_table(old, new)
    follow = _follow_on_sqlite if op.get_context().dialect.name == "sqlite" else _follow_on_postgresql
    follow({tables.get(table, table): changes for table, changes in named.items()})


def _names(
    table: str, tables: Mapping[str, str], columns: Mapping[str, Mapping[str, str]]
) -> Iterator[tuple[bool, str, str]]:
    """Yield each renamed index or constraint: whether it is an index, its old and its new name."""
    inspector, new, names = sa.inspect(op.get_bind()), tables.get(table, table), columns.get(table, {})
    key: Any = inspector.get_pk_constraint(table)
    for is_index, prefix, each in (
        *((True, "ix", each) for each in inspector.get_indexes(table) if not each.get("duplicates_constraint")),
        *((False, "uq", each) for each in inspector.get_unique_constraints(table)),
        *((False, "fk", each) for each in inspector.get_foreign_keys(table)),
    ):
        over: Any = each["constrained_columns"] if prefix == "fk" else each["column_names"]
        old = "_".join((prefix, table, *over))
        if each["name"] == old and (after := "_".join((prefix, new, *(names.get(one, one) for one in over)))) != old:
            yield is_index, old, after
    if key["name"] == f"pk_{table}" and new != table:
        yield False, f"pk_{table}", f"pk_{new}"


def _follow_on_postgresql(named: Mapping[str, list[tuple[bool, str, str]]]) -> None:
    for table, changes in named.items():
        for is_index, old, new in changes:
            op.execute(
                f'alter index "{old}" rename to "{new}"'
                if is_index
                else f'alter table "{table}" rename constraint "{old}" to "{new}"'
            )


def _follow_on_sqlite(named: Mapping[str, list[tuple[bool, str, str]]]) -> None:
    """Recreate indexes, and rename constraints in the table definitions that SQLite stores.

    SQLite can rename neither. Editing the definitions is allowed, as stored rows stay as they are
    (sqlite.org/lang_altertable.html, section 7)."""
    bind = op.get_bind()
    stored = sa.text("select sql from sqlite_master where name = :name")
    for is_index, old, new in (each for changes in named.values() for each in changes):
        if is_index:
            definition = bind.execute(stored, {"name": old}).scalar_one()
            op.execute(f'drop index "{old}"')
            op.execute(sa.text(definition.replace(old, new, 1).replace(":", r"\:")))
    bind.execute(sa.text("pragma writable_schema = on"))
    change = sa.text("update sqlite_master set sql = replace(sql, :old, :new) where type = 'table' and name = :table")
    for table, changes in named.items():
        for is_index, old, new in changes:
            if not is_index:
                bind.execute(change, {"table": table, "old": f"CONSTRAINT {old} ", "new": f"CONSTRAINT {new} "})
    bind.execute(sa.text("pragma writable_schema = reset"))


def _replace(table: str, column: str, words: Mapping[str, str]) -> None:
    for old, new in words.items():
        op.execute(f"update {table} set {column} = '{new}' where {column} = '{old}'")


def _rename_replay_keys(names: Mapping[str, str]) -> None:
    """Rename the keys in payloads and results of replay tasks."""
    bind = op.get_bind()
    for row in bind.execute(sa.select(TASK.c.id, TASK.c.payload, TASK.c.result).where(TASK.c.kind == "replay")).all():
        values = {"payload": _with_keys(row.payload, names), "result": _with_keys(row.result, names)}
        bind.execute(sa.update(TASK).where(TASK.c.id == row.id).values(**values))


def _with_keys(plain: Any, names: Mapping[str, str]) -> Any:
    """Return plain data with its keys renamed."""
    if isinstance(plain, dict):
        return {names.get(key, key): _with_keys(each, names) for key, each in plain.items()}
    return [_with_keys(each, names) for each in plain] if isinstance(plain, list) else plain


def _unguard(table: str) -> None:
    if op.get_context().dialect.name == "postgresql":
        for suffix in ("", "_whole"):
            op.execute(f"drop trigger {table}_kept{suffix} on {table}")
        return
    for event in ("update", "delete", "insert"):
        op.execute(f"drop trigger {table}_kept_{event}")


def _guard(table: str, columns: str, same: str) -> None:
    change = f"update of {columns}" if columns else "update"
    if op.get_context().dialect.name == "postgresql":
        for suffix, when in (("", f"before {change} or delete"), ("_whole", "before truncate")):
            each = "statement" if suffix else "row"
            op.execute(
                f"create trigger {table}_kept{suffix} {when} on {table}"
                f" for each {each} execute function treaty_refuse()"
            )
        return
    refuse = f"begin select raise(abort, '{REFUSED}'); end"
    for event, when in (("update", change), ("delete", "delete")):
        op.execute(f"create trigger {table}_kept_{event} before {when} on {table} {refuse}")
    duplicate = f"exists (select 1 from {table} as other where {same})"
    op.execute(f"create trigger {table}_kept_insert before insert on {table} when {duplicate} {refuse}")
