"""Fill a registry in bulk as if used for years: contracts with versions, runs and measurements."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import islice
from random import Random
from typing import Any
from uuid import UUID

from sqlalchemy import Connection, Engine

from treaty.contracts.document import writer
from treaty.contracts.fingerprint import fingerprint
from treaty.engine.core.results import Verdict
from treaty.registry.access import users
from treaty.registry.browse import search
from treaty.registry.core import ids
from treaty.registry.core.database import migrate, transaction
from treaty.registry.core.enums import Permission, Role, VersionState
from treaty.registry.tables import (
    CheckResultRow,
    ContractRow,
    ContractVersionRow,
    DatasetContractRow,
    DatasetRow,
    MeasurementRow,
    RunRow,
    UserRow,
)

NOW = datetime(2026, 6, 1, tzinfo=UTC)
VERSIONS, RUNS, PARTITIONS, METRICS = 5, 200, 5, 10
AT_ONCE = 5_000
WORDS = [
    "order",
    "customer",
    "payment",
    "invoice",
    "shipment",
    "product",
    "price",
    "stock",
    "return",
    "refund",
    "visit",
    "session",
    "campaign",
    "lead",
]
DOMAINS = ("sales", "finance", "logistics", "marketing")
Rows = Iterator[Mapping[str, Any]]


@dataclass(frozen=True)
class People:
    """Tokens of an owner and a producer."""

    owner: str
    producer: str


def filled(engine: Engine, datasets: int, *, runs: int = RUNS) -> People:
    """Migrate and fill an empty database, with `runs` runs per dataset; return its tokens."""
    migrate(engine)
    owner, tokens = _people(engine)
    contracts = [_contract(number, Random(number)) for number in range(datasets)]
    with engine.begin() as connection:
        for table, rows in _rows(contracts, owner.id, runs).items():
            write(connection, table, rows)
    search.complete(engine, rebuild=True)
    return tokens


def _people(engine: Engine) -> tuple[UserRow, People]:
    secrets = []
    with transaction(engine) as tx:
        for role in (Role.OWNER, Role.PRODUCER):
            user = users.new_user(ids.new(), name=role.value, password=None, roles=[role], now=NOW)
            users.create_user(tx, user, actor="bench", now=NOW)
            scopes = [Permission.READ, Permission.PROPOSE, Permission.DECIDE, Permission.TOKENS]
            granted = scopes if role is Role.OWNER else scopes[:2]
            token = users.new_token(ids.new(), user_id=user.id, name="bench", scopes=granted, now=NOW)
            by = _everybody(user)
            secrets.append((user, users.issue_token(tx, token, by=by, now=NOW)))
        tx.commit()
    return secrets[0][0], People(secrets[0][1], secrets[1][1])


def _everybody(user: UserRow) -> Any:
    from treaty.registry.access.authentication import Principal

    return Principal(user_id=user.id, name=user.name, roles=frozenset({Role.ADMIN}), permissions=frozenset(Permission))


@dataclass(frozen=True)
class FilledContract:
    """A contract, its dataset, and its versions; the last one is in force."""

    id: str
    domain: str
    dataset_id: UUID
    versions: Sequence[Mapping[str, Any]]


def document(number: int, version: str, random: Random) -> dict[str, Any]:
    """Return a contract of one table with twenty columns and some text."""
    words = random.sample(WORDS, 3)
    columns = [f"{random.choice(WORDS)}_{at}" for at in range(19)]
    properties = [{"name": each, "logicalType": "string", "physicalType": "string"} for each in columns]
    day = {"name": "day", "logicalType": "date", "partitioned": True, "partitionKeyPosition": 1}
    name = f"{words[0]}_{words[1]}_{number}"
    return {
        "apiVersion": "v3.1.0",
        "kind": "DataContract",
        "id": name,
        "name": name,
        "version": version,
        "status": "active",
        "domain": DOMAINS[number % len(DOMAINS)],
        "tags": words,
        "description": {"purpose": f"What is known of every {words[2]}, as of {version}"},
        "schema": [{"name": "rows", "physicalName": f"/lake/{name}", "properties": [*properties, day]}],
    }


def _contract(number: int, random: Random) -> FilledContract:
    seed = random.random()
    versions = [document(number, f"{major}.0.0", Random(seed)) for major in range(1, VERSIONS + 1)]
    return FilledContract(versions[0]["id"], versions[0]["domain"], ids.new(), versions)


def _rows(contracts: Sequence[FilledContract], owner_id: UUID, each_has: int) -> dict[Any, Rows]:
    runs = [(filled_contract, at, ids.new()) for filled_contract in contracts for at in range(each_has)]
    return {
        ContractRow: (_as_contract(each, owner_id) for each in contracts),
        ContractVersionRow: (row for each in contracts for row in _versions(each, owner_id)),
        DatasetRow: (_dataset(each) for each in contracts),
        DatasetContractRow: ({"dataset_id": e.dataset_id, "contract_id": e.id, "object": "rows"} for e in contracts),
        RunRow: (_run(*each) for each in runs),
        CheckResultRow: (row for filled_contract, at, run_id in runs if at == each_has - 1 for row in _results(run_id)),
        MeasurementRow: (row for each in runs for row in _measurements(*each)),
    }


def _as_contract(filled: FilledContract, owner_id: UUID) -> Mapping[str, Any]:
    return ContractRow(
        id=filled.id,
        name=filled.id,
        owner_id=owner_id,
        active_version=f"{VERSIONS}.0.0",
        domain=filled.domain,
        created_at=NOW,
    ).model_dump()


def _versions(filled: FilledContract, owner_id: UUID) -> Rows:
    for at, content in enumerate(filled.versions, start=1):
        yield ContractVersionRow(
            id=ids.new(),
            contract_id=filled.id,
            version=content["version"],
            body=writer.write(content),
            fingerprint=fingerprint(content),
            state=VersionState.ACTIVE if at == VERSIONS else VersionState.SUPERSEDED,
            approved_by_id=owner_id,
            approved_at=NOW + timedelta(minutes=at),
        ).model_dump()


def _dataset(filled: FilledContract) -> Mapping[str, Any]:
    return DatasetRow(
        id=filled.dataset_id,
        namespace="file",
        name=f"/lake/{filled.id}",
        location=f"/lake/{filled.id}",
        states_version=1,
    ).model_dump()


def _at(number: int) -> datetime:
    return NOW + timedelta(hours=number)


def _run(filled: FilledContract, at: int, run_id: UUID) -> Mapping[str, Any]:
    return RunRow(
        id=run_id,
        contract_id=filled.id,
        version=f"{VERSIONS}.0.0",
        fingerprint=fingerprint(filled.versions[-1]),
        object="rows",
        dataset_id=filled.dataset_id,
        partitions=[f"day={at}-{part}" for part in range(PARTITIONS)],
        verdict=Verdict.FAILED if at % 40 == 39 else Verdict.PASSED,
        outcome_counts={"passed": METRICS},
        started_at=_at(at),
        finished_at=_at(at),
        dataset_fingerprint="m",
        states_version=1,
    ).model_dump()


def _results(run_id: UUID) -> Rows:
    for position in range(METRICS):
        yield CheckResultRow(
            run_id=run_id,
            position=position,
            check_id=f"check-{position}",
            name=f"check {position}",
            outcome="passed",
            severity="error",
            scope="delta",
            sentence="it must be so",
        ).model_dump()


def _measurements(filled: FilledContract, at: int, run_id: UUID) -> Rows:
    for position in range(PARTITIONS * METRICS):
        part, metric = divmod(position, METRICS)
        yield {
            "run_id": run_id,
            "position": position,
            "contract_id": filled.id,
            "object": "rows",
            "identity": f"metric-{metric}",
            "analyzer": "mean",
            "arguments": {"column": "amount"},
            "partition": f"day={at:04}-{part}",
            "value": float(at),
            "exact": str(at),
            "reason": None,
            "measured_at": _at(at),
            "row_count": 1000,
            "details": None,
            "subscription_id": None,
            "data_at": None,
            "segment": None,
        }


def write(connection: Connection, model: Any, rows: Rows) -> None:
    """Write the rows of a table as fast as the database allows."""
    if connection.dialect.name == "postgresql":
        _copy(connection, model.__table__, rows)
        return
    while chunk := list(islice(rows, AT_ONCE)):
        connection.execute(model.__table__.insert(), chunk)


def _copy(connection: Connection, table: Any, rows: Rows) -> None:
    """Write through COPY, with values bound by the columns' types."""
    names = [column.name for column in table.columns]
    bind = [column.type.dialect_impl(connection.dialect).bind_processor(connection.dialect) for column in table.columns]
    cursor: Any = connection.connection.cursor()
    names_sql = ", ".join(f'"{name}"' for name in names)
    with cursor.copy(f'copy "{table.name}" ({names_sql}) from stdin') as copied:
        for row in rows:
            values = [row[name] for name in names]
            plain = (None if v is None else (p(v) if p else v) for v, p in zip(values, bind, strict=True))
            copied.write_row([_sent(each) for each in plain])


def _sent(value: Any) -> Any:
    """Unwrap a value for COPY: JSON as text, bytes unchanged."""
    wrapped = getattr(value, "obj", value)
    return json.dumps(wrapped) if isinstance(wrapped, list | dict) else wrapped
