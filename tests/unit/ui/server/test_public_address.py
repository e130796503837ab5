"""The pages take WebSockets and forms from their public address alone."""

import asyncio
from typing import Any

import pytest
from starlette.requests import HTTPConnection

from treaty.ui.server.security import COOKIE, SignInGate, from_own_page, is_encrypted, origin_of

PUBLIC = "https://treaty.example"
SIGNED_IN = f"{COOKIE}=secret"


def scope(kind: str, scheme: str, **headers: str) -> dict[str, Any]:
    named = [(name.encode(), text.encode()) for name, text in headers.items()]
    return {"type": kind, "scheme": scheme, "path": "/_stcore/stream", "query_string": b"", "headers": named}


def opened(public_url: str, **headers: str) -> bool:
    """Whether the gate lets a WebSocket through."""
    passed: list[Any] = []
    sent: list[Any] = []

    async def app(*arguments: Any) -> None:
        passed.append(arguments)

    async def send(message: Any) -> None:
        sent.append(message)

    gate = SignInGate(app, pages=(), public_url=public_url)
    asyncio.run(gate(scope("websocket", "ws", host="treaty.example", **headers), app, send))  # type: ignore[arg-type]
    assert bool(passed) is not bool(sent)
    assert all(each == {"type": "websocket.close", "code": 1008} for each in sent)
    return bool(passed)


@pytest.mark.parametrize(
    ("public_url", "origin", "expected"),
    [
        (PUBLIC, PUBLIC, True),
        (f"{PUBLIC}:443/", PUBLIC, True),
        ("HTTPS://Treaty.Example", PUBLIC, True),
        (PUBLIC, "http://treaty.example", False),
        (PUBLIC, "https://treaty.example:8443", False),
        (PUBLIC, "https://treaty.example.evil.test", False),
        (PUBLIC, "https://evil.test", False),
        (PUBLIC, "http://localhost", False),
        (PUBLIC, "null", False),
        (PUBLIC, "", False),
        ("", "http://treaty.example", True),
        ("", "http://127.0.0.1:8701", False),
        ("", "http://localhost", False),
        ("", "", False),
    ],
)
def test_only_pages_of_the_public_address_open_websockets_and_send_forms(
    public_url: str, origin: str, expected: bool
) -> None:
    headers = {"origin": origin} if origin else {}
    assert opened(public_url, cookie=SIGNED_IN, **headers) is expected
    assert (
        from_own_page(HTTPConnection(scope("http", "http", host="treaty.example", **headers)), public_url) is expected
    )


def test_without_the_cookie_of_a_session_no_websocket_is_opened() -> None:
    assert not opened(PUBLIC, origin=PUBLIC)
    assert not opened("", origin="http://treaty.example", cookie="other=1")


@pytest.mark.parametrize(
    ("public_url", "scheme", "expected"),
    [(PUBLIC, "http", True), ("http://treaty.example", "https", False), ("", "https", True), ("", "http", False)],
)
def test_cookies_are_secure_as_the_public_address_says(public_url: str, scheme: str, expected: bool) -> None:
    assert (
        is_encrypted(HTTPConnection({**scope("http", scheme, host="x"), "server": ("x", 80)}), public_url) is expected
    )


def test_an_origin_is_written_as_browsers_write_it() -> None:
    assert [origin_of(each) for each in ("HTTP://A:80/x", "http://a:8080", "https://[::1]:443")] == [
        "http://a", "http://a:8080", "https://[::1]",
    ]  # fmt: skip
