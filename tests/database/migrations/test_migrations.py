"""The migrations and the tables say the same, up and down, on both databases."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from importlib.resources import files
from pathlib import Path
from typing import Any, NamedTuple
from uuid import UUID

import pytest
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext
from sqlalchemy import JSON, Connection, Engine, inspect, text
from sqlalchemy.exc import DBAPIError
from sqlmodel import select
from support import old_rows
from support.databases import blank
from support.migration_kill import AT_COMMIT, Ended, migrations
from support.scenes import NOON

from treaty.contracts.document.yaml_syntax import parse
from treaty.contracts.fingerprint import fingerprint
from treaty.contracts.schema import Schema
from treaty.engine.protocol.requests import MeasureResult
from treaty.registry.audit import audit_log
from treaty.registry.core import ids
from treaty.registry.core.database import migrate, migration_config, newest_migration, read_session, transaction
from treaty.registry.measurements.states import state_store
from treaty.registry.tables import (
    AllowedLocationRow,
    CheckResultRow,
    ContractRow,
    PartitionStateRow,
    ProposalRow,
    metadata,
)
from treaty.registry.tables.search import declared

ENTRY = (
    "insert into audit_entry (position, time, actor, action, object_type, object_id, details, previous_hash, hash) "
    "values (1, '2026-01-01 00:00:00', 'ada', 'user:created', 'user', '1', '{}', '', 'x')"
)

OLD = "00000000000070008000000000000001"
AT = "'2026-01-01 00:00:00+00:00'"
OLD_USER = f"""insert into "user" (id, name, roles, active, created) values (:id, 'ada', '[]', true, {AT})"""
OLD_CONTRACT = f"insert into contract (id, name, owner_id, created) values ('orders', 'orders', :id, {AT})"
OLD_RUN = (
    "insert into run (id, contract_id, version, fingerprint, object, partitions, verdict, counts, started, finished) "
    f"values (:id, 'orders', '1.0.0', '', 'orders', '[]', 'passed', '{{}}', {AT}, {AT})"
)
OLD_RESULT = (
    "insert into result (run_id, position, check_id, name, outcome, severity, scope, sentence) "
    "values (:id, 0, 'c', 'c', 'passed', 'error', 'delta', 'c must be')"
)

OLD_DATASET = "insert into dataset (id, namespace, name, partition_by) values (:id, 'file', '/t', '[]')"
OLD_STATE = (
    "insert into partition_state (id, dataset_id, partition, generation, fingerprint, states, columns, created) "
    f"values (:id, :id, 'day=1', 3, 'f', :states, '[]', {AT})"
)


@pytest.fixture
def nothing(request: pytest.FixtureRequest, kind: str, tmp_path: Path):
    url = request.getfixturevalue("postgres_url") if kind == "postgres" else None
    with blank(tmp_path, url) as engine:
        yield engine


def differences(connection: Connection) -> list[object]:
    context = MigrationContext.configure(
        connection, opts={"compare_type": True, "target_metadata": metadata, "include_name": declared}
    )
    return compare_metadata(context, metadata)


def shape(engine: Engine) -> dict[str, object]:
    """Everything that the database says about its tables, without the order of columns."""
    found = inspect(engine)
    return {
        table: {
            "columns": sorted((c["name"], str(c["type"]), c["nullable"]) for c in found.get_columns(table)),
            "key": found.get_pk_constraint(table),
            "references": sorted(map(str, found.get_foreign_keys(table))),
            "unique": sorted(map(str, found.get_unique_constraints(table))),
            "indexes": sorted(map(index, found.get_indexes(table))),
            "triggers": triggers(engine, table),
        }
        for table in found.get_table_names()
        if table != "alembic_version"
    }


def index(found: Any) -> str:
    """An index in words, and the condition of one that is partial."""
    options = {name: str(told) for name, told in found.get("dialect_options", {}).items()}
    return str({**found, "dialect_options": options})


def triggers(engine: Engine, table: str) -> list[str]:
    catalog = {
        "sqlite": "select name from sqlite_master where type = 'trigger' and tbl_name = :table",
        "postgresql": "select distinct trigger_name from information_schema.triggers where event_object_table = :table",
    }
    with engine.connect() as connection:
        return sorted(connection.scalars(text(catalog[engine.dialect.name]), {"table": table}))


def test_migrating_from_nothing_makes_what_the_tables_declare(nothing: Engine) -> None:
    migrate(nothing)
    migrated = shape(nothing)
    with nothing.begin() as connection:
        command.downgrade(migration_config(connection), "base")
        metadata.create_all(connection)
    assert migrated == shape(nothing)


def test_alembic_finds_nothing_left_to_do(nothing: Engine) -> None:
    migrate(nothing)
    with nothing.begin() as connection:
        assert differences(connection) == []
        command.check(migration_config(connection))


def test_goes_down_to_nothing_and_up_again(nothing: Engine) -> None:
    migrate(nothing)
    before = shape(nothing)
    with nothing.begin() as connection:
        command.downgrade(migration_config(connection), "base")
    assert shape(nothing) == {}
    migrate(nothing)
    assert shape(nothing) == before


def test_runs_of_before_keep_their_results(nothing: Engine) -> None:
    with nothing.begin() as connection:
        command.upgrade(migration_config(connection), "0001")
        if nothing.dialect.name == "postgresql":
            connection.execute(text("set constraints all deferred"))
        connection.execute(text(OLD_USER), {"id": OLD})
        connection.execute(text(OLD_CONTRACT), {"id": OLD})
        connection.execute(text(OLD_RUN), {"id": OLD})
        connection.execute(text(OLD_RESULT), {"id": OLD})
    migrate(nothing)
    with read_session(nothing) as tx:
        (row,) = tx.exec(select(CheckResultRow)).all()
    assert (row.check_id, row.row_count, row.unevaluated_rows, row.threshold) == ("c", None, 0, None)
    with nothing.begin() as connection:
        command.downgrade(migration_config(connection), "0001")
        assert connection.scalar(text("select check_id from result")) == "c"


def test_uncertain_results_become_unevaluated_ones_of_an_older_version(nothing: Engine) -> None:
    migrate(nothing)
    with nothing.begin() as connection:
        old_rows.fill(connection)
    with nothing.begin() as connection:
        run = "update run set verdict = 'uncertain', outcome_counts = :counts"
        connection.execute(text(run), {"counts": '{"uncertain": 2, "not_evaluated": 1}'})
        connection.execute(text("update check_result set outcome = 'uncertain'"))
    with nothing.begin() as connection:
        command.downgrade(migration_config(connection), "0032")
        (verdict, counts) = connection.execute(text("select verdict, outcome_counts from run")).one()
        (outcome, reason) = connection.execute(text("select outcome, reason from check_result")).one()
    counts = json.loads(counts) if isinstance(counts, str) else counts
    assert (verdict, counts, outcome) == ("not_evaluated", {"not_evaluated": 3}, "not_evaluated")
    assert "error of the estimate" in reason


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ({"alarms": 0.5, "refit": "tighten_only"}, {"programs": {"false_alarms": 0.5, "refit": "tighten_only"}}),
        ({"alarms": None, "refit": "pinned"}, {"programs": None}),
        ({}, {}),
    ],
    ids=["with programs", "without programs", "a payload without either"],
)
def test_drafts_that_wait_keep_their_options(nothing: Engine, old: dict[str, Any], new: dict[str, Any]) -> None:
    def payload() -> dict[str, Any]:
        written = connection.execute(text("select payload from task")).scalar_one()
        return json.loads(written) if isinstance(written, str) else dict(written)

    source = {"source": {"location": "/lake/orders"}}
    migrate(nothing)
    with nothing.begin() as connection:
        old_rows.fill(connection)
    with nothing.begin() as connection:
        command.downgrade(migration_config(connection), "0039")
    with nothing.begin() as connection:
        update = text("update task set kind = 'draft', payload = :value")
        connection.execute(update, {"value": json.dumps(source | old)})
    migrate(nothing)
    with nothing.begin() as connection:
        assert payload() == source | new
        command.downgrade(migration_config(connection), "0039")
        assert payload() == source | old


def test_locations_of_contracts_of_before_stay_allowed(nothing: Engine) -> None:
    names = {
        1: ("file", "/lake/orders", None),
        2: ("s3://lake", "raw/orders", None),
        3: ("spark", "db.orders", None),
        4: ("file", "/lake/orders", "/moved/orders"),
        5: ("file", "/lake/undescribed", None),
    }
    with nothing.begin() as connection:
        command.upgrade(migration_config(connection), "0035")
        if nothing.dialect.name == "postgresql":
            connection.execute(text("set constraints all deferred"))
        old_rows.fill(connection)
        for table in ("dataset_alias_pattern", "dataset_contract"):
            connection.execute(text(f"delete from {table}"))
        contract = connection.scalar(text("select id from contract"))
        pattern = "insert into dataset_alias_pattern values (:contract, 'o', 'file', '/daily/orders-*', false)"
        connection.execute(text(pattern), {"contract": contract})
        dataset = (
            "insert into dataset (id, namespace, name, location, partition_by, states_version)"
            " values (:id, :space, :name, :location, '[]', 0)"
        )
        link = "insert into dataset_contract (dataset_id, contract_id, object) values (:id, :contract, 'o')"
        for number, (space, name, location) in names.items():
            told = {"id": f"{number:032}", "space": space, "name": f"{name}{number}", "location": location}
            connection.execute(text(dataset), told)
            if number < 5:
                connection.execute(text(link), {"id": told["id"], "contract": contract})
    migrate(nothing)
    with read_session(nothing) as tx:
        rows = tx.exec(select(AllowedLocationRow).order_by(AllowedLocationRow.location)).all()
    assert {(each.domain, each.added_by) for each in rows} == {(None, None)}
    assert sorted(each.location for each in rows) == [
        "/daily", "/lake/orders1", "/moved/orders", "db.orders3", "s3://lake/raw/orders2",
    ]  # fmt: skip
    with nothing.begin() as connection:
        command.downgrade(migration_config(connection), "0035")
        assert "allowed_location" not in inspect(connection).get_table_names()


def test_states_of_before_are_current_and_go_on_counting(nothing: Engine) -> None:
    with nothing.begin() as connection:
        command.upgrade(migration_config(connection), "0002")
        connection.execute(text(OLD_DATASET), {"id": OLD})
        connection.execute(text(OLD_STATE), {"id": OLD, "states": b"old"})
    migrate(nothing)
    dataset = UUID(OLD)
    with transaction(nothing) as tx:
        assert state_store.load(tx, dataset) == state_store.load(tx, dataset, version=1) == {"day=1": b"old"}
        measured = MeasureResult(schema=Schema(()), fingerprints={"day=1": "g"}, states={"day=1": b"new"})
        assert state_store.save(tx, dataset, measured, now=NOON, ids=ids.new) == 2
        tx.commit()
    with nothing.begin() as connection:
        command.downgrade(migration_config(connection), "0002")
        assert connection.execute(text("select generation, fingerprint from partition_state")).all() == [(4, "g")]


def test_what_replays_found_before_is_read_by_the_names_of_today(nothing: Engine) -> None:
    asked = {"proposal_id": None, "counting": True, "replaced": False}
    outcome = {"judged": 3, "empty": 1, "alerts": {"count": 0, "names": []}, "unjudged": [{"count": 1, "reason": "no"}]}
    check = {"old": None, "new": outcome, "appeared": {"count": 0}, "gone": {"count": 1}, "same": {"count": 2}}
    found = {"objects": [{"object": "o", "checks": [check]}], "differences": [{"what": "threshold", "says": "no"}]}
    replays = text("select payload, result from task where kind = 'replay'").columns(payload=JSON, result=JSON)
    with nothing.begin() as connection:
        command.upgrade(migration_config(connection), "0026")
        old_rows.fill(connection)
        stored = text("update task set kind = 'replay', payload = :payload, result = :result")
        connection.execute(stored, {"payload": json.dumps(asked), "result": json.dumps(found)})
    migrate(nothing)
    with nothing.begin() as connection:
        ((payload, result),) = connection.execute(replays).all()
        assert payload == {"proposal_id": None, "merge_counts": True, "include_replaced": False}
        (line,) = result["objects"][0]["checks"]
        assert (line["new"]["evaluated"], line["new"]["not_applicable"], line["old"]) == (3, 1, None)
        assert line["new"]["not_evaluated"] == [{"count": 1, "reason": "no"}]
        counts = [line[each]["count"] for each in ("new_alerts", "resolved_alerts", "unchanged_alerts")]
        assert counts == [0, 1, 2]
        assert result["differences"] == [{"element": "threshold", "evidence": "no"}]
        command.downgrade(migration_config(connection), "0026")
        assert connection.execute(replays).all() == [(asked, found)]


OLD_BODY = b"""id: orders
customProperties:
- property: treaty
  value: {on_unknown: pass, lineage: {on_upstream_failed: 'tell'}}
"""
NEW_BODY = OLD_BODY.replace(b"pass", b"allow").replace(b"tell", b"allow")
CLASSES = {"values": [], "other": {"count": 0}, "judged": 5}


def words(connection: Connection) -> dict[str, Any]:
    """Every stored value that has a word of the glossary, by its column."""
    plain = {"scopes": JSON, "payload": JSON, "details": JSON}
    columns = {
        "body": "contract_version", "base": "proposal", "document": "template", "scopes": "api_token",
        "payload": "outbox_message", "details": "measurement", "action": "audit_entry",
    }  # fmt: skip
    found = {}
    for name, table in columns.items():
        query = text(f"select {name} from {table}").columns(**{name: plain[name]} if name in plain else {})
        value = connection.execute(query).scalar_one()
        found[name] = bytes(value) if isinstance(value, memoryview) else value
    found["version"] = connection.scalar(text("select fingerprint from contract_version"))
    found["run"] = connection.scalar(text("select fingerprint from run"))
    return found


class Guard(NamedTuple):
    """The statements that remove and restore the trigger of approved documents."""

    drop: str
    create: str


def _guard(connection: Connection) -> Guard:
    if connection.dialect.name == "sqlite":
        name = "contract_version_kept_update"
        create = connection.scalar(text("select sql from sqlite_master where name = :name"), {"name": name})
        return Guard(f"drop trigger {name}", create)
    name = "contract_version_kept"
    create = connection.scalar(
        text("select pg_get_triggerdef(oid) from pg_trigger where tgname = :name"), {"name": name}
    )
    return Guard(f"drop trigger {name} on contract_version", create)


def of_content(body: bytes) -> str:
    """The fingerprint of a document, as its versions and runs have it."""
    return fingerprint(parse(body).data)


@pytest.mark.parametrize(
    ("payload", "renamed"),
    [
        (
            {"channel": "c", "notice": {"title": "t", "found": ["a"]}},
            {"channel": "c", "notice": {"title": "t", "details": ["a"]}},
        ),
        (
            {"run": {"facets": {"treaty_contract": {"marker": "m"}, "parent": {}}}},
            {"run": {"facets": {"treaty_contract": {"dataset_fingerprint": "m"}, "parent": {}}}},
        ),
        ({"run": {"runId": "r"}}, {"run": {"runId": "r"}}),
    ],
    ids=["a notification", "a lineage event", "an event without facets"],
)
def test_stored_words_of_before_are_replaced_and_come_back(
    nothing: Engine, payload: dict[str, Any], renamed: dict[str, Any]
) -> None:
    with nothing.begin() as connection:
        command.upgrade(migration_config(connection), "0027")
        guard = _guard(connection)
        connection.execute(text(guard.drop))
    with nothing.begin() as connection:
        old_rows.fill(connection)
    with nothing.begin() as connection:
        for statement, values in (
            ("update contract_version set body = :value, fingerprint = 'f'", OLD_BODY),
            ("update proposal set base = :value", OLD_BODY),
            ("update template set document = :value", OLD_BODY.decode()),
            ("update run set fingerprint = :value", "f"),
            ("update api_token set scopes = :value", json.dumps(["contracts:read", "memory:erase"])),
            ("update outbox_message set payload = :value", json.dumps(payload)),
            ("update measurement set details = :value", json.dumps(CLASSES)),
        ):
            connection.execute(text(statement), {"value": values})
        connection.execute(text(guard.create))
        before = words(connection)
    migrate(nothing)
    with nothing.connect() as connection:
        assert words(connection) == {
            "body": NEW_BODY, "base": NEW_BODY, "document": NEW_BODY.decode(), "payload": renamed,
            "scopes": ["contracts:read", "states:erase"], "details": {"values": [], "other": {"count": 0}, "rows": 5},
            "action": before["action"], "version": of_content(NEW_BODY), "run": of_content(NEW_BODY),
        }  # fmt: skip
        with pytest.raises(DBAPIError, match="kept as they were written"):
            connection.execute(text("update contract_version set body = :value"), {"value": OLD_BODY})
    with nothing.begin() as connection:
        command.downgrade(migration_config(connection), "0027")
        after = words(connection)
    assert {name: after[name] for name in after if name not in ("version", "run")} == {
        name: before[name] for name in before if name not in ("version", "run")
    }
    assert after["version"] == after["run"] == of_content(OLD_BODY)


def test_migrating_twice_changes_nothing(engine: Engine) -> None:
    before = shape(engine)
    migrate(engine)
    assert shape(engine) == before


def test_two_processes_that_migrate_at_once_both_succeed(nothing: Engine) -> None:
    code = "import sys; from treaty.registry.core.database import connect, migrate; migrate(connect(sys.argv[1]))"
    command_line = [sys.executable, "-c", code, nothing.url.render_as_string(hide_password=False)]
    both = [subprocess.Popen(command_line, stderr=subprocess.PIPE, text=True) for _ in range(2)]
    assert [(each.communicate()[1], each.returncode) for each in both] == [("", 0)] * 2
    assert "user" in inspect(nothing).get_table_names()


def test_a_migration_that_fails_leaves_nothing_half_way(nothing: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    def stop(*_: object) -> None:
        raise RuntimeError

    with monkeypatch.context() as patch:
        patch.setattr("alembic.op.execute", stop)
        with pytest.raises(RuntimeError):
            migrate(nothing)
    assert inspect(nothing).get_table_names() == []
    migrate(nothing)
    assert "user" in inspect(nothing).get_table_names()


@pytest.mark.parametrize("change", ["update audit_entry set actor = 'eve'", "delete from audit_entry"])
def test_the_database_itself_refuses_to_change_the_audit(engine: Engine, change: str) -> None:
    with engine.begin() as connection:
        connection.execute(text(ENTRY))
    with pytest.raises(DBAPIError, match="kept as they were written"), engine.begin() as connection:
        connection.execute(text(change))


def test_merged_days_are_not_taken_for_a_partition_by_an_older_version(nothing: Engine) -> None:
    with nothing.begin() as connection:
        command.upgrade(migration_config(connection), "0003")
        connection.execute(text(OLD_DATASET), {"id": OLD})
        connection.execute(text(OLD_STATE), {"id": OLD, "states": b"old"})
    migrate(nothing)
    dataset = UUID(OLD)
    with read_session(nothing) as tx:
        row = tx.exec(select(PartitionStateRow)).one()
        assert (row.files, row.members, state_store.stored_fingerprints(tx, dataset)) == (None, None, {"day=1": "f"})
    with transaction(nothing) as tx:
        row = tx.exec(select(PartitionStateRow)).one()
        row.partition, row.members = "day=2026-01-[01-02]", {"day=2026-01-01": "f", "day=2026-01-02": "g"}
        tx.commit()
    with nothing.begin() as connection:
        command.downgrade(migration_config(connection), "0003")
        assert connection.execute(text("select * from partition_state")).all() == []


OLD_VERSION = (
    "insert into contract_version (id, contract_id, version, body, fingerprint, state, approved_by_id, approved_at) "
    f"values (:id, 'orders', '1.0.0', :body, '', 'active', :id, {AT})"
)
OLD_PROPOSAL = (
    "insert into proposal (id, contract_id, title, base, author_id, state, revision, created) "
    f"values (:proposal, :contract, 't', :body, :id, 'in_review', 1, {AT})"
)


def test_contracts_and_proposals_of_before_lie_in_the_domain_that_their_documents_name(nothing: Engine) -> None:
    with nothing.begin() as connection:
        command.upgrade(migration_config(connection), "0006")
        if nothing.dialect.name == "postgresql":
            connection.execute(text("set constraints all deferred"))
        connection.execute(text(OLD_USER), {"id": OLD})
        connection.execute(text(OLD_CONTRACT), {"id": OLD})
        connection.execute(text("update contract set active_version = '1.0.0'"))
        connection.execute(text(OLD_VERSION), {"id": OLD, "body": b"id: orders\ndomain: no\n"})
        for number, contract, body in (
            (1, "orders", b"domain: moved"),
            (2, "new", b"domain: ' shop '"),
            (3, "x", b"{}"),
        ):
            given = {"id": OLD, "proposal": OLD[:-1] + str(number), "contract": contract, "body": body}
            connection.execute(text(OLD_PROPOSAL), given)
    migrate(nothing)
    with read_session(nothing) as tx:
        assert tx.exec(select(ContractRow.domain)).all() == ["no"]
        domains = dict(tx.exec(select(ProposalRow.contract_id, ProposalRow.domain)).all())
    assert domains == {"orders": "no", "new": "shop", "x": None}


def revisions() -> list[str]:
    """All schema versions that there were, oldest first."""
    from alembic.script import ScriptDirectory

    found = ScriptDirectory(str(files("treaty.migrations"))).walk_revisions()
    return [each.revision for each in found][::-1]


def go(engine: Engine, step: Callable[..., None], revision: str) -> None:
    with engine.begin() as connection:
        step(migration_config(connection), revision)


def look(engine: Engine) -> dict[str, list[tuple[object, ...]]]:
    """Every row of every table, the schema version among them."""
    with engine.connect() as connection:
        names = inspect(connection).get_table_names()
        return {each: sorted(map(tuple, connection.execute(text(f'select * from "{each}"')))) for each in names}


def address(engine: Engine) -> str:
    return engine.url.render_as_string(hide_password=False)


def test_there_is_one_newest_version_and_one_way_to_it() -> None:
    assert newest_migration() == revisions()[-1]


def test_data_of_every_version_is_read_by_today_s_models(
    request: pytest.FixtureRequest, kind: str, tmp_path: Path
) -> None:
    url = request.getfixturevalue("postgres_url") if kind == "postgres" else None
    for revision in revisions():
        with blank(tmp_path, url, f"from_{revision}") as engine:
            go(engine, command.upgrade, revision)
            with engine.begin() as connection:
                written = old_rows.fill(connection)
            migrate(engine)
            with read_session(engine) as tx:
                found = old_rows.read(tx)
                assert audit_log.verify(tx).entries == 1
            for table, row in written.items():
                changed = {
                    name for name, value in row.items() if not old_rows.same(value, old_rows.kept(found, table, name))
                }
                assert (revision, table, changed) == (revision, table, set())


def test_every_step_can_be_taken_back_and_again_with_data_in_the_tables(nothing: Engine) -> None:
    migrate(nothing)
    with nothing.begin() as connection:
        old_rows.fill(connection)
    for revision in revisions()[:0:-1]:
        after = shape(nothing)
        go(nothing, command.downgrade, "-1")
        go(nothing, command.upgrade, "+1")
        assert (revision, shape(nothing)) == (revision, after)
        go(nothing, command.downgrade, "-1")
        with nothing.connect() as connection:
            assert connection.scalar(text("select count(*) from audit_entry")) == 1
            assert connection.scalar(text("select count(*) from partition_state")) == 1
    go(nothing, command.downgrade, "base")
    assert inspect(nothing).get_table_names() == ["alembic_version"]


def points(statements: int) -> list[int]:
    """Before which statements a process is killed: the first, the last, the commit, and some between; all if asked."""
    if os.environ.get("MIGRATION_KILLS") == "all":
        return [*range(statements), AT_COMMIT]
    return [*range(0, statements, max(statements // 5, 1)), statements - 1, AT_COMMIT]


@pytest.mark.parametrize("way", ["up", "down"])
def test_a_process_that_is_killed_anywhere_leaves_what_was_there_and_the_next_one_comes_to_the_end(
    nothing: Engine, way: str
) -> None:
    go(nothing, command.upgrade, "0001")
    if way == "down":
        migrate(nothing)
    with nothing.begin() as connection:
        old_rows.fill(connection)
    before, target = look(nothing), "0001" if way == "down" else None
    nothing.dispose()
    with migrations() as process:
        whole = process.run(address(nothing), revision=target, kill=AT_COMMIT).statements
        for point in points(whole):
            ended = process.run(address(nothing), revision=target, kill=point)
            assert (point, ended.signal) == (point, signal.SIGKILL)
            assert (point, ended.statements) == (point, whole if point == AT_COMMIT else point)
            assert (point, look(nothing)) == (point, before)
        assert process.run(address(nothing), revision=target) == Ended(whole, 0)
    after = look(nothing)
    assert after["alembic_version"] == [(target or newest_migration(),)]
    assert {name: len(rows) for name, rows in after.items() if name in before} == {
        name: len(rows) for name, rows in before.items() if name in after
    }
