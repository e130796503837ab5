"""Define the routes outside the pages: sign-in, sign-out, first set-up and readiness."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from hmac import compare_digest
from typing import TypeVar

from pydantic import ValidationError
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import FormData
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.routing import Route

from treaty.registry.client import Client, ClientError
from treaty.registry.schemas import SessionOut
from treaty.ui.server import auth_pages
from treaty.ui.server.auth_pages import AuthPage, rendered
from treaty.ui.server.oidc_flow import COOKIE as FLOW
from treaty.ui.server.oidc_flow import LASTS, SignInFailed, SignInFlow, SignInProvider
from treaty.ui.server.security import COOKIE, from_own_page, is_encrypted, same_site_path
from treaty.ui.texts import sign_in as texts

LONGEST_FORM = 16_384
BACK = "/sign-in/back"
Endpoint = Callable[[Request], Awaitable[Response]]
Answer = TypeVar("Answer")


@dataclass(frozen=True)
class AuthRoutes:
    """Routes for signing in and out and for the first set-up.

    `connect`: creates a client for the secret of a session; None means an anonymous client. `public_url`: base URL
    of the pages if it differs from the one in requests."""

    connect: Callable[[str | None], Client]
    provider: SignInProvider | None = None
    public_url: str = ""

    def routes(self) -> list[Route]:
        """Return the routes for the server."""
        return [
            Route("/sign-in", self.show_sign_in, methods=["GET"]),
            Route("/sign-in", own(self.sign_in, self.public_url), methods=["POST"]),
            Route("/sign-in/provider", self.leave, methods=["GET"]),
            Route(BACK, self.come_back, methods=["GET"]),
            Route("/sign-out", self.show_sign_out, methods=["GET"]),
            Route("/sign-out", own(self.sign_out, self.public_url), methods=["POST"]),
            Route("/setup", self.show_setup, methods=["GET"]),
            Route("/setup", own(self.set_up, self.public_url), methods=["POST"]),
            Route("/ui/ready", self.ready, methods=["GET"]),
        ]

    async def show_sign_in(self, request: Request) -> Response:
        """Show the sign-in form, which remembers the page to continue to."""
        return rendered(self._sign_in(same_site_path(request.query_params.get("next"))))

    async def leave(self, request: Request) -> Response:
        """Redirect to the identity provider; a cookie stores the flow until the browser returns."""
        next_path = same_site_path(request.query_params.get("next"))
        try:
            address, flow = await run_in_threadpool(self._provider().begin, self._back(request), next_path)
        except SignInFailed as error:
            return rendered(self._sign_in(next_path), status=503, problem=str(error))
        answer = RedirectResponse(address, status_code=303, headers={"Cache-Control": "no-store"})
        secure = is_encrypted(request, self.public_url)
        answer.set_cookie(
            FLOW, flow.cookie, max_age=LASTS, path="/sign-in", httponly=True, samesite="lax", secure=secure
        )
        return answer

    async def come_back(self, request: Request) -> Response:
        """Open a session for the person named by the provider.

        Shows the sign-in page with the reason if the provider names no one or the flow does not match."""
        flow, query = SignInFlow.of(request.cookies.get(FLOW, "")), request.query_params
        answer = await self._opened(request, flow, query.get("state", ""), query.get("code", ""))
        answer.delete_cookie(FLOW, path="/sign-in", httponly=True, samesite="lax")
        return answer

    async def _opened(self, request: Request, flow: SignInFlow | None, state: str, code: str) -> Response:
        if flow is None or not compare_digest(flow.state.encode(), state.encode()):
            return rendered(self._sign_in("/"), status=400, problem=texts.STRAY)
        next_path = same_site_path(flow.next)
        if not code:
            return rendered(self._sign_in(next_path), status=401, problem=texts.DECLINED)
        try:
            token = await run_in_threadpool(self._provider().token, flow, self._back(request), code)
            opened = await self._call_client(lambda client: client.sign_in_with_oidc(token, flow.nonce))
        except SignInFailed as error:
            return rendered(self._sign_in(next_path), status=401, problem=str(error))
        except ClientError as error:
            return _refused(self._sign_in(next_path), error, wrong=error.message)
        return _signed_in(request, opened, next_path, self.public_url)

    def _sign_in(self, next_path: str, *, name: str = "") -> AuthPage:
        return auth_pages.sign_in(next_path, name=name, elsewhere=self.provider is not None)

    def _provider(self) -> SignInProvider:
        if self.provider is None:
            raise SignInFailed(texts.NO_PROVIDER)
        return self.provider

    def _back(self, request: Request) -> str:
        return (self.public_url or f"{request.url.scheme}://{request.url.netloc}") + BACK

    async def sign_in(self, request: Request) -> Response:
        """Open a session and redirect to the requested page; show the form again if the registry refuses."""
        form = await _form(request)
        next_path = same_site_path(form["next"])
        try:
            address = request.client.host if request.client else None
            opened = await self._call_client(
                lambda client: client.sign_in(form["name"], form["password"], address=address)
            )
        except (ClientError, ValidationError) as error:
            return _refused(self._sign_in(next_path, name=form["name"]), error)
        return _signed_in(request, opened, next_path, self.public_url)

    async def show_sign_out(self, request: Request) -> Response:
        """Show the confirmation of the sign-out."""
        return rendered(auth_pages.sign_out())

    async def sign_out(self, request: Request) -> Response:
        """End the session in the registry and delete its cookie.

        The cookie is deleted even if the registry does not respond."""
        secret = request.cookies.get(COOKIE)
        answer = RedirectResponse("/sign-in", status_code=303)
        answer.delete_cookie(COOKIE, httponly=True, samesite="lax")
        try:
            if secret:
                await run_in_threadpool(self.connect(secret).sign_out)
        except ClientError as error:
            return answer if error.status == 401 else _session_ended(answer)
        return answer

    async def show_setup(self, request: Request) -> Response:
        """Show the form for the first administrator, or a notice without a token."""
        token = request.query_params.get("token", "")
        if not token:
            return rendered(auth_pages.notice(texts.SET_UP, texts.LINK_CUT), status=400)
        return rendered(auth_pages.setup(token))

    async def set_up(self, request: Request) -> Response:
        """Create the administrator and sign in as that user."""
        form = await _form(request)
        token, name, password = form["token"], form["name"], form["password"]
        try:
            await self._call_client(lambda client: client.set_up(token, name=name, password=password))
            opened = await self._call_client(lambda client: client.sign_in(name, password))
        except (ClientError, ValidationError) as error:
            return _refused(auth_pages.setup(token, name=name), error)
        return _signed_in(request, opened, "/", self.public_url)

    async def ready(self, request: Request) -> Response:
        """Return 200 when the registry responds, else 503."""
        try:
            status = await self._call_client(lambda client: client.ready())
        except ClientError:
            return JSONResponse({"status": texts.WAITING_FOR_API}, status_code=503)
        return JSONResponse({"status": "ready", "migration": status.migration})

    async def _call_client(self, question: Callable[[Client], Answer]) -> Answer:
        return await run_in_threadpool(lambda: question(self.connect(None)))


def own(endpoint: Endpoint, public_url: str) -> Endpoint:
    """Restrict the endpoint to requests from this site: others get 403, too long ones 413."""

    async def guarded(request: Request) -> Response:
        if not from_own_page(request, public_url):
            return rendered(auth_pages.notice(texts.FOREIGN_TITLE, texts.FOREIGN), status=403)
        if not _is_short(request):
            return rendered(auth_pages.notice(texts.TOO_LONG_TITLE, texts.TOO_LONG), status=413)
        return await endpoint(request)

    return guarded


def _is_short(request: Request) -> bool:
    """Return whether the length of the form is stated and small. A length beside a transfer encoding is not valid."""
    stated = request.headers.get("content-length", "")
    is_number = stated.isascii() and stated.isdigit()
    return is_number and int(stated) <= LONGEST_FORM and "transfer-encoding" not in request.headers


class _Form(dict[str, str]):
    def __missing__(self, key: str) -> str:
        return ""


async def _form(request: Request) -> _Form:
    sent: FormData = await request.form(max_files=0, max_fields=10)
    return _Form({key: value for key, value in sent.items() if isinstance(value, str)})


def _signed_in(request: Request, opened: SessionOut, next_path: str, public_url: str) -> Response:
    answer = RedirectResponse(next_path, status_code=303)
    answer.set_cookie(
        COOKIE,
        opened.secret,
        expires=opened.expires_at,
        httponly=True,
        samesite="lax",
        secure=is_encrypted(request, public_url),
    )
    return answer


def _refused(form: AuthPage, error: ClientError | ValidationError, *, wrong: str = texts.WRONG) -> Response:
    if isinstance(error, ValidationError):
        details = [f"{each['loc'][-1]}: {each['msg']}" for each in error.errors(include_input=False)]
        return rendered(form, status=422, problem=texts.UNUSABLE, details=details)
    if error.status == 0:
        return rendered(form, status=503, problem=texts.UNREACHABLE)
    if error.status == 401:
        return rendered(form, status=401, problem=wrong if form.action == "/sign-in" else error.message)
    details = [each.message for each in error.faults] + ([texts.reference(error.reference)] if error.reference else [])
    return rendered(form, status=error.status, problem=error.message, details=details)


def _session_ended(answer: Response) -> Response:
    notice = rendered(
        auth_pages.notice(texts.SIGNED_OUT_HERE, texts.SESSION_ENDS),
        status=503,
    )
    notice.headers["set-cookie"] = answer.headers["set-cookie"]
    return notice
