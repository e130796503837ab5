"""A registry for the pages to show: a web shop's orders with a draft in review, a contract in force and three runs."""

import random
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import UUID

import uvicorn
from fastapi.testclient import TestClient
from support.api import World, application, build
from support.databases import sqlite_copy, sqlite_template
from support.locations import EVERYWHERE
from support.ports import free_port

from treaty.contracts.document import writer
from treaty.engine.core import clock
from treaty.engine.core.results import CheckResult, Measurement, Outcome, RunResult, ViolationSample
from treaty.registry.client import Client
from treaty.registry.contracts import lookup
from treaty.registry.core import ids
from treaty.registry.core.database import transaction
from treaty.registry.core.enums import ProposalState, TaskState
from treaty.registry.core.settings import RegistrySettings
from treaty.registry.incidents import lifecycle
from treaty.registry.measurements.runs import recording, samples
from treaty.registry.measurements.runs.recording import RunProvenance
from treaty.registry.review.proposals import proposals
from treaty.registry.tables import ProposalRow, TaskRow

DAYS = [f"day=2026-02-{number:02d}" for number in range(1, 26)]
LOCATION = "/lake/shop/orders"
HOSTILE = {
    "script": "<script>window.hurt = 1</script>",
    "image": "![p](http://tracker.invalid/x.png)",
    "colour": ":red[alarm] :material/bolt: $x^2$ [go](javascript:alert(1)) http://tracker.invalid/ a@tracker.invalid",
}


@dataclass
class Shop:
    """The registry, and the ids of what is in it."""

    world: World
    review: UUID
    own: UUID
    hostile: UUID
    failed_run: UUID
    passed_run: UUID

    def client(self, who: str) -> Client:
        """The registry as that user."""
        return self.world.client(who)

    def copy(self, folder: Path) -> "Shop":
        """The same registry in another folder, with the same people and sessions; this one must be closed before."""
        engine = sqlite_copy(Path(str(self.world.engine.url.database)), folder)
        http = TestClient(
            application(RegistrySettings(home=folder, locations=EVERYWHERE), engine), raise_server_exceptions=False
        )
        return replace(self, world=replace(self.world, engine=engine, http=http))

    def close(self) -> None:
        """Closes its database."""
        self.world.engine.dispose()


def shop(folder: Path) -> Shop:
    """A registry in that folder with everything that the pages show."""
    world = build(sqlite_copy(sqlite_template(folder), folder))
    proposal = drafted(world, "producer", "shop-orders", suggestions())
    hostile = drafted(world, "producer", "hostile", hostile_suggestions(), title=HOSTILE["image"])
    own = drafted(world, "owner", "shop-customers", suggestions()[:3], state=ProposalState.DRAFT)
    failed, passed = _in_force(world)
    return Shop(world, proposal, own, hostile, failed, passed)


def document(contract_id: str, *, version: str = "1.0.0") -> str:
    """A contract of the orders, without promises."""
    columns = [
        {"name": "order_id", "logicalType": "integer", "physicalType": "bigint"},
        {"name": "customer_id", "logicalType": "integer", "physicalType": "bigint"},
        {"name": "status", "logicalType": "string", "physicalType": "string"},
        {"name": "amount", "logicalType": "number", "physicalType": "decimal(10,2)"},
        {"name": "country", "logicalType": "string", "physicalType": "string"},
        {"name": "day", "logicalType": "date", "physicalType": "date", "partitioned": True, "partitionKeyPosition": 1},
    ]
    table = {
        "name": "orders",
        "physicalName": f"{LOCATION}/{contract_id}",
        "physicalType": "table",
        "properties": columns,
    }
    head = {"apiVersion": "v3.1.0", "kind": "DataContract", "id": contract_id, "name": contract_id, "version": version}
    return writer.write({**head, "status": "draft", "schema": [table]}).decode()


def suggestions() -> list[dict[str, Any]]:
    """Suggestions of every kind, as the engine drafts them."""
    noise = random.Random(7)
    band = [noise.randint(1150, 1350) for _ in DAYS]
    share = [round(noise.uniform(0.991, 1.0), 4) for _ in DAYS]
    return [
        _suggestion("row_count_band", None, "a partition has between 1,009 and 1,522 rows", band, (1009, 1522)),
        _suggestion("complete", "order_id", "order_id is required", [1.0] * 25, (1, None)),
        _suggestion("unique", "order_id", "order_id is unique in the whole table", [1.0] * 25, (1, None)),
        _suggestion("complete", "customer_id", "customer_id is required", [1.0] * 25, (1, None)),
        _suggestion("categorical", "status", "status is one of 4 known values", [1.0] * 25, (1, None), details=STATUS),
        _suggestion("complete", "status", "status is required", [1.0] * 25, (1, None)),
        _suggestion(
            "non_negative", "amount", "amount is never negative", [noise.uniform(0.4, 3) for _ in DAYS], (0, None)
        ),
        _suggestion(
            "value_range", "amount", "amount lies between 0 and 480 in at least 99% of the rows", share, (0.99, None)
        ),
        _suggestion(
            "categorical", "country", "country is one of 6 known values", [1.0] * 25, (1, None), details=COUNTRY
        ),
        _suggestion("complete", "country", "country is required", [*[1.0] * 24, 0.996], (1, None), failed=DAYS[24:]),
    ]


STATUS = {"values": ["delivered", "open", "returned", "shipped"], "counts": [22014, 3108, 911, 5207]}
COUNTRY = {"values": ["AT", "CH", "DE", "FR", "NL", "SE"], "counts": [2811, 1904, 17322, 4120, 3307, 1776]}


def hostile_suggestions() -> list[dict[str, Any]]:
    """Suggestions whose every text tries to be more than text."""
    shown = {"values": list(HOSTILE.values()), "counts": [3, 2, 1]}
    return [
        _suggestion("categorical", HOSTILE["image"], HOSTILE["script"], [1.0] * 25, (1, None), details=shown),
        _suggestion("complete", HOSTILE["colour"], HOSTILE["image"], [1.0] * 25, (1, None)),
        _suggestion("unique", HOSTILE["script"], HOSTILE["colour"], [1.0] * 25, (1, None)),
    ]


def _suggestion(
    kind: str,
    column: str | None,
    sentence: str,
    values: list[Any],
    limits: tuple[float | None, float | None],
    *,
    details: dict[str, Any] | None = None,
    failed: list[str] | None = None,
) -> dict[str, Any]:
    check = {"id": f"{kind}-{column or 'table'}".replace("_", "-"), "name": sentence, "type": "text"}
    word = {"complete": "required", "unique": "unique"}.get(kind)
    return {
        "id": f"orders.{column}.{kind}",
        "kind": kind,
        "object": "orders",
        "column": column,
        "sentence": sentence,
        "expression": f"{kind} of {column or 'the table'}",
        "severity": "warning" if kind == "value_range" else "error",
        "patch": {word: True} if word else {"quality": check},
        "evidence": {
            "rows": 31_240,
            "partitions": 25,
            "held": 25 - len(failed or ()),
            "failed_on": failed or [],
            "learned_on": 18,
            "judged_on": 7,
            "history": [[day, value] for day, value in zip(DAYS, values, strict=True)],
            "limits": list(limits),
            "details": details or {},
        },
    }


def drafted(
    world: World,
    author: str,
    contract_id: str,
    suggested: list[dict[str, Any]],
    *,
    state: ProposalState = ProposalState.IN_REVIEW,
    title: str = "",
) -> UUID:
    """A proposal of that author with those suggestions."""
    now = clock.now() - timedelta(minutes=42)
    task = TaskRow(
        id=ids.new(),
        kind="draft",
        payload={},
        key=str(ids.new()),
        state=TaskState.DONE,
        available_at=now,
        created_at=now,
    )
    proposal = ProposalRow(
        id=ids.new(),
        contract_id="",
        title=title,
        base=document(contract_id).encode(),
        source={"object": "orders", "location": LOCATION, "format": "parquet", "partition_by": ["day"]},
        author_id=world.users[author].id,
        state=state,
        task_id=task.id,
        created_at=now,
    )
    with transaction(world.engine) as tx:
        tx.add(task)
        proposals.create_drafted(tx, proposal, suggested, make_id=ids.new, now=now)
        tx.commit()
        return proposal.id


IN_FORCE = """\
    quality:
      - id: row-count
        name: rows of a day
        type: custom
        engine: treaty
        implementation: {analyzer: size, mustBeBetween: [1009, 1522]}
      - id: status-values
        name: known values of status
        type: custom
        engine: treaty
        severity: warning
        implementation: {analyzer: compliance, predicate: "status IN ('open', 'shipped')", mustBeGreaterOrEqualTo: 0.99}
"""
BROKEN = {
    "finding": "97.3 % of 612 rows keep it (required: at least 99 %); 17 rows do not",
    "row_count": 612,
    "violating_rows": 17,
}
SAMPLE = ViolationSample(
    check_id="status-values",
    columns=("status", "order_id", "customer_id", "note"),
    masked=("customer_id",),
    rows=(("OPEN", "10231", "•••", HOSTILE["image"]), (None, "10377", None, ""), ("Shipped", "10411", "•••", "x")),
)


def _in_force(world: World) -> tuple[UUID, UUID]:
    producer, owner = world.client("producer"), world.client("owner")
    text = document("shop-sales").replace("    properties:", f"{IN_FORCE}    properties:")
    made = producer.propose(text, title="Sales of the shop")
    owner.approve(made.id, owner.preview(made.id).fingerprint)
    now = clock.now()
    passed = _run(world, now - timedelta(days=1), 23, failing=False)
    return _run(world, now - timedelta(minutes=9), 24, failing=True), passed


def _run(world: World, finished: datetime, day: int, *, failing: bool) -> UUID:
    sizes = [1180 + 37 * (number % 7) for number in range(day)] + [612 if failing else 1241]
    measured = [_measured("size", DAYS[number], size) for number, size in enumerate(sizes)]
    result = RunResult(
        contract_id="shop-sales",
        contract_version="1.0.0",
        contract_fingerprint="0" * 64,
        object="orders",
        partitions=(DAYS[day],),
        rows=sizes[-1],
        started_at=finished - timedelta(seconds=4.2),
        finished_at=finished,
        results=(
            _result(
                "row-count", "size of the table must be between 1009 and 1522", sizes[-1], DAYS[day], failed=failing
            ),
            _result(
                "status-values",
                "compliance must be at least 0.99",
                0.973,
                DAYS[day],
                failed=failing,
                severity="warning",
            ).model_copy(update=BROKEN if failing else {}),
            _result("order-id-required", "order_id is required", 1.0, DAYS[day]),
            CheckResult(
                check_id="amount-mean",
                name="mean amount",
                outcome=Outcome.NOT_EVALUATED if failing else Outcome.PASSED,
                severity="error",
                scope="delta",
                partition=DAYS[day],
                sentence="mean of amount must be at most 90",
                reason="the column amount is text now; mean takes numbers" if failing else None,
            ),
        ),
        measurements=tuple(measured),
    )
    run_id = ids.new()
    with transaction(world.engine) as tx:
        (dataset, _) = lookup.datasets(tx, "shop-sales")[0]
        dataset.location, dataset.partition_by = LOCATION, ["day"]
        run = recording.record(
            tx, run_id, result, RunProvenance(dataset_id=dataset.id, dataset_fingerprint="m"), now=finished
        )
        if failing:
            lifecycle.apply_run(tx, run, result, now=finished, ids=ids.new)
        samples.keep(tx, run_id, (SAMPLE,) if failing else (), until=finished + timedelta(days=30), now=finished)
        tx.commit()
    return run_id


def _measured(analyzer: str, partition: str, value: float) -> Measurement:
    return Measurement(analyzer=analyzer, arguments={}, partition=partition, value=value, identity=analyzer)


def _result(
    check_id: str, sentence: str, value: float, partition: str, *, failed: bool = False, severity: str = "error"
) -> CheckResult:
    return CheckResult(
        check_id=check_id,
        name=check_id.replace("-", " "),
        outcome=Outcome.FAILED if failed else Outcome.PASSED,
        severity=severity,
        scope="delta",
        partition=partition,
        sentence=sentence,
        value=value,
        measurement="size" if check_id == "row-count" else None,
    )


@contextmanager
def served(app: Any, *, port: int | None = None) -> Iterator[str]:
    """The address at which that application answers meanwhile, in a thread of this process."""
    port = port or free_port()
    server = uvicorn.Server(uvicorn.Config(app, host="127.0.0.1", port=port, log_level="error"))
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    deadline = time.monotonic() + 20
    while not server.started:
        assert time.monotonic() < deadline, "the API did not start"
        time.sleep(0.02)
    try:
        yield f"http://127.0.0.1:{port}"
    finally:
        server.should_exit = True
        thread.join(10)
