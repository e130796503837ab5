"""Signing in through an OpenID Connect provider: the code flow with PKCE (RFC 6749 section 4.1, RFC 7636).

What the provider says of a person is checked by the registry, against the provider's keys; the pages only carry it.

The protocol is Authlib's, over our own httpx client: its httpx integration prefers httpx2, and its integrations of
frameworks, which alone read the discovery document, keep the flow in sessions of their own. The client's secret is
encoded here, for Authlib leaves out the encoding of RFC 6749 section 2.3.1."""

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

# Begins what the cookie holds while somebody is at the provider.
COOKIE = "treaty_sign_in"
LASTS = 600
# The errors of answers that are late, broken, refusals, or nothing that the protocol knows.
UNREADABLE = (httpx.HTTPError, httpx.InvalidURL, ValueError, TypeError, OverflowError, RecursionError)
SCOPE = " ".join(("openid", "email", "profile"))
WAIT = 10.0


class SignInFailed(Exception):
    """The provider let nobody in, or cannot be asked; says why in words that hold no secret."""


@dataclass(frozen=True)
class SignInFlow:
    """What must be known of a sign-in when the person comes back from the provider: `next`, the page to go on to."""

    state: str
    nonce: str
    verifier: str = field(repr=False)
    next: str = "/"

    @property
    def cookie(self) -> str:
        """The flow as the value of a cookie."""
        return base64.urlsafe_b64encode(json.dumps(asdict(self)).encode()).decode()

    @classmethod
    def of(cls, cookie: str) -> Self | None:
        """The flow in a cookie; None where it holds none."""
        try:
            told = json.loads(base64.urlsafe_b64decode(cookie))
            flow = cls(*(str(told[name]) for name in ("state", "nonce", "verifier", "next")))
        except (ValueError, KeyError, TypeError, binascii.Error):
            return None
        return flow if flow.state and flow.verifier else None


@dataclass(frozen=True)
class SignInProvider:
    """The provider, and who the pages are there."""

    issuer: str
    client_id: str
    client_secret: str = field(default="", repr=False)

    def begin(self, back: str, next_path: str) -> tuple[str, SignInFlow]:
        """The address at the provider where the person goes, to come `back`; and what to remember until then. Raises
        NotSignedIn where the provider cannot be asked."""
        state, nonce, verifier = (secrets.token_urlsafe(48) for _ in range(3))
        flow = SignInFlow(state, nonce, verifier, same_site_path(next_path))
        where, client = self._endpoints()["authorization_endpoint"], self._client(back)
        try:
            address, _ = client.create_authorization_url(where, flow.state, flow.verifier, nonce=flow.nonce)
        except ValueError:
            raise SignInFailed(texts.PROVIDER_SILENT) from None
        return str(address), flow

    def token(self, flow: SignInFlow, back: str, code: str) -> str:
        """The identity token for the code with which the person came back. Raises NotSignedIn where there is none."""
        where = self._endpoints()["token_endpoint"]
        # RFC 6749 section 2.3.1: a client's name and secret are encoded as a form's fields are.
        named = (quote_plus(self.client_id), quote_plus(self.client_secret)) if self.client_secret else None
        public = {} if named else {"client_id": self.client_id}
        try:
            with httpx.Client(timeout=WAIT, auth=named) as wire:
                found = self._client(back, wire).fetch_token(
                    where, auth=httpx.USE_CLIENT_DEFAULT, code=code, code_verifier=flow.verifier, **public
                )
        except (AuthlibBaseError, *UNREADABLE):
            raise SignInFailed(texts.CODE_REFUSED) from None
        if not isinstance(found.get("id_token"), str):
            raise SignInFailed(texts.NOBODY_NAMED)
        return str(found["id_token"])

    def _client(self, back: str, wire: httpx.Client | None = None) -> OAuth2Client:
        """Return Authlib's client, which refuses every answer with the status of an error."""
        client = OAuth2Client(wire, self.client_id, scope=SCOPE, redirect_uri=back, code_challenge_method="S256")
        client.register_compliance_hook("access_token_response", httpx.Response.raise_for_status)
        return client

    def _endpoints(self) -> dict[str, str]:
        """What the issuer says of itself."""
        where = f"{self.issuer.rstrip('/')}/.well-known/openid-configuration"
        try:
            found = httpx.get(where, timeout=WAIT).raise_for_status().json()
        except UNREADABLE:
            raise SignInFailed(texts.PROVIDER_SILENT) from None
        if not isinstance(found, dict):
            raise SignInFailed(texts.PROVIDER_SILENT)
        if found.get("issuer") != self.issuer:
            raise SignInFailed(texts.OTHER_ISSUER)
        return {name: str(found.get(name)) for name in ("authorization_endpoint", "token_endpoint")}
