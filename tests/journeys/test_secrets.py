"""Secrets in the environment, in addresses and in requests: in no log, answer, page, row, command line and message."""

import base64
import os
import secrets
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from uuid import uuid4

import httpx
import pytest
from sqlalchemy import create_engine, inspect, text
from support.databases import postgres_server
from support.events import event
from support.loops import Services, services
from support.processes import descendants, treaty

KINDS = (
    "database password", "database query password", "cloud key", "cloud session", "environment token", "key file",
    "audit key file", "wrong password", "bearer", "bearer of our form", "signed bearer", "query token", "cookie",
    "basic password", "header key", "path token", "new user's password", "refused password", "changed password",
    "setup token", "lineage bearer", "idempotency key", "malformed body",
)  # fmt: skip
# As long as a key file must be.
CANARIES = {kind: f"canary-{number:02d}-{secrets.token_hex(11)}" for number, kind in enumerate(KINDS)}
CANARIES["audit key text"] = secrets.token_hex(32)


def found(content: bytes) -> set[str]:
    """The canaries in the content, as they are, in base64 and in hexadecimal digits."""
    return {kind for kind, each in CANARIES.items() if any(form in content for form in forms(each))}


def forms(canary: str) -> Iterator[bytes]:
    plain = canary.encode()
    yield plain
    yield plain.hex().encode()
    yield base64.b64encode(plain)[:-4]


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Services]:
    """API, worker and pages with canaries wherever a secret may be set."""
    home = tmp_path_factory.mktemp("secrets")
    for name, kind in (("key", "key file"), ("audit-key", "audit key file")):
        (home / name).write_text(CANARIES[kind])
        (home / name).chmod(0o600)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("AWS_SECRET_ACCESS_KEY", CANARIES["cloud key"])
        patch.setenv("AWS_SESSION_TOKEN", CANARIES["cloud session"])
        patch.setenv("TREATY_TOKEN", CANARIES["environment token"])
        patch.setenv("TREATY_AUDIT_KEY_TEXT", CANARIES["audit key text"])
        with postgres_server() as url, services(home, guarded(url)) as started:
            yield started


def guarded(url: str) -> str:
    """The address with two passwords, for which the server does not ask."""
    asked = url.replace("postgres:@", f"postgres:{CANARIES['database password']}@")
    assert asked != url
    return f"{asked}{'&' if '?' in asked else '?'}password={CANARIES['database query password']}"


def requests(services: Services) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Requests with a secret in each place that one can be put in: method, address, and what is sent."""
    api, pages, canary = f"{services.settings.api}/api/v1", services.settings.ui_url, CANARIES
    admin = services.people.admin._headers
    new, event_of_a_run = {"name": "new", "roles": ["viewer"]}, event("COMPLETE", run=str(uuid4()))
    changing = {**admin, "If-Match": "*"}
    for kind in ("bearer", "signed bearer"):
        yield "GET", f"{api}/me", {"headers": bearer(canary[kind])}
    yield "GET", f"{api}/me", {"headers": bearer(f"treaty_abcdefgh_{canary['bearer of our form']}")}
    yield "GET", f"{api}/contracts?token={canary['query token']}", {}
    yield "GET", f"{api}/contracts/{canary['path token']}", {}
    yield "GET", f"{api}/contracts", {"headers": {"Cookie": f"treaty={canary['cookie']}"}}
    yield "GET", f"{api}/contracts", {"auth": ("ada", canary["basic password"])}
    yield "GET", f"{api}/contracts", {"headers": {"X-Api-Key": canary["header key"]}}
    yield "POST", f"{api}/session", {"json": {"name": "admin", "password": canary["wrong password"]}}
    yield "POST", f"{api}/session", {"content": f'{{"password": "{canary["malformed body"]}'}
    yield "POST", f"{api}/setup", {"json": {"token": canary["setup token"], "name": "eve", "password": "x" * 20}}
    yield "POST", f"{api}/users", {"headers": admin, "json": {**new, "password": canary["new user's password"]}}
    yield (
        "POST",
        f"{api}/users",
        {"headers": admin, "json": {"name": "", "password": canary["refused password"]}},
    )
    yield "PATCH", f"{api}/users/{uuid4()}", {"headers": changing, "json": {"password": canary["changed password"]}}
    yield "POST", f"{api}/lineage", {"headers": bearer(canary["lineage bearer"]), "json": event_of_a_run}
    once = {**admin, "Idempotency-Key": canary["idempotency key"]}
    yield "POST", f"{api}/tokens", {"headers": once, "json": {"name": "t", "scopes": ["contracts:read"]}}
    yield "GET", f"{api}/audit/head", {"headers": admin}
    yield "GET", f"{pages}/setup?token={canary['setup token']}", {}
    yield (
        "GET",
        f"{pages}/?token={canary['query token']}",
        {"headers": {"Cookie": f"treaty_session={canary['cookie']}"}},
    )
    entering = {"name": "admin", "password": canary["wrong password"]}
    yield "POST", f"{pages}/sign-in", {"headers": {"Origin": pages}, "data": entering}


def bearer(secret: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {secret}"}


def answered(services: Services) -> dict[str, set[str]]:
    """The canaries in each answer. The form of the one-time link holds the token that it was asked with."""
    told: dict[str, set[str]] = {}
    with httpx.Client(trust_env=False, timeout=60) as http:
        for method, address, sent in requests(services):
            answer = http.request(method, address, **sent)
            held = found(answer.content + str(answer.headers).encode())
            told[f"{method} {address.split('?')[0]} {answer.status_code}"] = held - form_of(address)
    return {name: held for name, held in told.items() if held}


def form_of(address: str) -> set[str]:
    return {"setup token"} if "/setup?token=" in address else set()


def in_rows(services: Services) -> dict[str, set[str]]:
    """The canaries in each table."""
    with services.database.connect() as connection:
        names = inspect(connection).get_table_names()
        rows = {each: connection.execute(text(f'select * from "{each}"')).all() for each in names}
    told = {name: found(f"{content}".encode()) for name, content in rows.items()}
    return {name: held for name, held in told.items() if held}


def in_logs(services: Services) -> dict[str, set[str]]:
    logs = (services.settings.home / "logs").iterdir()
    return {each.name: found(each.read_bytes()) for each in logs if found(each.read_bytes())}


def in_command_lines() -> dict[str, set[str]]:
    lines = {each.pid: Path(f"/proc/{each.pid}/cmdline") for each in descendants(os.getpid())}
    held = {path.read_bytes() for path in lines.values() if path.exists()}
    return {line.decode(errors="replace"): found(line) for line in held if found(line)}


def broken(services: Services) -> httpx.Response:
    """The answer of a service whose table is gone for a moment."""
    moved = "alter table proposal rename to moved", "alter table moved rename to proposal"
    plain = create_engine(services.database.url)
    with plain.begin() as connection:
        connection.execute(text(moved[0]))
    try:
        headers = services.people.admin._headers
        return httpx.get(f"{services.settings.api}/api/v1/proposals", headers=headers, trust_env=False, timeout=60)
    finally:
        with plain.begin() as connection:
            connection.execute(text(moved[1]))
        plain.dispose()


def test_there_are_more_than_twenty() -> None:
    assert len(set(CANARIES.values())) > 20
    assert found(" ".join(CANARIES.values()).encode()) == CANARIES.keys()


def test_no_secret_is_in_an_answer_a_page_a_log_a_row_or_a_command_line(running: Services) -> None:
    assert answered(running) == {}
    failed = broken(running)
    assert (failed.status_code, found(failed.content)) == (500, set())
    log = running.settings.home / "logs" / "api.log"
    assert failed.json()["reference"] in log.read_text(), "the failure is in the log, so the search is of something"
    assert in_rows(running) == {}
    assert in_logs(running) == {}
    assert in_command_lines() == {}


@pytest.mark.parametrize(
    "address",
    [
        f"postgresql://u:{CANARIES['database password']}@127.0.0.1:1/db?password={CANARIES['database query password']}",
        f"postgresql://u:p@127.0.0.1:{CANARIES['database password']}/db",
    ],
    # The canaries are others in every process of the run: they cannot stand in the names of tests.
    ids=["in the password and the query", "in the place of the port"],
)
@pytest.mark.parametrize("command", [("init",), ("audit", "verify")])
def test_no_command_repeats_the_address_of_a_database_that_does_not_answer(
    tmp_path: Path, address: str, command: tuple[str, ...]
) -> None:
    ended = treaty(*command, folder=tmp_path, database_url=address, token=CANARIES["environment token"])
    assert ended.returncode != 0
    assert found((ended.stdout + ended.stderr).encode()) == set()
