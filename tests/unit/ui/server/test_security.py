"""What stands between the network and the pages."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.routing import Route
from starlette.testclient import TestClient

from treaty.ui.server import security
from treaty.ui.server.security import (
    COOKIE,
    SecureHeaders,
    SignInGate,
    inline_scripts,
    own_scripts,
    policy,
    same_site_path,
    sign_in_link,
)


@pytest.fixture
def browser() -> TestClient:
    async def page(request: Request) -> PlainTextResponse:
        return PlainTextResponse("the page")

    app = Starlette(
        routes=[Route("/{rest:path}", page, methods=["GET", "POST"])],
        middleware=[Middleware(SecureHeaders, scripts=["'sha256-x'"]), Middleware(SignInGate, pages=["/", "/review"])],
    )
    return TestClient(app, base_url="http://treaty.test:8701", follow_redirects=False)


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("/", "/"),
        ("/review?proposal=1&page=2", "/review?proposal=1&page=2"),
        ("/contract?id=a%3Ab", "/contract?id=a%3Ab"),
        (None, "/"),
        ("", "/"),
        ("review", "/"),
        ("//evil.example", "/"),
        ("/\\evil.example", "/"),
        ("/a\\b", "/"),
        ("///evil.example", "/"),
        ("http://evil.example", "/"),
        ("javascript:alert(1)", "/"),
        ("/a\r\nSet-Cookie: x=1", "/"),
        ("/\t/evil.example", "/"),
        (" //evil.example", "/"),
    ],
)
def test_a_next_address_stays_on_this_site(text: str | None, path: str) -> None:
    assert same_site_path(text) == path


@given(st.text())
def test_whatever_is_asked_the_next_address_is_a_path_of_this_site(text: str) -> None:
    path = same_site_path(text)

    assert path.startswith("/")
    assert not path.startswith(("//", "/\\"))
    assert not any(ord(each) < 33 for each in path)


@pytest.mark.parametrize(
    ("path", "query", "link"),
    [
        ("/", "", "/sign-in"),
        ("/review", "proposal=1&page=2", "/sign-in?next=/review%3Fproposal%3D1%26page%3D2"),
    ],
)
def test_the_sign_in_link_comes_back(path: str, query: str, link: str) -> None:
    assert sign_in_link(path, query) == link


def test_a_page_without_a_session_sends_to_the_sign_in_page_and_back(browser: TestClient) -> None:
    answer = browser.get("/review?proposal=1")

    assert (answer.status_code, answer.headers["location"]) == (303, "/sign-in?next=/review%3Fproposal%3D1")


@pytest.mark.parametrize("path", ["/static/js/x.js", "/_stcore/health", "/sign-in"])
def test_what_is_no_page_needs_no_session(browser: TestClient, path: str) -> None:
    assert browser.get(path).text == "the page"


def test_a_page_with_a_session_is_shown(browser: TestClient) -> None:
    browser.cookies.set(COOKIE, "secret")

    assert browser.get("/review").text == "the page"


@pytest.mark.parametrize("path", ["/_stcore/metrics", "/_stcore/agent/interact", "/_stcore/agent/openapi.json"])
def test_the_servers_own_interfaces_are_closed(browser: TestClient, path: str) -> None:
    browser.cookies.set(COOKIE, "secret")

    assert browser.get(path).status_code == 404


@pytest.mark.parametrize("path", ["/sign-in", "/review", "/_stcore/metrics"])
def test_every_answer_carries_the_headers(browser: TestClient, path: str) -> None:
    headers = browser.get(path).headers

    assert headers["x-content-type-options"] == "nosniff"
    assert headers["x-frame-options"] == "DENY"
    assert headers["referrer-policy"] == "same-origin"
    assert "connect-src 'self' ws://treaty.test:8701" in headers["content-security-policy"]


def test_only_over_https_browsers_are_told_to_stay_with_it(browser: TestClient) -> None:
    assert "strict-transport-security" not in browser.get("/sign-in").headers
    assert "strict-transport-security" in browser.get("https://treaty.test/sign-in").headers


def test_the_policy_admits_no_other_site_and_no_other_script() -> None:
    words = policy("h:1", ["'sha256-x'"]).split("; ")

    assert "script-src 'self' 'sha256-x'" in words
    assert {"default-src 'self'", "object-src 'none'", "frame-ancestors 'none'", "form-action 'self'"} <= set(words)
    assert not any("*" in word or "unsafe-eval" in word for word in words)


def test_the_servers_inline_scripts_are_known_by_their_hashes() -> None:
    assert inline_scripts("<script>a</script><script src='x'></script>") == (
        "'sha256-ypeBEsobvcr6wjGzmiPcTaeG7/gUfE5yuYB3ha/uSLs='",
    )
    assert own_scripts()


@pytest.mark.parametrize(
    ("origin", "own"),
    [
        ("http://treaty.test:8701", True),
        ("https://treaty.test:8701", True),
        ("http://treaty.test", False),
        ("http://evil.example", False),
        ("null", False),
        (None, False),
    ],
)
def test_only_our_own_forms_count(origin: str | None, *, own: bool) -> None:
    headers = [(b"host", b"treaty.test:8701")] + ([(b"origin", origin.encode())] if origin else [])
    request = Request({"type": "http", "method": "POST", "path": "/", "headers": headers})

    assert security.from_own_page(request) is own
