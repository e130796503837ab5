"""The doors: signing in and out, the first set-up, over a registry that is a fake."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any
from urllib.parse import parse_qsl, urlsplit
from uuid import UUID

import pytest
from starlette.applications import Starlette
from starlette.testclient import TestClient
from support.provider import Issuer, issuing, required

from treaty.registry.client import ClientError
from treaty.registry.core.enums import Role
from treaty.registry.schemas import FaultOut, ReadinessOut, SessionOut, SetupIn, UserOut
from treaty.ui.server.auth_routes import AuthRoutes
from treaty.ui.server.oidc_flow import SignInFailed, SignInFlow, SignInProvider
from treaty.ui.server.security import COOKIE
from treaty.ui.texts import sign_in as texts

SITE = "http://treaty.test"
OWN = {"Origin": SITE}
EXPIRES = datetime(2126, 3, 1, 12, tzinfo=UTC)
USER = UserOut(id=UUID(int=1), name="maria", roles=(Role.OWNER,), active=True, created_at=EXPIRES)


@dataclass
class FakeRegistry:
    """One person with one password, and a one-time link; `broken` is what it answers instead."""

    broken: ClientError | None = None
    closed: list[str | None] = field(default_factory=list)
    made: list[tuple[str, str]] = field(default_factory=list)
    shown: list[tuple[str, str]] = field(default_factory=list)

    def as_whom(self, secret: str | None) -> "FakeClient":
        return FakeClient(self, secret)


@dataclass
class FakeClient:
    registry: FakeRegistry
    secret: str | None

    def __post_init__(self) -> None:
        self.broken = self.registry.broken

    def _answer(self) -> None:
        if self.broken:
            raise self.broken

    def sign_in(self, name: str, password: str, *, address: str | None = None) -> SessionOut:
        self._answer()
        if (name, password) not in [("maria", "a long password"), *self.registry.made]:
            raise ClientError(401, "Invalid name or password.")
        return SessionOut(secret="s3cret", expires_at=EXPIRES, user=USER)

    def sign_in_with_oidc(self, token: str, nonce: str) -> SessionOut:
        self._answer()
        self.registry.shown.append((token, nonce))
        return SessionOut(secret="s3cret", expires_at=EXPIRES, user=USER)

    def sign_out(self) -> None:
        self._answer()
        self.registry.closed.append(self.secret)

    def set_up(self, token: str, *, name: str, password: str) -> UserOut:
        self._answer()
        sent = SetupIn.model_validate({"token": token, "name": name, "password": password})
        if sent.token != "once":
            raise ClientError(401, "This link is not valid.")
        self.registry.made.append((name, password))
        return USER

    def ready(self) -> ReadinessOut:
        self._answer()
        return ReadinessOut(status="ready", migration="0001")


@pytest.fixture
def registry() -> FakeRegistry:
    return FakeRegistry()


@pytest.fixture
def browser(registry: FakeRegistry) -> Iterator[TestClient]:
    app = Starlette(routes=AuthRoutes(registry.as_whom).routes())  # type: ignore[arg-type]
    with TestClient(app, base_url=SITE, follow_redirects=False) as client:
        yield client


def sign_in(browser: TestClient, **other: str) -> Any:
    form = {"name": "maria", "password": "a long password", "next": "/review?proposal=1"} | other
    return browser.post("/sign-in", data=form, headers=OWN)


def test_signing_in_goes_on_to_the_page_that_was_asked_for(browser: TestClient) -> None:
    answer = sign_in(browser)

    assert (answer.status_code, answer.headers["location"]) == (303, "/review?proposal=1")


def test_the_session_cookie_is_out_of_reach_for_scripts_and_other_sites(browser: TestClient) -> None:
    cookie = sign_in(browser).headers["set-cookie"].casefold()

    assert cookie.startswith(f"{COOKIE}=s3cret;")
    assert "httponly" in cookie
    assert "samesite=lax" in cookie
    assert "path=/" in cookie
    assert f"{EXPIRES:%d %b %Y %H:%M:%S}".casefold() in cookie
    assert "secure" not in cookie


def test_over_https_the_cookie_goes_over_https_only(registry: FakeRegistry) -> None:
    app = Starlette(routes=AuthRoutes(registry.as_whom).routes())  # type: ignore[arg-type]
    browser = TestClient(app, base_url="https://treaty.test", follow_redirects=False)

    answer = browser.post(
        "/sign-in", data={"name": "maria", "password": "a long password"}, headers={"Origin": "https://treaty.test"}
    )

    assert "secure" in answer.headers["set-cookie"].casefold()


@pytest.mark.parametrize("next_path", ["//evil.example", "https://evil.example", "/\\evil.example"])
def test_signing_in_never_leads_to_another_site(browser: TestClient, next_path: str) -> None:
    assert sign_in(browser, next=next_path).headers["location"] == "/"


def test_a_wrong_name_and_a_wrong_password_get_the_same_answer(browser: TestClient) -> None:
    name, password = sign_in(browser, name="nobody"), sign_in(browser, password="wrong")

    assert (name.status_code, password.status_code) == (401, 401)
    assert texts.WRONG in name.text
    assert name.text.replace("nobody", "maria") == password.text
    assert "set-cookie" not in name.headers
    assert "wrong" not in password.text


def test_the_form_keeps_the_name_and_where_to_go_but_never_the_password(browser: TestClient) -> None:
    page = sign_in(browser, name='<b>"x"', password="tell nobody").text

    assert 'value="&lt;b&gt;&quot;x&quot;"' in page
    assert 'value="/review?proposal=1"' in page
    assert "tell nobody" not in page
    assert "<b>" not in page


@pytest.mark.parametrize(
    ("broken", "status", "said"),
    [
        (ClientError(0, "connection refused at 10.0.0.1"), 503, texts.UNREACHABLE),
        (ClientError(500, "something went wrong", reference="ref-1"), 500, "reference ref-1"),
        (ClientError(422, "not so", [FaultOut(code="X", where="name", message="too long")]), 422, "too long"),
    ],
)
def test_a_registry_that_fails_is_told_without_a_trace(
    browser: TestClient, registry: FakeRegistry, broken: ClientError, status: int, said: str
) -> None:
    registry.broken = broken

    answer = sign_in(browser)

    assert (answer.status_code, said in answer.text) == (status, True)
    assert "10.0.0.1" not in answer.text
    assert "Traceback" not in answer.text


@pytest.mark.parametrize("path", ["/sign-in", "/sign-out", "/setup"])
@pytest.mark.parametrize("headers", [{}, {"Origin": "http://evil.example"}, {"Origin": "null"}])
def test_forms_of_other_sites_are_refused(browser: TestClient, path: str, headers: dict[str, str]) -> None:
    assert browser.post(path, data={"name": "maria"}, headers=headers).status_code == 403


def test_a_form_that_is_too_long_is_refused(browser: TestClient) -> None:
    assert sign_in(browser, name="x" * 20_000).status_code == 413


def test_signing_out_ends_the_session_and_forgets_the_cookie(browser: TestClient, registry: FakeRegistry) -> None:
    browser.cookies.set(COOKIE, "s3cret")

    answer = browser.post("/sign-out", headers=OWN)

    assert (answer.status_code, answer.headers["location"]) == (303, "/sign-in")
    assert registry.closed == ["s3cret"]
    assert f'{COOKIE}=""' in answer.headers["set-cookie"]


@pytest.mark.parametrize(("broken", "status"), [(ClientError(401, "ended"), 303), (ClientError(0, "down"), 503)])
def test_signing_out_forgets_the_cookie_whatever_the_registry_says(
    browser: TestClient, registry: FakeRegistry, broken: ClientError, status: int
) -> None:
    browser.cookies.set(COOKIE, "s3cret")
    registry.broken = broken

    answer = browser.post("/sign-out", headers=OWN)

    assert answer.status_code == status
    assert f'{COOKIE}=""' in answer.headers["set-cookie"]


def test_signing_out_by_a_link_asks_first(browser: TestClient, registry: FakeRegistry) -> None:
    assert 'action="/sign-out"' in browser.get("/sign-out").text
    assert registry.closed == []


def test_the_one_time_link_makes_the_administrator_and_signs_in(browser: TestClient, registry: FakeRegistry) -> None:
    assert 'value="once"' in browser.get("/setup?token=once").text

    form = {"token": "once", "name": "ada", "password": "a first password"}
    answer = browser.post("/setup", data=form, headers=OWN)

    assert registry.made == [("ada", "a first password")]
    assert (answer.status_code, answer.headers["location"]) == (303, "/")
    assert COOKIE in answer.headers["set-cookie"]


@pytest.mark.parametrize(
    ("form", "status", "said"),
    [
        ({"token": "used", "name": "ada", "password": "a first password"}, 401, "This link is not valid."),
        ({"token": "once", "name": "ada", "password": "short"}, 422, "password:"),
        ({}, 422, "name:"),
    ],
)
def test_what_is_wrong_with_a_set_up_is_said(browser: TestClient, form: dict[str, str], status: int, said: str) -> None:
    answer = browser.post("/setup", data=form, headers=OWN)

    assert (answer.status_code, said in answer.text) == (status, True)


def test_a_link_without_its_token_says_what_to_do(browser: TestClient) -> None:
    answer = browser.get("/setup")

    assert (answer.status_code, "treaty init" in answer.text) == (400, True)


@pytest.mark.parametrize(("broken", "status"), [(None, 200), (ClientError(0, "down"), 503)])
def test_the_pages_are_ready_when_the_registry_answers(
    browser: TestClient, registry: FakeRegistry, broken: ClientError | None, status: int
) -> None:
    registry.broken = broken

    assert browser.get("/ui/ready").status_code == status


@pytest.mark.parametrize("path", ["/sign-in", "/sign-out", "/setup?token=x", "/setup"])
def test_the_doors_are_never_kept_in_a_cache(browser: TestClient, path: str) -> None:
    assert browser.get(path).headers["cache-control"] == "no-store"


def test_every_input_has_a_label(browser: TestClient) -> None:
    page = browser.get("/sign-in").text

    for name in ("name", "password"):
        assert f'<label for="{name}">' in page
        assert f'<input id="{name}"' in page


CLIENT = "treaty"
BACK = f"{SITE}/sign-in/back"


@pytest.fixture(scope="module")
def issuer() -> Iterator[Issuer]:
    required()
    with issuing() as made:
        yield made


@pytest.fixture
def visitor(registry: FakeRegistry, issuer: Issuer) -> Iterator[TestClient]:
    """A browser at pages that know the provider; the registry believes any token, and keeps what came."""
    doors = AuthRoutes(registry.as_whom, SignInProvider(issuer.address, CLIENT, "a client's secret"))  # type: ignore[arg-type]
    with TestClient(Starlette(routes=doors.routes()), base_url=SITE, follow_redirects=False) as client:
        yield client


def at_the_provider(visitor: TestClient, issuer: Issuer, next_path: str = "/catalog?q=a") -> str:
    """Where the provider sends somebody back who left for it."""
    left = visitor.get("/sign-in/provider", params={"next": next_path})
    assert left.status_code == 303
    return issuer.left(urlsplit(left.headers["location"]).query)


def test_the_sign_in_page_leads_to_the_provider_where_there_is_one(browser: TestClient, visitor: TestClient) -> None:
    assert "/sign-in/provider?next=%2Fcatalog" in visitor.get("/sign-in", params={"next": "/catalog"}).text
    assert "provider" not in browser.get("/sign-in").text
    assert browser.get("/sign-in/provider").status_code == 503


def test_who_comes_back_from_the_provider_is_signed_in(
    visitor: TestClient, registry: FakeRegistry, issuer: Issuer
) -> None:
    back = at_the_provider(visitor, issuer)

    answer = visitor.get(back)

    assert (answer.status_code, answer.headers["location"]) == (303, "/catalog?q=a")
    assert visitor.cookies[COOKIE] == "s3cret"
    ((token, nonce),) = registry.shown
    assert (token.count("."), len(nonce) >= 32) == (2, True)
    assert "treaty_sign_in" not in visitor.cookies


def test_a_sign_in_that_was_not_begun_here_opens_nothing(
    visitor: TestClient, registry: FakeRegistry, issuer: Issuer
) -> None:
    back = at_the_provider(visitor, issuer)
    strays = [f"{back}x", back.replace("state=", "other="), "/sign-in/back?error=access_denied"]

    for stray in strays:
        assert visitor.get(stray).status_code == 400
        visitor.cookies.clear()
        at_the_provider(visitor, issuer)
    assert visitor.get(f"/sign-in/back?state={flow(visitor).state}").status_code == 401
    visitor.cookies.set("treaty_sign_in", "not base64", path="/sign-in")
    assert visitor.get(back).status_code == 400
    assert registry.shown == []


def test_the_address_says_what_the_standards_ask_for(issuer: Issuer, monkeypatch: pytest.MonkeyPatch) -> None:
    """The verifier and the challenge of RFC 7636, appendix B."""
    monkeypatch.setattr(
        "treaty.ui.server.oidc_flow.secrets.token_urlsafe", lambda _: "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
    )
    address, begun = SignInProvider(issuer.address, "a client & co").begin(BACK, "/")
    assert address.startswith(f"{issuer.address}/authorization?")
    assert dict(parse_qsl(urlsplit(address).query)) == {
        "response_type": "code",
        "client_id": "a client & co",
        "redirect_uri": BACK,
        "scope": "openid email profile",
        "state": begun.state,
        "nonce": begun.nonce,
        "code_challenge": "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM",
        "code_challenge_method": "S256",
    }


def test_state_nonce_and_verifier_are_long_and_differ_each_time(issuer: Issuer) -> None:
    begun = [SignInProvider(issuer.address, CLIENT).begin(BACK, "/")[1] for _ in range(3)]
    secrets = {secret for each in begun for secret in (each.state, each.nonce, each.verifier)}
    assert (len(secrets), min(map(len, secrets)) >= 43) == (9, True)


@pytest.mark.parametrize(
    ("secret", "authorization"),
    [
        ("", ""),
        # RFC 6749 section 2.3.1: as the fields of a form are encoded.
        ("a client's secret: ü", "Basic YSt0cmVhdHk6YStjbGllbnQlMjdzK3NlY3JldCUzQSslQzMlQkM="),
    ],
)
def test_a_code_is_exchanged_as_the_client_that_began(issuer: Issuer, secret: str, authorization: str) -> None:
    provider = SignInProvider(issuer.address, "a treaty", secret)
    address, begun = provider.begin(BACK, "/")
    code = dict(parse_qsl(urlsplit(issuer.left(urlsplit(address).query)).query))["code"]

    assert provider.token(begun, BACK, code).count(".") == 2
    assert issuer.sent == {
        "grant_type": "authorization_code",
        "code": code,
        "redirect_uri": BACK,
        "code_verifier": begun.verifier,
        "authorization": authorization,
        **({} if secret else {"client_id": "a treaty"}),
    }


TOKEN = b'"id_token":"a.b.c","access_token":"x","token_type":"Bearer"'


@pytest.mark.parametrize(
    ("status", "body", "message"),
    [
        (400, b"{%s}" % TOKEN, texts.CODE_REFUSED),
        (503, b"{%s}" % TOKEN, texts.CODE_REFUSED),
        (302, b"{%s}" % TOKEN, texts.CODE_REFUSED),
        (200, b'{"error":"invalid_grant",%s}' % TOKEN, texts.CODE_REFUSED),
        (200, b'{"error":["x"],"error_description":{"s3cret":1}}', texts.CODE_REFUSED),
        (200, b'{"error":"x","error_description":"s3cret \\u0000"}', texts.CODE_REFUSED),
        (200, b'{"expires_in":"s3cret",%s}' % TOKEN, texts.CODE_REFUSED),
        (200, b'{"expires_in":[1],%s}' % TOKEN, texts.CODE_REFUSED),
        (200, b'{"expires_in":Infinity,%s}' % TOKEN, texts.CODE_REFUSED),
        (200, b"[" * 100_000, texts.CODE_REFUSED),
        (200, b"[]", texts.CODE_REFUSED),
        (200, b"s3cret", texts.CODE_REFUSED),
        (200, b"", texts.CODE_REFUSED),
        (200, b"{}", texts.NOBODY_NAMED),
        (200, b'{"id_token":{"s3cret":1}}', texts.NOBODY_NAMED),
    ],
)
def test_an_answer_that_is_no_token_opens_nothing(issuer: Issuer, status: int, body: bytes, message: str) -> None:
    issuer.answer = (status, body)
    try:
        with pytest.raises(SignInFailed) as refused:
            SignInProvider(issuer.address, CLIENT).token(SignInFlow("s", "n", "v"), BACK, "code %zz ü\n")
    finally:
        issuer.answer = None
    assert str(refused.value) == message
    assert issuer.sent["code"] == "code %zz ü\n"


def flow(visitor: TestClient) -> SignInFlow:
    found = SignInFlow.of(visitor.cookies["treaty_sign_in"])
    assert found is not None
    return found


def test_a_code_is_good_only_with_what_was_remembered(
    visitor: TestClient, registry: FakeRegistry, issuer: Issuer
) -> None:
    back = at_the_provider(visitor, issuer)
    mine = flow(visitor)
    other = SignInFlow(mine.state, mine.nonce, "another verifier", mine.next)
    visitor.cookies.clear()
    visitor.cookies.set("treaty_sign_in", other.cookie, path="/sign-in")

    answer = visitor.get(back)

    assert (answer.status_code, registry.shown) == (401, [])
    assert "rejected the code" in answer.text


def test_a_provider_that_does_not_answer_is_told_and_the_password_stays(visitor: TestClient, issuer: Issuer) -> None:
    issuer.away = True
    answer = visitor.get("/sign-in/provider")
    issuer.away = False
    assert answer.status_code == 503
    assert "is not responding" in answer.text
    assert 'name="password"' in answer.text


@pytest.mark.parametrize("next_path", ["//evil.example", "https://evil.example"])
def test_the_way_back_never_leads_to_another_site(visitor: TestClient, issuer: Issuer, next_path: str) -> None:
    assert visitor.get(at_the_provider(visitor, issuer, next_path)).headers["location"] == "/"
