"""Protect the pages: security headers, the sign-in redirect and closed paths."""

import base64
import hashlib
import re
from collections.abc import Sequence
from pathlib import Path
from urllib.parse import quote, urlsplit

import streamlit
from starlette.datastructures import MutableHeaders
from starlette.requests import HTTPConnection, Request
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from treaty.ui.texts import sign_in as texts

COOKIE = "treaty_session"
# Metrics of the server, and an API that the pages do not use.
CLOSED = ("/_stcore/metrics", "/_stcore/agent", "/_stcore/script-health-check")
FIXED_HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    # With "no-referrer" browsers would send `Origin: null` from our own forms.
    "Referrer-Policy": "same-origin",
    "Permissions-Policy": "camera=(), microphone=(), geolocation=(), payment=(), usb=()",
    "Cross-Origin-Opener-Policy": "same-origin",
}


def inline_scripts(page: str) -> tuple[str, ...]:
    """Return the CSP hashes of the inline scripts of an HTML page."""
    bodies = re.findall(r"<script>(.*?)</script>", page, re.DOTALL)
    return tuple(f"'sha256-{base64.b64encode(hashlib.sha256(body.encode()).digest()).decode()}'" for body in bodies)


def own_scripts() -> tuple[str, ...]:
    """Return the hashes of the inline scripts of Streamlit's page; no other may run."""
    page = Path(streamlit.__file__).parent / "static" / "index.html"
    return inline_scripts(page.read_text(encoding="utf-8"))


def policy(host: str, scripts: Sequence[str]) -> str:
    """Return the Content-Security-Policy of a page at `host`: same origin only."""
    return "; ".join(
        (
            "default-src 'self'",
            f"script-src 'self' {' '.join(scripts)}".strip(),
            "style-src 'self' 'unsafe-inline'",
            "img-src 'self' data: blob:",
            "font-src 'self' data:",
            f"connect-src 'self' ws://{host} wss://{host}",
            "worker-src 'self' blob:",
            "object-src 'none'",
            "base-uri 'self'",
            "form-action 'self'",
            "frame-ancestors 'none'",
        )
    )


def same_site_path(text: str | None) -> str:
    """Return `text` if it is an absolute path of this site, else "/".

    Prevents links that would send a signed-in person to another site."""
    if not text or not re.fullmatch(r"/(?![/\\])[^\\\x00-\x20\x7f]*", text):
        return "/"
    parts = urlsplit(text)
    return "/" if parts.scheme or parts.netloc else text


def from_own_page(connection: HTTPConnection, public_url: str = "") -> bool:
    """Return True if the Origin header names this site.

    `public_url`: the only address of the site; '' accepts the host that the request names."""
    origin = connection.headers.get("origin", "")
    if public_url:
        return origin == origin_of(public_url)
    return bool(origin) and urlsplit(origin).netloc == connection.headers.get("host")


def origin_of(url: str) -> str:
    """Return the origin of a URL as browsers write it: in lower case, without the default port."""
    parts = urlsplit(url.lower())
    default = {"http": ":80", "https": ":443"}.get(parts.scheme, "")
    return f"{parts.scheme}://{parts.netloc.removesuffix(default) if default else parts.netloc}"


def is_encrypted(connection: HTTPConnection, public_url: str = "") -> bool:
    """Return True if browsers reach the site over HTTPS.

    `public_url` decides; if it is '', the request does."""
    return (origin_of(public_url) if public_url else connection.url.scheme).startswith("https")


class SecureHeaders:
    """Middleware that adds the security headers to every response."""

    def __init__(self, app: ASGIApp, *, scripts: Sequence[str], public_url: str = "") -> None:
        self.app, self.scripts, self.public_url = app, scripts, public_url

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on and add the headers to its response."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        connection = HTTPConnection(scope)
        host, encrypted = connection.headers.get("host", ""), is_encrypted(connection, self.public_url)

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                headers.update(FIXED_HEADERS)
                headers["Content-Security-Policy"] = policy(host, self.scripts)
                if encrypted:
                    headers["Strict-Transport-Security"] = "max-age=31536000"
            await send(message)

        await self.app(scope, receive, send_with_headers)


class SignInGate:
    """Middleware that redirects visitors without a session to the sign-in page, and back.

    WebSockets are opened only by this site's pages, and only with the cookie of a session. Closed paths return 404. The
    gate is a convenience, not protection: the API alone decides what a session may see and do."""

    def __init__(self, app: ASGIApp, *, pages: Sequence[str], public_url: str = "") -> None:
        self.app, self.pages, self.public_url = app, frozenset(pages), public_url

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer the request, or pass it on."""
        if scope["type"] == "websocket" and not self._may_connect(HTTPConnection(scope)):
            await send({"type": "websocket.close", "code": 1008})
            return
        answer = self._answer(Request(scope)) if scope["type"] == "http" else None
        await (answer or self.app)(scope, receive, send)

    def _may_connect(self, connection: HTTPConnection) -> bool:
        return COOKIE in connection.cookies and from_own_page(connection, self.public_url)

    def _answer(self, request: Request) -> Response | None:
        if request.url.path.startswith(CLOSED):
            return PlainTextResponse(texts.NOT_FOUND, status_code=404)
        if request.method == "GET" and request.url.path in self.pages and COOKIE not in request.cookies:
            return RedirectResponse(sign_in_link(request.url.path, request.url.query), status_code=303)
        return None


def sign_in_link(path: str, query: str = "") -> str:
    """Return the sign-in URL that leads back to `path`."""
    target = f"{path}?{query}" if query else path
    return "/sign-in" if target == "/" else f"/sign-in?next={quote(target, safe='/')}"
