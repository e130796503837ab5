"""The service over a test database, with one user of each role, and short documents to propose."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Any, TypeVar
from unittest.mock import patch

from argon2 import PasswordHasher
from fastapi import FastAPI
from fastapi.testclient import TestClient
from sqlalchemy import Engine, event
from sqlmodel import Session, select
from starlette.routing import BaseRoute, Route
from support.databases import Rows, put, rows_of
from support.locations import everywhere

from treaty.contracts.document import writer
from treaty.engine.core import clock
from treaty.engine.core.results import Verdict
from treaty.registry.access import authentication
from treaty.registry.access import users as access_users
from treaty.registry.access.authentication import Principal
from treaty.registry.api.app import create_app
from treaty.registry.client import Client
from treaty.registry.core import ids
from treaty.registry.core.database import read_session, transaction
from treaty.registry.core.enums import ProposalState, Role, TaskState
from treaty.registry.core.settings import RegistrySettings
from treaty.registry.review.proposals import proposals
from treaty.registry.tables import AuditEntryRow, ProposalRow, RunRow, TaskRow, UserRow

NOW = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
PASSWORD = "correct horse battery"
CHEAP = PasswordHasher(time_cost=1, memory_cost=8, parallelism=1)
USERS = {
    "admin": Role.ADMIN,
    "owner": Role.OWNER,
    "other-owner": Role.OWNER,
    "producer": Role.PRODUCER,
    "consumer": Role.CONSUMER,
    "viewer": Role.VIEWER,
    "service": Role.SERVICE,
}
INCLUDED: list[BaseRoute] = []
Found = TypeVar("Found")


@contextmanager
def cheap_passwords() -> Iterator[None]:
    """Hashes passwords in microseconds: the tests are about who may what, not about argon2."""
    with patch.object(authentication, "HASHER", CHEAP):
        yield


@dataclass
class World:
    """A service and its people. `secrets` are the bearers of their sessions, by name."""

    engine: Engine
    http: TestClient
    users: Mapping[str, UserRow]
    secrets: Mapping[str, str]

    def call(self, who: str | None, method: str, path: str, given: Mapping[str, str] | None = None, **sent: Any) -> Any:
        """The answer to a request of that user, None: of nobody, with the headers that are `given`."""
        headers = {**({"Authorization": f"Bearer {self.secrets[who]}"} if who else {}), **(given or {})}
        return self.http.request(method, f"/api/v1{path}", headers=headers, **sent)

    def client(self, who: str | None) -> Client:
        """The typed client, acting as that user."""
        return Client("http://testserver", self.secrets[who] if who else None, http=self.http)  # type: ignore[arg-type]

    def principal(self, who: str) -> Principal:
        """The user as the functions beneath the API take them."""
        with read_session(self.engine) as tx:
            return authentication.principal_of(tx, self.secrets[who], now=clock.now())

    def audited(self) -> list[str]:
        """The actions of all audit entries, in their order."""
        with read_session(self.engine) as tx:
            return list(tx.exec(select(AuditEntryRow.action).order_by(AuditEntryRow.position)))


def application(settings: RegistrySettings, engine: Engine) -> FastAPI:
    """The service over that database, as `create_app` makes it, with the routes of the first one of this process.

    Routes know nothing of settings or of a database, and are prepared at a first request, which takes longer than
    most tests do."""
    app = create_app(settings, engine)
    own = [each for each in app.router.routes if isinstance(each, Route)]
    INCLUDED.extend(() if INCLUDED else (each for each in app.router.routes if each not in own))
    app.router.routes[:] = [*own, *INCLUDED]
    return app


def build(engine: Engine, **settings: Any) -> World:
    """A service over the (migrated, empty) database with the users of USERS signed in."""
    now = clock.now()
    app = application(RegistrySettings(**everywhere(**settings)), engine)
    with cheap_passwords(), transaction(engine) as tx:
        made = {
            name: access_users.new_user(ids.new(), name=name, password=PASSWORD, roles=[role], now=now)
            for name, role in USERS.items()
        }
        for each in made.values():
            access_users.create_user(tx, each, actor="test", now=now)
        # As long as any run of tests: a service that is remembered is signed in to once.
        lasts = timedelta(days=1)
        secrets = {
            name: authentication.sign_in(tx, each, session_id=ids.new(), now=now, lasts=lasts)[0]
            for name, each in made.items()
        }
        tx.commit()
    return World(engine, TestClient(app, raise_server_exceptions=False), made, secrets)


@dataclass(frozen=True)
class Remembered:
    """What somebody made of a service: its rows, its people, and what they call it by."""

    rows: Rows
    world: World
    found: Any


REMEMBERED: dict[tuple[Callable[[World], Any], str], Remembered] = {}


def remembered(engine: Engine, fill: Callable[[World], Found], **settings: Any) -> tuple[World, Found]:
    """A service over the (migrated, empty) database that was filled so, and what `fill` returned.

    It does so once in this process on each kind of database; further ones are given the rows that it left, which takes
    a tenth as long."""
    key = fill, engine.dialect.name
    if key in REMEMBERED:
        put(engine, REMEMBERED[key].rows)
    else:
        made = build(engine, **settings)
        with made.http:
            found = fill(made)
        REMEMBERED[key] = Remembered(rows_of(engine), made, found)
    http = TestClient(application(RegistrySettings(**everywhere(**settings)), engine), raise_server_exceptions=False)
    return replace(REMEMBERED[key].world, engine=engine, http=http), REMEMBERED[key].found


def with_people_alone(_: World) -> None:
    """Leaves a service as it is when its people have signed in: to be `remembered`."""


def document(
    contract_id: str = "shop-orders", *, version: str = "1.0.0", physical: str | None = None, name: str = "Orders"
) -> str:
    """A contract of one table with two columns."""
    return writer.write(plain(contract_id, version=version, physical=physical, name=name)).decode()


def plain(
    contract_id: str = "shop-orders", *, version: str = "1.0.0", physical: str | None = None, name: str = "Orders"
) -> dict[str, Any]:
    """The same contract as data."""
    return {
        "apiVersion": "v3.1.0",
        "kind": "DataContract",
        "id": contract_id,
        "name": name,
        "version": version,
        "status": "draft",
        "schema": [
            {
                "name": "orders",
                "physicalName": physical or f"/lake/{contract_id}",
                "physicalType": "table",
                "properties": [
                    {"name": "id", "logicalType": "integer", "physicalType": "bigint"},
                    {"name": "day", "logicalType": "date", "partitioned": True, "partitionKeyPosition": 1},
                ],
            }
        ],
    }


def suggestion(column: str = "id", **put: Any) -> dict[str, Any]:
    """A suggestion as a draft makes it."""
    given = put or {"required": True}
    return {
        "id": f"orders.{column}.{'.'.join(given)}",
        "kind": "complete",
        "object": "orders",
        "column": column,
        "sentence": f"{column} is required",
        "expression": f"completeness of {column} is 1",
        "severity": "error",
        "patch": given,
        "evidence": {"rows": 10, "partitions": 2, "held": 2},
    }


def drafted(session: Session, author: UserRow, *suggestions: Mapping[str, Any], base: str | None = None) -> ProposalRow:
    """A proposal as the worker makes it of a draft task, in review."""
    task = TaskRow(
        id=ids.new(),
        kind="draft",
        payload={},
        key=str(ids.new()),
        state=TaskState.DONE,
        available_at=NOW,
        created_at=NOW,
    )
    session.add(task)
    proposal = ProposalRow(
        id=ids.new(),
        contract_id="",
        title="",
        base=(base or document()).encode(),
        author_id=author.id,
        state=ProposalState.IN_REVIEW,
        task_id=task.id,
        created_at=NOW,
    )
    return proposals.create_drafted(session, proposal, suggestions, make_id=ids.new, now=NOW)


def failed_run(contract_id: str) -> RunRow:
    """A run of the contract that failed, and nothing else of it."""
    return RunRow(
        id=ids.new(),
        contract_id=contract_id,
        version="1.0.0",
        fingerprint="f",
        object="orders",
        partitions=[],
        verdict=Verdict.FAILED,
        outcome_counts={},
        started_at=NOW,
        finished_at=NOW,
    )


@contextmanager
def counted_queries(engine: Engine) -> Iterator[list[str]]:
    """The statements that were run on the engine meanwhile."""
    statements: list[str] = []

    def note(_connection: Any, _cursor: Any, statement: str, *_: Any) -> None:
        statements.append(statement)

    event.listen(engine, "before_cursor_execute", note)
    try:
        yield statements
    finally:
        event.remove(engine, "before_cursor_execute", note)
