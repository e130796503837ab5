"""Allowed locations over the API, and the doors at which they are checked: drafts, approvals, the worker."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, cast

import pytest
from sqlalchemy import Engine
from sqlmodel import select
from support.api import World, build, document
from support.engines import FakeEngine
from support.hostile_locations import BENIGN, HOSTILE, REPORTED, Location, prepared
from support.scenes import orders

from treaty.engine.core.errors import EngineError, RefusedTable
from treaty.engine.core.locations.rules import AllowedLocation, LocationRules
from treaty.engine.protocol.requests import (
    DraftRequest,
    DraftResult,
    LakeRequest,
    LakeTable,
    MeasureRequest,
    ReferableKey,
    TableSource,
)
from treaty.engine.protocol.row_requests import ExactRequest, SampleRequest
from treaty.registry import schemas
from treaty.registry.client import ClientError
from treaty.registry.contracts.locations import allowed_locations
from treaty.registry.contracts.locations.reserved_locations import reserved_locations
from treaty.registry.core.database import read_session
from treaty.registry.core.settings import RegistrySettings
from treaty.registry.tables import TaskRow
from treaty.registry.worker.restricted_engine import RestrictedEngine

# A catalog table, which the rules admit.
OWN = TableSource("orders")
SQLITE = pytest.mark.parametrize("kind", ["sqlite"])


@pytest.fixture
def disk(tmp_path: Path) -> Path:
    return prepared(tmp_path.resolve() / "disk")


@pytest.fixture
def settings(disk: Path) -> dict[str, Any]:
    places = (disk / "data", "s3://lake/raw", "gs://", "hdfs:///warehouse")
    containers = ("abfs://box@account.dfs.core.windows.net/tables", "vip")
    return {"home": disk / "data" / "home", "locations": ",".join(map(str, (*places, *containers)))}


@pytest.fixture
def closed(engine: Engine, settings: dict[str, Any], disk: Path) -> Iterator[World]:
    """A service with few allowed locations, one of them for the domain finance."""
    world = build(engine, **settings)
    with world.http:
        world.client("admin").add_location(str(disk / "data" / "finance"), domain="finance")
        yield world


def drafted(world: World, location: str, format_name: str | None = None, who: str = "producer") -> int:
    """The status of the answer to a request for a draft."""
    body = {"location": location, "format": format_name, "contract_id": "orders", "object": "orders"}
    sent = {"content": json.dumps(body), "given": {"Content-Type": "application/json"}}
    return int(world.call(who, "POST", "/drafts", **sent).status_code)


def refused(call: Callable[[], object]) -> ClientError:
    with pytest.raises(ClientError) as caught:
        call()
    return caught.value


def test_without_an_allowed_location_no_file_can_be_drafted(engine: Engine, tmp_path: Path) -> None:
    world = build(engine, home=tmp_path / "home", locations="")
    with world.http:
        assert drafted(world, str(tmp_path / "data")) == 422
        world.client("admin").add_location(str(tmp_path))
        assert drafted(world, str(tmp_path / "data")) == 202


@SQLITE
def test_no_hostile_draft_is_accepted(closed: World, disk: Path) -> None:
    assert [each for each in HOSTILE if drafted(closed, each.at(disk), each.format) != 422] == []
    with read_session(closed.engine) as tx:
        assert tx.exec(select(TaskRow)).all() == []


@SQLITE
def test_every_benign_draft_is_accepted(closed: World, disk: Path) -> None:
    assert [each for each in BENIGN if drafted(closed, each.at(disk), each.format) != 202] == []


def test_the_text_of_a_refusal_says_what_to_do(closed: World) -> None:
    producer = closed.client("producer")
    wish = schemas.DraftIn(location="/srv/t", contract_id="orders", object="orders")
    assert str(refused(lambda: producer.request_draft(wish))) == (
        "The data may not be read\n"
        "  /srv/t is not under an allowed location. An administrator can add it: treaty locations add /srv/t"
    )


@pytest.mark.parametrize("location", [REPORTED[0], REPORTED[4], REPORTED[12], Location("{disk}/data/link/t")])
def test_no_contract_about_such_data_is_approved(closed: World, disk: Path, location: Location) -> None:
    proposal = closed.client("producer").propose(document(physical=location.at(disk)))
    owner = closed.client("owner")

    error = refused(lambda: owner.approve(proposal.id, owner.preview(proposal.id).fingerprint))

    assert error.status == 422
    assert [each.where for each in error.faults] == ["schema.orders"]
    assert closed.client("owner").contracts() == []


def test_a_contract_lies_in_the_domain_that_its_location_is_for(closed: World, disk: Path) -> None:
    owner, statuses = closed.client("owner"), []
    for domain in ("sales", "finance"):
        text = document(domain, physical=str(disk / "data" / "finance" / "t")) + f"domain: {domain}\n"
        proposal = closed.client("producer").propose(text)
        body = {"fingerprint": owner.preview(proposal.id).fingerprint}
        statuses.append(closed.call("owner", "POST", f"/proposals/{proposal.id}/approve", json=body).status_code)

    assert statuses == [422, 200]


def test_administrators_add_and_remove_locations(closed: World, disk: Path) -> None:
    admin = closed.client("admin")
    added = admin.add_location("S3A://Other//bucket/")

    assert (added.location, added.domain, added.added_by) == ("s3://other/bucket", None, "admin")
    assert refused(lambda: admin.add_location("s3://other/bucket")).status == 409
    assert [each.location for each in admin.locations()][-2:] == [str(disk / "data" / "finance"), "s3://other/bucket"]
    assert drafted(closed, "s3://other/bucket/t") == 202
    assert added.id
    admin.remove_location(added.id)
    assert drafted(closed, "s3://other/bucket/t") == 422
    assert refused(lambda: admin.remove_location(added.id)).status == 404  # type: ignore[arg-type]
    assert closed.audited()[-3:] == ["location:added", "draft:requested", "location:removed"]


@pytest.mark.parametrize("who", ["owner", "producer", "viewer"])
def test_nobody_else_does(closed: World, who: str) -> None:
    client = closed.client(who)
    own = closed.client("admin").locations()[-1].id
    assert own
    calls = (client.locations, lambda: client.add_location("s3://other"), lambda: client.remove_location(own))

    assert [refused(call).status for call in calls] == [403, 403, 403]


@pytest.mark.parametrize(
    "location",
    [
        "{disk}/data/home",
        "{disk}/data/home/states",
        "{disk}/data/home/key",
        "/proc/self",
        "jdbc:x",
        "./data",
        "{disk}/../x",
        "s3:///x",
    ],
)
def test_such_locations_cannot_be_allowed(closed: World, disk: Path, location: str) -> None:
    error = refused(lambda: closed.client("admin").add_location(location.format(disk=disk)))

    assert (error.status, [each.where for each in error.faults]) == (422, ["location"])


@pytest.mark.parametrize(
    ("url", "named"),
    [("", "/srv/treaty/treaty.db*"), ("sqlite:////var/x.db", "/var/x.db*"), ("postgresql://u:secret@db/x", None)],
)
def test_the_files_of_the_service_are_reserved(url: str, named: str | None) -> None:
    store = "s3://key:secret@states/treaty?endpoint_override=minio:9000"
    settings = RegistrySettings(home="/srv/treaty", database_url=url, hash_key_file="/keys/own", state_url=store)
    reserved = reserved_locations(settings)

    assert LocationRules(reserved=reserved).resolve().is_inside_reserved("s3a://states/treaty/x")
    assert {"/srv/treaty/states", "/srv/treaty/logs", "/keys/own", "/srv/treaty/audit-key"} < set(reserved)
    assert [each for each in reserved if each.endswith("*")] == ([named] if named else [])
    assert "secret" not in str(reserved)


@pytest.fixture
def restricted(closed: World, settings: dict[str, Any]) -> RestrictedEngine:
    def rules() -> Any:
        with read_session(closed.engine) as tx:
            return allowed_locations.rules(tx, RegistrySettings(**settings))

    return RestrictedEngine(FakeEngine(), rules)


@SQLITE
def test_the_worker_sends_no_hostile_location_to_spark(restricted: RestrictedEngine, disk: Path) -> None:
    sources = [TableSource(each.at(disk), each.format) for each in HOSTILE]
    sent = [(each, name) for each in sources for name, send in sends(restricted, each).items() if not is_refused(send)]

    assert sent == []
    assert restricted.inner.requests == []  # type: ignore[attr-defined]


def sends(engine: RestrictedEngine, source: TableSource) -> dict[str, Callable[[], object]]:
    """A request of every kind about that source."""
    contract: dict[str, Any] = {"source": source, "contract": b"", "object": "t"}
    return {
        "measure": lambda: engine.measure(MeasureRequest(**contract)),
        "target": lambda: engine.measure(MeasureRequest(**{**contract, "source": OWN}, target_table=source)),
        "draft": lambda: engine.draft(DraftRequest(source=source, contract_id="t", object="t")),
        "sample": lambda: engine.sample(SampleRequest(**contract, failed_checks={})),
        "exact": lambda: engine.exact_values(ExactRequest(**contract, uncertain_checks={})),
    }


def is_refused(send: Callable[[], object]) -> bool:
    with pytest.raises(EngineError) as caught:
        send()
    return isinstance(caught.value, RefusedTable) and not caught.value.retry


@SQLITE
def test_every_source_that_is_sent_carries_the_rules(restricted: RestrictedEngine, disk: Path) -> None:
    own, other = TableSource(str(disk / "data" / "t")), TableSource("/etc/passwd", "text")
    fake = cast("FakeEngine", restricted.inner)
    fake.tables[own.location] = {}
    fake.drafted = DraftResult(b"", (), {})
    datasets, keys = {"a": own, "b": other}, tuple(ReferableKey("a", each, "id") for each in (own, other))
    restricted.measure(MeasureRequest(source=own, contract=b"", object="t", datasets=datasets, target_table=own))
    restricted.learn(LakeRequest("lake", tuple(table(each.location) for each in (own, other))))
    restricted.draft(DraftRequest(source=own, contract_id="t", object="t", keys=keys))

    measured, learned, drafted = cast("Any", fake.requests)
    sent = (measured.source, measured.target_table, *measured.datasets.values(), drafted.source)
    assert [each.rules is None for each in sent] == [False] * 5
    assert [(each.location, each.rules is None) for each in learned.tables] == [(own.location, False)]
    assert [(each.source.location, each.source.rules is None) for each in drafted.keys] == [(own.location, False)]


def table(location: str) -> LakeTable:
    return LakeTable(name=location, location=location, format=None, columns=(), as_of="")


@pytest.mark.parametrize(("location", "verdict"), [("/data", "passed"), ("/other", "not_evaluated")])
def test_a_table_that_may_not_be_read_gets_a_run_that_says_why(
    engine: Engine, tmp_path: Path, location: str, verdict: str
) -> None:
    scene = orders(engine, tmp_path)
    allowed = LocationRules((AllowedLocation(location),))
    scene.engine = RestrictedEngine(scene.engine, lambda: allowed)  # type: ignore[assignment]
    scene.ask()

    scene.work()

    (run,) = scene.runs
    assert run.verdict == verdict
    assert ("treaty locations add /data/orders" in str(run.reason)) is (location == "/other")
