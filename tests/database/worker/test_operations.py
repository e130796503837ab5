"""What operators see: events and tasks in lists, what was refused, how far behind all is, and what the log says."""

import json
import logging
import shlex
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from sqlalchemy import Engine, text
from support.api import NOW, World, document, plain
from support.events import event, output
from support.scenes import add, orders

from treaty.contracts.document import writer
from treaty.engine.cli.commands import CliError
from treaty.engine.core import clock
from treaty.registry.access import authentication, users
from treaty.registry.cli.main import main
from treaty.registry.client import ClientError
from treaty.registry.core import ids, logs
from treaty.registry.core.database import read_session, transaction
from treaty.registry.core.enums import GrantScope, LineageEventState, OutboxState, Permission, Role, TaskState
from treaty.registry.core.settings import RegistrySettings
from treaty.registry.lineage.events import event_listing
from treaty.registry.queue import task_queue
from treaty.registry.tables import LineageEventRow, RejectedLineageEventRow, RoleGrantRow, TaskRow
from treaty.registry.worker.loop import Worker


def sent(world: World, number: int = 1, **more: Any) -> None:
    """Events of as many runs."""
    for at in range(number):
        run = str(UUID(int=at + 1))
        assert world.call("producer", "POST", "/lineage", json=event(run=run, **more)).status_code == 201


def parked(world: World) -> UUID:
    """An event that could not be folded."""
    row = LineageEventRow(
        id=ids.new(), content_hash="parked", received_at=clock.now(), body=b"{}", original_sha256="", original_size=2,
        producer="spark", state=LineageEventState.PARKED, attempts=3, error="unexpected KeyError",
    )  # fmt: skip
    add(world.engine, row)
    return row.id


def given_up(world: World, **payload: Any) -> UUID:
    """A task that was given up."""
    row = TaskRow(
        id=ids.new(), kind="validate", payload=payload, key=str(ids.new()), state=TaskState.FAILED, attempts=5,
        error="engine killed: no", created_at=NOW, available_at=NOW, finished_at=NOW,
    )  # fmt: skip
    add(world.engine, row)
    return row.id


def test_events_are_listed_newest_first_with_what_they_are_about(world: World) -> None:
    sent(world, 3)
    sent(world, 1, at="2026-03-01T13:00:00Z")
    sent(world, 1, at="2026-03-01T13:00:00Z")
    last, *_ = found = world.client("viewer").events()
    assert (len(found), len({each.id for each in found})) == (4, 4)
    assert [each.received_at for each in found] == sorted((each.received_at for each in found), reverse=True)
    assert (last.kind, last.job, last.outputs, last.written_datasets) == (
        "COMPLETE",
        "shop load_orders",
        ("file /data/orders",),
        1,
    )
    assert (last.producer, last.duplicates, last.state, last.run_id) == ("producer", 1, "new", str(UUID(int=1)))


def test_events_are_chosen_by_state_by_sender_and_by_when_they_came(world: World) -> None:
    sent(world, 2)
    which = parked(world)
    client = world.client("viewer")
    assert [each.id for each in client.events(state=LineageEventState.PARKED)] == [which]
    assert len(client.events(producer="producer")) == 2
    assert client.events(since=clock.now() + timedelta(hours=1)) == []
    assert len(client.events(since=clock.now() - timedelta(hours=1))) == 3


def test_a_list_goes_on_where_its_portion_ended(world: World) -> None:
    sent(world, 5)
    portion = world.call("viewer", "GET", "/lineage/events?limit=2").json()
    rest = world.call("viewer", "GET", f"/lineage/events?limit=500&cursor={portion['next']}").json()
    assert (len(portion["items"]), len(rest["items"]), rest["next"]) == (2, 3, None)


def test_a_long_event_is_listed_without_being_read(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    sent(world)
    monkeypatch.setattr(event_listing, "TOLD_WITHIN", 10)
    (found,) = world.client("viewer").events()
    assert (found.kind, found.job, found.outputs, found.producer) == ("", "", (), "producer")


def test_of_many_outputs_the_first_few_are_told_and_how_many_there_are(world: World) -> None:
    body = event("COMPLETE", *(output(f"/data/{at}") for at in range(40)))
    assert world.call("producer", "POST", "/lineage", json=body).status_code == 201
    (found,) = world.client("viewer").events()
    assert (len(found.outputs), found.written_datasets) == (event_listing.NAMED, 40)


def test_what_was_refused_is_listed_and_its_beginning_told_to_its_sender_and_to_auditors(world: World) -> None:
    assert world.call("producer", "POST", "/lineage", content=b"secret {").status_code == 400
    (found,) = world.client("viewer").rejected_events()
    assert (found.status, found.producer, "not valid JSON" in found.reason) == (400, "producer", True)
    assert "secret" not in found.model_dump_json()
    bodies = {who: world.client(who).rejected_event(found.id).body for who in ("producer", "admin", "owner", "viewer")}
    assert bodies == {"producer": "secret {", "admin": "secret {", "owner": None, "viewer": None}
    with pytest.raises(ClientError, match="Not found, or you do not have access"):
        world.client("viewer").rejected_event(ids.new())


def test_the_inbox_says_how_much_lies_in_it_and_how_far_it_is_behind(world: World) -> None:
    assert world.client("viewer").event_counts().oldest_received_at is None
    sent(world, 2)
    sent(world, 1)
    world.call("producer", "POST", "/lineage", content=b"no")
    found = world.client("viewer").event_counts()
    assert (found.events[LineageEventState.NEW], found.duplicates, found.rejected) == (2, 1, {400: 1})
    assert 0 <= found.lag_seconds < 60


def test_what_is_counted_every_few_seconds_is_counted_by_indexes_alone(world: World) -> None:
    if world.engine.dialect.name != "sqlite":
        pytest.skip("PostgreSQL chooses by what it knows of the rows, which are none here")
    counted = {
        "select state, count(*) from lineage_event group by state": "ix_lineage_event_state",
        "select sum(duplicates) from lineage_event where duplicates > 0": "ix_lineage_event_duplicates",
        "select status, count(*) from rejected_lineage_event group by status": "ix_rejected_lineage_event_status",
        "select verdict, count(*) from run group by verdict": "ix_run_verdict",
    }
    with world.engine.connect() as connection:
        plans = {each: str(connection.execute(text(f"explain query plan {each}")).all()) for each in counted}
    assert [each for each, index in counted.items() if f"COVERING INDEX {index}" not in plans[each]] == []


def test_tasks_are_listed_by_state_kind_and_contract(world: World) -> None:
    dead = given_up(world, contract_id="shop-orders", object="orders")
    with transaction(world.engine) as tx:
        task_queue.enqueue(tx, kind="upkeep", payload={}, key="u", now=NOW, task_id=ids.new(), priority=9)
        tx.commit()
    client = world.client("viewer")
    (found,) = client.tasks(state=TaskState.FAILED)
    assert (found.id, found.contract_id, found.object, found.error) == (
        dead,
        "shop-orders",
        "orders",
        "engine killed: no",
    )
    assert [each.kind for each in client.tasks()] == ["upkeep", "validate"]
    assert [each.kind for each in client.tasks(kind="upkeep")] == ["upkeep"]
    assert [each.id for each in client.tasks(contract_id="shop-orders")] == [dead]


def test_who_has_a_role_in_a_domain_sees_the_tasks_of_its_contracts_and_their_own(world: World) -> None:
    for name, domain in (("mine", "shop"), ("other", "mail")):
        made = world.client("producer").propose(writer.write({**plain(name), "domain": domain}).decode())
        world.client("owner").approve(made.id, world.client("owner").preview(made.id).fingerprint)
    with transaction(world.engine) as tx:
        ann = users.new_user(ids.new(), name="ann", password=None, roles=[], now=NOW)
        users.create_user(tx, ann, actor="test", now=NOW)
        tx.add(
            RoleGrantRow(
                id=ids.new(), user_id=ann.id, role=Role.VIEWER, scope=GrantScope.DOMAIN, target="shop", created_at=NOW
            )
        )
        secret, _ = authentication.sign_in(tx, ann, session_id=ids.new(), now=clock.now(), lasts=timedelta(hours=1))
        tx.commit()
    seen = World(world.engine, world.http, world.users, {**world.secrets, "ann": secret})
    assert {each.contract_id for each in seen.client("ann").tasks()} == {"mine"}
    own = given_up(world, author=str(ann.id))
    assert own in {each.id for each in seen.client("ann").tasks()}
    assert {each.contract_id for each in seen.client("viewer").tasks()} == {None, "mine", "other"}


def test_what_a_replay_found_is_in_nobody_elses_list(world: World) -> None:
    author = world.users["producer"].id
    add(
        world.engine,
        TaskRow(
            id=ids.new(), kind="replay", payload={"author": str(author)}, key="r", available_at=NOW, created_at=NOW
        ),
    )
    assert [each.kind for each in world.client("producer").tasks()] == ["replay"]
    assert world.client("admin").tasks() == []


def metrics(world: World) -> dict[str, float]:
    lines = [each for each in world.call("viewer", "GET", "/metrics").text.splitlines() if not each.startswith("#")]
    return {name: float(value) for name, value in (each.rsplit(" ", 1) for each in lines)}


def test_metrics_tell_events_tasks_and_how_far_behind_they_are(world: World) -> None:
    sent(world, 2)
    sent(world, 1)
    world.call("producer", "POST", "/lineage", content=b"no")
    with transaction(world.engine) as tx:
        task_queue.enqueue(
            tx, kind="draft", payload={}, key="d", now=clock.now() - timedelta(hours=1), task_id=ids.new()
        )
        row = tx.get_one(LineageEventRow, world.client("viewer").events()[0].id)
        row.received_at = clock.now() - timedelta(minutes=10)
        tx.add(row)
        tx.commit()
    found = metrics(world)
    assert [found[f'treaty_events{{state="{each}"}}'] for each in LineageEventState] == [2, 0, 0]
    assert (found["treaty_event_repeats"], found['treaty_events_rejected{status="400"}']) == (1, 1)
    assert 600 <= found["treaty_inbox_lag_seconds"] < 700
    became = [found[f'treaty_lineage_events_total{{result="{each}"}}'] for each in ("stored", "rejected")]
    assert became == [3, 1]
    assert [found[f'treaty_outbox{{state="{each}"}}'] for each in OutboxState] == [0, 0, 0]
    assert found['treaty_open_tasks{kind="draft",state="queued"}'] == 1
    assert 3600 <= found["treaty_oldest_queued_task_seconds"] < 3700


@pytest.fixture
def told() -> Iterator[list[dict[str, Any]]]:
    """What is said of the work meanwhile, as the JSON lines have it."""
    lines: list[dict[str, Any]] = []

    class Kept(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            lines.append(json.loads(self.format(record)))

    kept, log = Kept(), logging.getLogger("treaty")
    kept.setFormatter(logs.JsonFormatter())
    log.addHandler(kept)
    log.setLevel(logging.INFO)
    yield lines
    log.removeHandler(kept)
    log.setLevel(logging.NOTSET)


def test_an_event_is_followed_by_its_ids_from_the_inbox_to_the_verdict(
    engine: Engine, tmp_path: Path, told: list[dict[str, Any]]
) -> None:
    scene = orders(engine, tmp_path)
    scene.send(event("START"), event())
    scene.work()
    (run,) = scene.runs
    (verdict,) = [each for each in told if each["message"] == "verdict"]
    folded = [each for each in told if each["message"] == "event processed"]
    with read_session(engine) as tx:
        keys = {row.content_hash for row in tx.exec(LineageEventRow.__table__.select()).all()}  # type: ignore[attr-defined]
    assert {each["event_key"] for each in folded} == keys
    assert verdict["lineage_run_id"] in {each.get("lineage_run_id") for each in folded}
    assert (verdict["run_id"], verdict["task_id"], verdict["contract_id"]) == (str(run.id), str(run.task_id), "orders")
    assert verdict["verdict"] == run.verdict


def test_a_request_is_told_by_its_id_without_what_it_asked_for(world: World, told: list[dict[str, Any]]) -> None:
    answer = world.call("viewer", "GET", "/contract?contract_id=secret-name", given={"X-Request-ID": "job-7"})
    assert answer.headers["X-Request-ID"] == "job-7"
    (line,) = [each for each in told if each["message"] == "answered"]
    assert (line["request_id"], line["route"], line["status"], line["method"]) == ("job-7", "/contract", "404", "GET")
    assert "secret-name" not in json.dumps(told)
    world.call("viewer", "GET", "/metrics")
    assert [each["route"] for each in told if each["message"] == "answered"] == ["/contract"]


def test_a_request_that_brings_an_event_names_it(world: World, told: list[dict[str, Any]]) -> None:
    sent(world)
    batch = [event(run=str(UUID(int=at))) for at in (7, 8)]
    assert world.call("producer", "POST", "/lineage/batch", given={"X-Request-ID": "b"}, json=batch).status_code == 200
    (single,) = [each for each in told if each.get("route") == "/lineage"]
    kept = [each for each in told if each["message"] == "event kept"]
    keys = {each.content_hash for each in world.client("viewer").events()}
    assert {single["event_key"], *(each["event_key"] for each in kept)} == keys
    assert ({each["request_id"] for each in kept}, len(keys)) == ({"b"}, 3)


@pytest.fixture
def operator(world: World, monkeypatch: pytest.MonkeyPatch) -> World:
    """The commands ask the service as a producer."""

    @contextmanager
    def opened() -> Any:
        try:
            yield world.client("producer")
        except ClientError as error:
            raise CliError(error.message) from None

    monkeypatch.setattr("treaty.registry.cli.commands.service.open_client", opened)
    return world


def run(*arguments: str) -> int:
    with pytest.raises(SystemExit) as ended:
        main(list(arguments))
    return int(ended.value.code or 0)


def test_the_commands_show_events_and_what_was_refused(operator: World, capsys: pytest.CaptureFixture[str]) -> None:
    sent(operator, 2)
    operator.call("producer", "POST", "/lineage", content=b"no \x1b[2J")
    assert run("lineage", "tail", "-n", "1") == 0
    (line,) = capsys.readouterr().out.splitlines()
    assert "COMPLETE shop load_orders -> file /data/orders  (new; by producer)" in line
    assert run("lineage", "tail", "--json") == 0
    assert len([json.loads(each) for each in capsys.readouterr().out.splitlines()]) == 2
    assert run("lineage", "rejected") == 0
    assert "400" in capsys.readouterr().out
    assert run("lineage", "rejected", str(operator.client("producer").rejected_events()[0].id)) == 0
    assert "\x1b" not in capsys.readouterr().out
    assert run("lineage", "rejected", "seven") == 3


def test_the_inbox_names_the_command_that_tries_an_event_again(
    operator: World, capsys: pytest.CaptureFixture[str]
) -> None:
    which = parked(operator)
    assert run("lineage", "status") == 0
    told = capsys.readouterr().out
    assert "events: 0 new, 0 processed, 1 parked" in told
    (command,) = [each.split() for each in told.splitlines() if each.startswith("  treaty ")]
    assert command == ["treaty", "lineage", "retry", str(which)]
    assert run(*command[1:]) == 0
    assert operator.client("viewer").events()[0].state is LineageEventState.NEW


def test_a_task_that_was_given_up_names_the_command_that_tries_it_again(
    operator: World, capsys: pytest.CaptureFixture[str]
) -> None:
    which = given_up(operator, contract_id="orders", object="orders")
    assert run("tasks") == 0
    assert str(which) in capsys.readouterr().out
    assert run("tasks", "--state", "failed") == 0
    told = capsys.readouterr().out
    assert "engine killed: no" in told
    (command,) = [each.split() for each in told.splitlines() if each.startswith("  treaty ")]
    assert run(*command[1:]) == 0
    capsys.readouterr()
    assert operator.client("viewer").task(which).state is TaskState.QUEUED
    assert run("tasks", "--state", "failed") == 0
    assert capsys.readouterr().out.strip() == "No failed tasks."
    assert run(*command[1:]) == 3


def test_who_may_not_read_everything_does_not_see_what_came(world: World) -> None:
    bare = world.client("producer").issue_token("spark", scopes=[Permission.LINEAGE]).secret
    for path in ("/lineage/events", "/lineage/events/rejected", "/lineage/events/counts"):
        answer = world.http.get(f"/api/v1{path}", headers={"Authorization": f"Bearer {bare}"})
        assert answer.status_code == 403


def test_a_refused_body_is_kept_beside_its_reason(engine: Engine) -> None:
    row = RejectedLineageEventRow(
        id=ids.new(), received_at=NOW, producer="p", status=400, reason="no", body="ä".encode()[:1]
    )
    add(engine, row)
    with read_session(engine) as tx:
        somebody = authentication.Principal(user_id=ids.new(), name="p", roles=frozenset(), permissions=frozenset())
        assert event_listing.refusal(tx, row.id, somebody)[1] == "\ufffd"


def folded(world: World) -> None:
    """Has a worker fold what waits."""
    nothing: Any = None
    worker = Worker(database=world.engine, engine=nothing, evaluate=nothing, large=nothing, settings=RegistrySettings())
    while worker.take_in():
        pass


def known_as(world: World) -> set[tuple[str, str]]:
    """The names of the contract's dataset."""
    return {(each.namespace, each.name) for each in world.client("viewer").contract("shop-orders").datasets}


NOT_KNOWN = {
    "hive://metastore shop.orders": (["CONTRACT", "OBJECT"], ("shop.orders", "hive://metastore")),
    # A job may say a path below its own folder.
    "file /shop-orders": (["shop-orders", "orders"], ("./shop-orders", "file")),
    "file /orders": (["CONTRACT", "OBJECT"], ("orders", "file")),
    "s3://lake shop-orders": (["CONTRACT", "OBJECT"], ("shop-orders", "s3://lake")),
}


@pytest.mark.parametrize("name", NOT_KNOWN)
def test_a_dataset_without_a_contract_becomes_a_name_of_one_that_has(
    operator: World, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    meant, (path, namespace) = NOT_KNOWN[name]
    owner = operator.client("owner")
    made = operator.client("producer").propose(document())
    owner.approve(made.id, owner.preview(made.id).fingerprint)
    sent(operator, 1, at=clock.now().isoformat(), outputs=[output(path, namespace)])
    folded(operator)
    assert run("lineage", "unmatched") == 0
    told = capsys.readouterr().out
    assert f"{name}, written 1 times" in told
    *_, command = [shlex.split(each) for each in told.splitlines() if each.startswith("  treaty ")]
    assert command[:5] == ["treaty", "lineage", "alias", *meant]

    assert run("lineage", "alias", "shop-orders", "orders", *command[5:]) == 0
    (proposal,) = owner.proposals(state="in_review")
    owner.approve(proposal.id, owner.preview(proposal.id).fingerprint)

    assert known_as(operator) == {("file", "/lake/shop-orders"), tuple(name.split(" "))}
    assert operator.client("viewer").contract("shop-orders").active_version == "1.0.1"
    capsys.readouterr()
    assert run("lineage", "unmatched") == 0
    assert capsys.readouterr().out.strip() == "Every dataset written by a job has a contract."


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["shop-orders", "nothing", "file", "/x"], "has no object nothing. Its objects: orders"),
        (["unknown", "orders", "file", "/x"], "Not found, or you do not have access"),
    ],
)
def test_an_alias_of_what_there_is_not_is_refused(
    operator: World, capsys: pytest.CaptureFixture[str], arguments: list[str], said: str
) -> None:
    owner = operator.client("owner")
    made = operator.client("producer").propose(document())
    owner.approve(made.id, owner.preview(made.id).fingerprint)
    assert run("lineage", "alias", *arguments) == 3
    assert said in capsys.readouterr().err
    assert owner.proposals(state="in_review") == []
