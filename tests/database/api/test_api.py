"""The API from outside: who may call what, what each change leaves in the audit, and how it refuses."""

import json
import logging
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import Engine
from support.api import (
    NOW,
    PASSWORD,
    World,
    build,
    cheap_passwords,
    counted_queries,
    document,
    drafted,
    failed_run,
    plain,
    remembered,
    suggestion,
)
from support.api_calls import CALLS, DRAFT, EVERYBODY, FOR_ALL, JSON, NOBODY, OWNERS, USER, Call, filled, made
from support.databases import KINDS, blank

from treaty.contracts.document import writer
from treaty.engine.core import clock
from treaty.registry.access import authentication, first_admin, users
from treaty.registry.api.app import create_app
from treaty.registry.audit import audit_log
from treaty.registry.core import ids
from treaty.registry.core.database import connect, migrate, read_session, transaction
from treaty.registry.core.enums import (
    GrantScope,
    Permission,
    ProposalState,
    Role,
)
from treaty.registry.core.pagination import PageRequest
from treaty.registry.core.settings import RegistrySettings
from treaty.registry.tables import (
    ContractRow,
    RoleGrantRow,
    metadata,
)

UUIDS = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
LOCAL = [Role.VIEWER, Role.CONSUMER, Role.PRODUCER, Role.OWNER, Role.SERVICE]
REFUSED = {401, 403, 404}


def with_others(world: World) -> World:
    """The world with users of no role on everything: one of each role in the shop, one of all roles elsewhere, and one
    of all roles elsewhere who only views the shop."""
    secrets, elsewhere = dict(world.secrets), [("elsewhere", each) for each in LOCAL]
    shop = {f"shop-{each}": [("shop", each)] for each in LOCAL}
    held = {**shop, "stranger": elsewhere, "neighbour": [*elsewhere, ("shop", Role.VIEWER)]}
    with transaction(world.engine) as tx:
        for name, grants in held.items():
            user = users.new_user(ids.new(), name=name, password=None, roles=[], now=NOW)
            users.create_user(tx, user, actor="test", now=NOW)
            tx.add_all(
                RoleGrantRow(
                    id=ids.new(), user_id=user.id, role=role, scope=GrantScope.DOMAIN, target=domain, created_at=NOW
                )
                for domain, role in grants
            )
            secrets[name], _ = authentication.sign_in(
                tx, user, session_id=ids.new(), now=clock.now(), lasts=timedelta(hours=1)
            )
        tx.commit()
    return replace(world, secrets=secrets)


def bare_token(world: World, call: Call) -> World:
    """The world with a token of somebody who may make the call, which has another scope than it needs."""
    scope = Permission.LINEAGE if call.path.startswith(("/tokens", "/channels")) else Permission.TOKENS
    user = world.users[min(call.allowed)]
    token = users.new_token(ids.new(), user_id=user.id, name="bare", scopes=[scope], now=NOW)
    with transaction(world.engine) as tx:
        by = authentication.Principal(
            user_id=user.id, name=user.name, roles=frozenset({Role.ADMIN}), permissions=frozenset(Permission)
        )
        token.scopes = []
        secret = users.issue_token(tx, token, by=by, now=NOW)
        token.scopes = [scope]
        tx.commit()
    return replace(world, secrets={**world.secrets, "bare": secret})


def refused(call: Call) -> list[str | None]:
    """All who may not make the call."""
    roles = call.allowed - ({"producer"} if call.authored else frozenset())
    local = [f"shop-{each}" for each in LOCAL if not (call.local and each in roles)]
    views = call.elsewhere or "shop-viewer" not in local
    others = [*local, *(["stranger"] * (not call.elsewhere)), *(["neighbour"] * (not views))]
    others += [*(["bare"] * (not call.bare)), None]
    return [] if call.anonymous else [*sorted(EVERYBODY - call.allowed), *others]


def admitted(call: Call) -> list[str | None]:
    """All who may make the call, and get what it says."""
    everyone = [*sorted(call.allowed), *(f"shop-{each}" for each in LOCAL), "stranger", "neighbour", "bare", None]
    return [who for who in everyone if who not in refused(call)]


READS = [each for each in CALLS if each.method == "GET"]


@dataclass(frozen=True)
class Shown:
    """A registry with one of each thing for those who only look at it, and what these are called."""

    world: World
    names: dict[str, str]


@pytest.fixture(scope="module", params=KINDS)
def shown(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Shown]:
    folder = tmp_path_factory.mktemp("shown")
    url = request.getfixturevalue("postgres_url") if request.param == "postgres" else None
    with blank(folder, url, name="shown") as engine:
        migrate(engine)
        world = build(engine, home=folder / "home")
        with world.http:
            names = filled(world)
            yield Shown(with_others(world), names)


@pytest.fixture
def full(engine: Engine, tmp_path: Path) -> Iterator[Shown]:
    """The same for one test alone, which may change it."""
    world, names = remembered(engine, filled, home=tmp_path / "home")
    with world.http:
        yield Shown(world, names)


@pytest.mark.parametrize("call", READS, ids=str)
def test_everyone_reads_what_their_role_permits_and_nothing_more(shown: Shown, call: Call) -> None:
    only_admitted(shown.world, call, shown.names)


@pytest.mark.parametrize("call", [each for each in CALLS if each not in READS], ids=str)
def test_everyone_does_what_their_role_permits_and_nothing_more(full: Shown, call: Call) -> None:
    world, names = full.world, full.names
    only_admitted(with_others(world), call, names)


def only_admitted(world: World, call: Call, names: dict[str, str]) -> None:
    """Holds that those who may not make the call are refused and told nothing of its answer."""
    everyone = bare_token(world, call)
    with cheap_passwords():
        told = {who: made(everyone, who, call, names) for who in refused(call)}
        got = made(everyone, admitted(call)[0], call, names)
    assert {who: each.status_code for who, each in told.items() if each.status_code not in REFUSED} == {}
    assert got.status_code == call.status
    assert got.text not in {each.text for each in told.values()}


@pytest.mark.parametrize("call", READS, ids=str)
def test_all_who_may_read_can_read_and_see_nothing_of_other_domains(shown: Shown, call: Call) -> None:
    names, everyone = shown.names, bare_token(shown.world, call)
    told = {who: made(everyone, who, call, names) for who in admitted(call)}
    assert {who: each.status_code for who, each in told.items() if each.status_code != call.status} == {}
    if call.elsewhere:
        of_the_shop = (each for name, each in names.items() if name not in FOR_ALL)
        secrets = [*of_the_shop, '"known"', '"shop-orders"', '"sellers"']
        assert [each for each in secrets if each in told["stranger"].text] == []


def unknown(call: Call, names: dict[str, str]) -> tuple[Call, dict[str, str]]:
    """The same call about things that do not exist."""
    nothing = {name: NOBODY if UUIDS.fullmatch(each) else each for name, each in names.items()}
    text = json.dumps([call.path, call.body]).replace("known", "wrong")
    path, body = json.loads(text)
    return replace(call, path=path, body=body), nothing


def without_names(text: str, names: dict[str, str]) -> str:
    """The answer without what was asked about, and without the number of the request."""
    for each in sorted({NOBODY, "known", "wrong", *names.values()}, key=len, reverse=True):
        text = text.replace(each, "?")
    return text


HIDING = [each for each in CALLS if not (each.elsewhere or each.bare or each.anonymous)]


@pytest.mark.parametrize("call", HIDING, ids=str)
def test_what_is_hidden_from_somebody_and_what_does_not_exist_look_the_same(shown: Shown, call: Call) -> None:
    other, nothing = unknown(call, shown.names)
    world = bare_token(shown.world, call)
    for who in ("stranger", "bare"):
        hidden, absent = made(world, who, call, shown.names), made(world, who, other, nothing)
        assert hidden.status_code in REFUSED
        assert hidden.status_code == absent.status_code, who
        assert without_names(hidden.text, shown.names) == without_names(absent.text, nothing), who


@pytest.mark.parametrize("call", [each for each in CALLS if each.local and each.audit and not each.authored], ids=str)
def test_who_has_a_role_in_a_domain_changes_what_is_in_it(full: Shown, call: Call) -> None:
    world, names = full.world, full.names
    everyone, local = with_others(world), [who for who in admitted(call) if who and who.startswith("shop-")]
    assert made(everyone, local[0], call, names).status_code == call.status


@pytest.mark.parametrize("call", [call for call in CALLS if call.audit], ids=str)
def test_each_change_writes_its_audit_entry_in_the_same_transaction(full: Shown, call: Call) -> None:
    world, names = full.world, full.names
    before = len(world.audited())
    who = "producer" if "producer" in call.allowed else min(call.allowed)
    with cheap_passwords():
        assert made(world, who, call, names).status_code == call.status
    assert world.audited()[before:] == (call.audit or "").split()


@pytest.mark.parametrize("call", [call for call in CALLS if call.audit], ids=str)
def test_a_change_that_cannot_be_audited_does_not_happen(
    full: Shown, call: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    world, names = full.world, full.names
    before = state(world)

    def fail(*_: Any, **__: Any) -> None:
        raise RuntimeError

    monkeypatch.setattr("treaty.registry.audit.audit_log.record", fail)
    who = "producer" if "producer" in call.allowed else min(call.allowed)
    with cheap_passwords():
        assert made(world, who, call, names).status_code == 500
    assert state(world) == before


def state(world: World) -> dict[str, list[str]]:
    """All rows of all tables; but for attempts at the door, which are counted whatever comes of them."""
    kept = [table for table in metadata.sorted_tables if table.name != "sign_in_window"]
    with world.engine.connect() as connection:
        return {table.name: sorted(map(str, connection.execute(table.select()))) for table in kept}


def test_every_route_is_in_the_table_of_calls(engine: Engine) -> None:
    paths = create_app(build(engine).http.app.state.service.settings, engine).openapi()["paths"]
    routes = {(method.upper(), path.removeprefix("/api/v1")) for path, methods in paths.items() for method in methods}
    shapes = {(call.method, shape(call.path)) for call in CALLS}
    assert {(method, shape(path)) for method, path in routes} == shapes


def shape(path: str) -> str:
    return "/".join("{}" if step.startswith("{") else step for step in path.split("?")[0].split("/"))


@pytest.mark.parametrize(
    "path",
    ["/proposals/{}", "/proposals/{}/preview", "/runs/{}", "/runs/{}/rerun", "/tasks/{}"],
)
def test_unknown_things_are_not_found(world: World, path: str) -> None:
    assert world.call("admin", "GET", path.format(NOBODY)).status_code == 404


def test_unknown_and_forbidden_things_get_the_same_answer(full: Shown) -> None:
    world, names = full.world, full.names
    hidden = world.call("owner", "GET", f"/proposals/{names['unsent']}")
    unknown = world.call("owner", "GET", f"/proposals/{NOBODY}")
    assert (hidden.status_code, hidden.json()) == (unknown.status_code, unknown.json())


@pytest.mark.parametrize(
    ("call", "status", "words"),
    [
        (lambda w: w.call("producer", "POST", "/proposals", json={"document": "id: ["}), 422, "faults"),
        (lambda w: w.call("producer", "POST", "/proposals", json={}), 422, "is invalid"),
        (lambda w: w.call("producer", "POST", "/proposals", json={"document": "x", "extra": 1}), 422, "is invalid"),
        (lambda w: w.call("producer", "POST", "/proposals", content=b"{"), 415, "application/json"),
        (lambda w: w.call("producer", "POST", "/proposals", JSON, content=b"{"), 422, "is invalid"),
        (lambda w: w.call("producer", "POST", "/drafts", json={**DRAFT, "object": "a\x00b"}), 422, "is invalid"),
        (lambda w: w.call("producer", "GET", "/proposals/not-an-id"), 422, "is invalid"),
        (lambda w: w.call("producer", "GET", "/contract?contract_id=unknown"), 404, "Not found"),
        (lambda w: w.call("producer", "GET", "/dataset/metrics?name=unknown"), 404, "No contract covers dataset"),
        (lambda w: w.call("producer", "GET", "/dataset/states"), 422, "is invalid"),
        (lambda w: w.call("producer", "GET", "/nowhere"), 404, "Not Found"),
        (lambda w: w.call("producer", "DELETE", "/me"), 405, "Method Not Allowed"),
        (lambda w: w.call("admin", "POST", "/users", json={**USER, "password": "short"}), 422, "is invalid"),
        (lambda w: w.call("admin", "POST", "/users", json={**USER, "name": "owner"}), 409, "already"),
        (lambda w: w.call(None, "GET", "/me"), 401, "Bearer"),
        (
            lambda w: w.http.get("/api/v1/me", headers={"Authorization": "Bearer nonsense"}),
            401,
            "Authentication failed",
        ),
    ],
)
def test_refusals_say_what_is_wrong_and_never_show_a_traceback(
    world: World, call: Callable[[World], Any], status: int, words: str
) -> None:
    answer = call(world)
    assert (answer.status_code, words in answer.json()["message"]) == (status, True)
    assert set(answer.json()) == {"type", "title", "status", "detail", "error", "message", "faults", "reference"}
    assert "Traceback" not in answer.text


def test_a_refused_request_does_not_repeat_what_was_sent(world: World) -> None:
    answer = world.call("admin", "POST", "/users", json={**USER, "password": "hunter2"})
    assert (answer.status_code, "hunter2" in answer.text) == (422, False)
    assert "password" in answer.json()["faults"][0]["where"]


def test_all_faults_of_a_document_are_said_at_once_with_their_lines(world: World) -> None:
    faulty = plain() | {"apiVersion": "v9", "colour": "red"}
    answer = world.call("producer", "POST", "/proposals", json={"document": writer.write(faulty).decode()})
    faults = answer.json()["faults"]
    assert len(faults) >= 2
    assert all(each["line"] for each in faults)


def test_a_check_that_no_analyzer_answers_is_refused_when_it_is_proposed(world: World) -> None:
    check = {"id": "a", "type": "custom", "engine": "treaty", "implementation": {"analyzer": "meen", "mustBe": 1}}
    faulty = plain()
    faulty["schema"][0]["quality"] = [check]
    answer = world.call("producer", "POST", "/proposals", json={"document": writer.write(faulty).decode()})
    assert answer.status_code == 422
    assert [(each["code"], each["where"]) for each in answer.json()["faults"]] == [
        ("TR-CHECK-ANALYZER", "schema[0].quality[0]")
    ]


def test_an_unexpected_failure_gives_a_reference_that_the_log_has(
    world: World, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(*_: Any, **__: Any) -> None:
        raise RuntimeError("secret of the machine")

    monkeypatch.setattr("treaty.registry.browse.contract_list.contracts", fail)
    with caplog.at_level(logging.ERROR):
        answer = world.call("viewer", "GET", "/contracts")
    assert (answer.status_code, "secret" in answer.text) == (500, False)
    assert answer.json()["reference"] in caplog.text


def test_a_body_beyond_the_limit_is_refused(engine: Engine) -> None:
    small = build(engine, max_body_bytes=1000)
    answer = small.call("producer", "POST", "/proposals", json={"document": "x" * 2000})
    assert (answer.status_code, answer.json()["message"]) == (413, "The request is larger than 1,000 bytes.")


def test_a_document_carries_its_fingerprint_and_is_not_sent_twice(full: Shown) -> None:
    world = full.world
    first = world.call("viewer", "GET", "/contract/document?contract_id=known")
    headers = {"Authorization": f"Bearer {world.secrets['viewer']}", "If-None-Match": first.headers["ETag"]}
    again = world.http.get("/api/v1/contract/document?contract_id=known", headers=headers)
    assert (first.headers["Treaty-Version"], again.status_code, again.content) == ("1.0.0", 304, b"")


def test_contract_ids_may_hold_any_character(world: World) -> None:
    contract_id = "urn:shop/orders?x=1&y=#ä"
    proposal = world.client("producer").propose(document(contract_id, physical="/lake/odd"))
    owner = world.client("owner")
    owner.approve(proposal.id, owner.preview(proposal.id).fingerprint)
    assert owner.contract(contract_id).id == contract_id
    assert owner.document(contract_id) == document(contract_id, physical="/lake/odd").encode()


def test_is_ready_once_the_database_answers(world: World) -> None:
    assert world.client(None).ready().status == "ready"


def test_is_not_ready_before_the_database_has_its_tables(tmp_path: Path) -> None:
    engine = connect(f"sqlite:///{tmp_path / 'empty.db'}")
    answer = TestClient(create_app(RegistrySettings(), engine)).get("/api/v1/ready")
    assert (answer.status_code, answer.json()["message"]) == (503, "The database has no tables yet. Run `treaty init`.")
    engine.dispose()


def grown(world: World, count: int) -> None:
    """More proposals, contracts and runs."""
    owner = world.users["owner"].id
    with transaction(world.engine) as tx:
        for _ in range(count):
            contract_id = f"c-{ids.new()}"
            drafted(tx, world.users["producer"], suggestion(), base=document(contract_id))
            tx.add(ContractRow(id=contract_id, name="c", owner_id=owner, created_at=NOW))
            tx.add(failed_run(contract_id))
        tx.commit()


@pytest.mark.parametrize(
    ("who", "path"),
    [("owner", path) for path in ("/proposals", "/inbox", "/contracts", "/catalog", "/runs")] + [("admin", "/audit")],
)
def test_lists_ask_as_often_for_many_rows_as_for_few(world: World, who: str, path: str) -> None:
    counts, sizes = [], []
    for size in (1, 12):
        grown(world, size)
        with counted_queries(world.engine) as statements:
            answer = world.call(
                "owner" if path in {"/proposals", "/inbox", "/contracts", "/catalog", "/runs"} else "admin", "GET", path
            )
        counts.append(len(statements))
        sizes.append(len(answer.text))
    assert counts[0] == counts[1]
    assert sizes[0] < sizes[1]


@pytest.mark.parametrize(
    ("change", "where"),
    [
        ({"id": "x" * 501}, "id"),
        ({"name": "a\x00b"}, "name"),
        ({"version": "1.0.0\x07"}, "version"),
        ({"id": "x" * 3000, "name": "\x00"}, "name"),
    ],
)
def test_names_that_no_database_keeps_are_refused(world: World, change: dict[str, str], where: str) -> None:
    text = writer.write(plain() | change).decode()
    answer = world.call("producer", "POST", "/proposals", json={"document": text})
    assert (answer.status_code, where in {each["where"] for each in answer.json()["faults"]}) == (422, True)


@pytest.mark.parametrize(
    "path", ["/contract?contract_id=%00", "/runs?contract_id=%00", "/contract/document?contract_id=%00&version=%00"]
)
def test_a_text_that_the_database_cannot_hold_finds_nothing_or_is_refused(world: World, path: str) -> None:
    assert world.call("viewer", "GET", path).status_code in {200, 404, 422}


def test_signing_in_and_the_first_link_are_audited(engine: Engine) -> None:
    http = TestClient(create_app(RegistrySettings(), engine))
    with transaction(engine) as tx:
        secret = first_admin.issue(tx, token_id=ids.new(), now=clock.now(), lasts=timedelta(hours=1))
        tx.commit()
    with cheap_passwords():
        http.post("/api/v1/setup", json={"token": secret, "name": "Ada", "password": PASSWORD})
        opened = http.post("/api/v1/session", json={"name": "ada", "password": PASSWORD})
    assert opened.status_code == 201
    with read_session(engine) as tx:
        assert [each.action for each in reversed(audit_log.entries(tx, PageRequest(9)).rows)] == [
            "setup:issued",
            "user:created",
            "setup:completed",
            "session:opened",
        ]


def test_a_draft_task_answers_with_its_state(world: World) -> None:
    task = world.call("producer", "POST", "/drafts", json=DRAFT).json()
    found = world.client("viewer").task(task["id"])
    assert (found.kind, found.state.value, found.attempts, found.result) == ("draft", "queued", 0, None)


def test_a_proposal_says_what_the_reader_may_do_to_it(full: Shown) -> None:
    world, names = full.world, full.names
    shown = {who: world.call(who, "GET", f"/proposals/{names['drafted']}").json() for who in EVERYBODY}
    assert {who for who in EVERYBODY if shown[who]["may_decide"]} == OWNERS | {"producer"}
    assert {who for who in EVERYBODY if shown[who]["may_approve"]} == OWNERS
    assert {who for who in EVERYBODY if shown[who]["may_withdraw"]} == {"producer"}
    assert shown["viewer"]["state"] == ProposalState.IN_REVIEW
