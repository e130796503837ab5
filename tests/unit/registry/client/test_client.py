"""The client: what it sends, how it answers refusals, and what it does without."""

import json
from collections.abc import Callable
from uuid import UUID

import httpx
import pytest

from treaty.registry import schemas
from treaty.registry.client import Client, ClientError
from treaty.registry.core.enums import Decision, Permission, Role

SOME = UUID("0190a000-0000-7000-8000-000000000000")


def client(answer: Callable[[httpx.Request], httpx.Response], token: str | None = "secret") -> Client:
    transport = httpx.MockTransport(answer)
    return Client("http://treaty", token, http=httpx.Client(base_url="http://treaty", transport=transport))


def refusing(status: int, body: object) -> Client:
    return client(lambda _: httpx.Response(status, json=body))


def test_sends_its_token_and_leaves_out_what_is_not_given() -> None:
    seen: list[httpx.Request] = []

    def answer(request: httpx.Request) -> httpx.Response:
        seen.append(request)
        return httpx.Response(200, json={"items": []})

    client(answer).runs(contract_id="urn:a/b?c")
    client(answer, token=None).runs()
    assert seen[0].headers["Authorization"] == "Bearer secret"
    assert dict(seen[0].url.params) == {"contract_id": "urn:a/b?c", "limit": "50"}
    assert "Authorization" not in seen[1].headers
    assert "contract_id" not in seen[1].url.params


@pytest.mark.parametrize(
    ("call", "path", "body"),
    [
        (
            lambda c: c.decide(SOME, [SOME], Decision.ACCEPTED, revision=3),
            f"/proposals/{SOME}/decisions",
            {"suggestions": [str(SOME)], "decision": "accepted", "revision": 3, "reason": None},
        ),
        (
            lambda c: c.sign_in("ada", "pass word"),
            "/session",
            {"name": "ada", "password": "pass word"},
        ),
        (
            lambda c: c.create_user("bot", roles=[Role.SERVICE]),
            "/users",
            {"name": "bot", "password": None, "roles": ["service"]},
        ),
        (
            lambda c: c.issue_token("t", scopes=[Permission.READ], expires_days=None),
            "/tokens",
            {"name": "t", "scopes": ["contracts:read"], "expires_days": None, "user_id": None},
        ),
        (
            lambda c: c.change_user(SOME, schemas.UserUpdateIn(active=False)),
            f"/users/{SOME}",
            {"active": False},
        ),
        (lambda c: c.submit(SOME), f"/proposals/{SOME}/submit", None),
        (lambda c: c.send_event({"eventType": "COMPLETE"}), "/lineage", {"eventType": "COMPLETE"}),
    ],
)
def test_sends_what_the_service_takes(call: Callable[[Client], object], path: str, body: object) -> None:
    seen: list[httpx.Request] = []

    def answer(request: httpx.Request) -> httpx.Response:
        seen.append(request)
        return httpx.Response(500)

    with pytest.raises(ClientError):
        call(client(answer))
    assert seen[0].url.path == f"/api/v1{path}"
    assert (json.loads(seen[0].content) if seen[0].content else None) == body


def test_a_refusal_carries_its_message_and_all_faults() -> None:
    fault = {"code": "TR-X", "where": "schema[0]", "message": "is wrong", "remedy": "mend it", "line": 3}
    problem = {"error": "InvalidRequest", "message": "the document has faults", "faults": [fault], "reference": None}
    with pytest.raises(ClientError, match="the document has faults") as caught:
        refusing(422, problem).me()
    assert (caught.value.status, caught.value.faults[0].line) == (422, 3)


@pytest.mark.parametrize("body", [None, "oops", {"detail": "from a proxy"}, []])
def test_an_answer_that_is_not_ours_still_says_its_status(body: object) -> None:
    with pytest.raises(ClientError, match="The service responded with status 502"):
        refusing(502, body).me()


def test_a_service_that_is_not_there_is_said_so() -> None:
    def unreachable(_: httpx.Request) -> httpx.Response:
        raise httpx.ConnectError("connection refused")

    with pytest.raises(ClientError, match="The service cannot be reached: connection refused") as caught:
        client(unreachable).me()
    assert caught.value.status == 0


def test_a_closed_client_closed_its_connection() -> None:
    http = httpx.Client(base_url="http://treaty")
    with Client("http://treaty", http=http):
        pass
    assert http.is_closed
