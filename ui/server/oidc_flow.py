"""Sign in through an OpenID Connect provider: code flow with PKCE (RFC 6749 section 4.1, RFC 7636).

The registry verifies the identity token against the provider's keys; the pages only pass it on.

The protocol is Authlib's, over our own httpx client: its httpx integration prefers httpx2, and its framework
integrations, the only ones that read the discovery document, keep the flow in sessions of their own. The client
secret is encoded here, because Authlib omits the encoding of RFC 6749 section 2.3.1."""

import base64
import binascii
import json
import secrets
from dataclasses import asdict, dataclass, field
from typing import Self
from urllib.parse import quote_plus

import httpx
from authlib.common.errors import AuthlibBaseError
from authlib.oauth2.client import OAuth2Client

from treaty.ui.server.security import same_site_path
from treaty.ui.texts import sign_in as texts

# Name of the cookie that stores the flow while the person is at the provider.
COOKIE = "treaty_sign_in"
LASTS = 600
# Errors caused by responses that are late, broken, refused or unknown to the protocol.
UNREADABLE = (httpx.HTTPError, httpx.InvalidURL, ValueError, TypeError, OverflowError, RecursionError)
SCOPE = " ".join(("openid", "email", "profile"))
WAIT = 10.0


class SignInFailed(Exception):
    """The provider refused the sign-in or cannot be reached. The message contains no secret."""


@dataclass(frozen=True)
class SignInFlow:
    """State of a sign-in while the person is at the provider.

    `next`: path of the page to continue to."""

    state: str
    nonce: str
    verifier: str = field(repr=False)
    next: str = "/"

    @property
    def cookie(self) -> str:
        """Return the flow as the value of a cookie."""
        return base64.urlsafe_b64encode(json.dumps(asdict(self)).encode()).decode()

    @classmethod
    def of(cls, cookie: str) -> Self | None:
        """Parse the flow from a cookie; None if the cookie holds none."""
        try:
            fields = json.loads(base64.urlsafe_b64decode(cookie))
            flow = cls(*(str(fields[name]) for name in ("state", "nonce", "verifier", "next")))
        except (ValueError, KeyError, TypeError, binascii.Error):
            return None
        return flow if flow.state and flow.verifier else None


@dataclass(frozen=True)
class SignInProvider:
    """An OpenID Connect provider and the client credentials of the pages."""

    issuer: str
    client_id: str
    client_secret: str = field(default="", repr=False)

    def begin(self, back: str, next_path: str) -> tuple[str, SignInFlow]:
        """Return the provider's authorization URL and the flow to store until the browser returns.

        `back`: URL to which the provider redirects. Raises SignInFailed if the provider cannot be reached."""
        state, nonce, verifier = (secrets.token_urlsafe(48) for _ in range(3))
        flow = SignInFlow(state, nonce, verifier, same_site_path(next_path))
        endpoint, client = self._endpoints()["authorization_endpoint"], self._client(back)
        try:
            address, _ = client.create_authorization_url(endpoint, flow.state, flow.verifier, nonce=flow.nonce)
        except ValueError:
            raise SignInFailed(texts.PROVIDER_SILENT) from None
        return str(address), flow

    def token(self, flow: SignInFlow, back: str, code: str) -> str:
        """Exchange the authorization code for an identity token. Raises SignInFailed if the provider returns none."""
        endpoint = self._endpoints()["token_endpoint"]
        # RFC 6749 section 2.3.1: a client's name and secret are form-encoded.
        named = (quote_plus(self.client_id), quote_plus(self.client_secret)) if self.client_secret else None
        public = {} if named else {"client_id": self.client_id}
        try:
            with httpx.Client(timeout=WAIT, auth=named) as wire:
                response = self._client(back, wire).fetch_token(
                    endpoint, auth=httpx.USE_CLIENT_DEFAULT, code=code, code_verifier=flow.verifier, **public
                )
        except (AuthlibBaseError, *UNREADABLE):
            raise SignInFailed(texts.CODE_REFUSED) from None
        if not isinstance(response.get("id_token"), str):
            raise SignInFailed(texts.NOBODY_NAMED)
        return str(response["id_token"])

    def _client(self, back: str, wire: httpx.Client | None = None) -> OAuth2Client:
        """Return Authlib's client, which rejects every response with an error status."""
        client = OAuth2Client(wire, self.client_id, scope=SCOPE, redirect_uri=back, code_challenge_method="S256")
        client.register_compliance_hook("access_token_response", httpx.Response.raise_for_status)
        return client

    def _endpoints(self) -> dict[str, str]:
        """Fetch the endpoints from the issuer's discovery document."""
        url = f"{self.issuer.rstrip('/')}/.well-known/openid-configuration"
        try:
            document = httpx.get(url, timeout=WAIT).raise_for_status().json()
        except UNREADABLE:
            raise SignInFailed(texts.PROVIDER_SILENT) from None
        if not isinstance(document, dict):
            raise SignInFailed(texts.PROVIDER_SILENT)
        if document.get("issuer") != self.issuer:
            raise SignInFailed(texts.OTHER_ISSUER)
        return {name: str(document.get(name)) for name in ("authorization_endpoint", "token_endpoint")}
