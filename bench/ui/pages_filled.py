"""Fill the registry with the largest pages: 500 checks with two years of runs, a draft of 500 suggestions."""

from collections.abc import Iterator, Mapping
from datetime import timedelta
from typing import Any
from uuid import UUID

from sqlalchemy import Engine

from bench.registry.filled import NOW, write
from treaty.contracts.document import writer
from treaty.contracts.fingerprint import fingerprint
from treaty.engine.core import clock
from treaty.engine.core.results import Verdict
from treaty.registry.access import users
from treaty.registry.browse import search
from treaty.registry.core import ids
from treaty.registry.core.database import transaction
from treaty.registry.core.enums import ProposalState, Role, TaskState, VersionState
from treaty.registry.review.proposals import proposals
from treaty.registry.tables import (
    CheckResultRow,
    ContractRow,
    ContractVersionRow,
    DatasetContractRow,
    DatasetRow,
    MeasurementRow,
    ProposalRow,
    RunRow,
    TaskRow,
    UserRow,
)

CHECKS, DAYS, NAME = 500, 730, "large"
PASSWORD = "a password for figures"
Rows = Iterator[Mapping[str, Any]]


def document(contract_id: str, *, checks: int) -> dict[str, Any]:
    """Return a contract of one table with twenty columns and `checks` checks of their means."""
    columns = [{"name": f"c{at}", "logicalType": "number", "physicalType": "double"} for at in range(20)]
    quality = [
        {
            "id": f"check-{at}",
            "name": f"mean of c{at % 20}, {at}",
            "type": "custom",
            "engine": "treaty",
            "implementation": {
                "analyzer": "mean", "column": f"c{at % 20}", "where": f"c0 <> {at}", "mustBeGreaterThan": 0,
            },
        }
        for at in range(checks)
    ]  # fmt: skip
    table = {"name": "rows", "physicalName": f"/lake/{contract_id}", "properties": columns, "quality": quality}
    head = {"apiVersion": "v3.1.0", "kind": "DataContract", "id": contract_id, "name": contract_id, "version": "1.0.0"}
    return {**head, "status": "active", "schema": [table]}


def large(engine: Engine) -> UUID:
    """Add both, and an owner `reader` with PASSWORD; return the id of the draft."""
    now = clock.now()
    with transaction(engine) as tx:
        reader = users.new_user(ids.new(), name="reader", password=PASSWORD, roles=[Role.OWNER], now=now)
        author = users.new_user(ids.new(), name="author", password=None, roles=[Role.PRODUCER], now=now)
        for each in (reader, author):
            users.create_user(tx, each, actor="bench", now=now)
        tx.commit()
        owner, by = reader.id, author
        review = _draft(tx, by)
        tx.commit()
    with engine.begin() as connection:
        for table, rows in _rows(owner).items():
            write(connection, table, rows)
    search.complete(engine, rebuild=True)
    return review


def _draft(tx: Any, author: UserRow) -> UUID:
    now = clock.now()
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
        title="Draft of many",
        base=writer.write({**document("many", checks=0), "status": "draft"}),
        source={"object": "rows", "location": "/lake/many", "format": "parquet", "partition_by": ["day"]},
        author_id=author.id,
        state=ProposalState.IN_REVIEW,
        task_id=task.id,
        created_at=now,
    )
    tx.add(task)
    proposals.create_drafted(tx, proposal, [_suggestion(at) for at in range(CHECKS)], make_id=ids.new, now=now)
    return proposal.id


def _suggestion(at: int) -> dict[str, Any]:
    column = f"c{at % 20}"
    history = [[f"day={day}", 100.0 + (day * 7 + at) % 13] for day in range(60)]
    evidence = {
        "rows": 60_000, "partitions": 60, "held": 60, "learned_on": 42, "judged_on": 18, "history": history,
        "limits": [95, 120],
    }  # fmt: skip
    check = {
        "id": f"mean-{at}", "type": "custom", "engine": "treaty",
        "implementation": {"analyzer": "mean", "column": column, "where": f"c0 <> {at}", "mustBeBetween": [95, 120]},
    }  # fmt: skip
    return {
        "id": f"rows.{column}.{at}", "kind": "mean_band", "object": "rows", "column": column, "severity": "error",
        "sentence": f"the mean of {column} lies between 95 and 120, {at}", "expression": f"mean of {column}",
        "patch": {"quality": check}, "evidence": evidence,
    }  # fmt: skip


def _rows(owner: UUID) -> dict[Any, Rows]:
    content, dataset = document(NAME, checks=CHECKS), ids.new()
    runs = [(ids.new(), day) for day in range(DAYS)]
    content_hash = fingerprint(content)
    return {
        ContractRow: iter(
            [ContractRow(id=NAME, name=NAME, owner_id=owner, active_version="1.0.0", created_at=NOW).model_dump()]
        ),
        ContractVersionRow: iter([_version(content, content_hash, owner)]),
        DatasetRow: iter(
            [DatasetRow(id=dataset, namespace="file", name=f"/lake/{NAME}", location=f"/lake/{NAME}").model_dump()]
        ),
        DatasetContractRow: iter([{"dataset_id": dataset, "contract_id": NAME, "object": "rows"}]),
        RunRow: (_run(run, day, dataset, content_hash) for run, day in runs),
        CheckResultRow: (row for run, day in runs for row in _results(run, day)),
        MeasurementRow: (row for run, day in runs for row in _measurements(run, day)),
    }


def _version(content: Mapping[str, Any], created: str, owner: UUID) -> Mapping[str, Any]:
    return ContractVersionRow(
        id=ids.new(),
        contract_id=NAME,
        version="1.0.0",
        body=writer.write(content),
        fingerprint=created,
        state=VersionState.ACTIVE,
        approved_by_id=owner,
        approved_at=NOW,
    ).model_dump()


def _run(run: UUID, day: int, dataset: UUID, created: str) -> Mapping[str, Any]:
    at = NOW + timedelta(days=day - DAYS)
    return RunRow(
        id=run,
        contract_id=NAME,
        version="1.0.0",
        fingerprint=created,
        object="rows",
        dataset_id=dataset,
        partitions=[f"day={day:04}"],
        verdict=Verdict.FAILED if day % 40 == 39 else Verdict.PASSED,
        outcome_counts={"passed": CHECKS},
        started_at=at,
        finished_at=at,
        dataset_fingerprint="m",
        states_version=1,
    ).model_dump()


def _results(run: UUID, day: int) -> Rows:
    for at in range(CHECKS):
        yield CheckResultRow(
            run_id=run,
            position=at,
            check_id=f"check-{at}",
            name=f"mean of c{at % 20}, {at}",
            outcome="failed" if day % 40 == 39 and at == 0 else "passed",
            severity="error",
            scope="delta",
            partition=f"day={day:04}",
            sentence="mean must be greater than 0",
            value=str(100.0 + (day * 7 + at) % 13),
            measurement=f"metric-{at}",
        ).model_dump()


def _measurements(run: UUID, day: int) -> Rows:
    for at in range(CHECKS):
        value = 100.0 + (day * 7 + at) % 13
        yield {
            "run_id": run, "position": at, "contract_id": NAME, "object": "rows", "identity": f"metric-{at}",
            "analyzer": "mean", "arguments": {"column": f"c{at % 20}"}, "partition": f"day={day:04}", "value": value,
            "exact": str(value), "reason": None, "measured_at": NOW + timedelta(days=day - DAYS), "row_count": 1000,
            "details": None, "subscription_id": None, "data_at": None, "segment": None,
        }  # fmt: skip
