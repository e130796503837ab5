"""Signing in through an OpenID Connect provider: the code flow with PKCE (RFC 6749 section 4.1, RFC 7636).

What the provider says of a person is checked by the registry, against the provider's keys; the pages only carry it."""

import base64
import binascii
import hashlib
import json
import secrets
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Self
from urllib.parse import quote_plus, urlencode

import httpx

from treaty.ui.server.security import same_site_path
from treaty.ui.texts import sign_in as texts

# Begins what the cookie holds while somebody is at the provider.
COOKIE = "treaty_sign_in"
LASTS = 600
SCOPE = " ".join(("openid", "email", "profile"))
WAIT = 10.0


class NotSignedIn(Exception):
    """The provider let nobody in, or cannot be asked; says why in words that hold no secret."""


@dataclass(frozen=True)
class Flow:
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
class Provider:
    """The provider, and who the pages are there."""

    issuer: str
    client_id: str
    client_secret: str = field(default="", repr=False)

    def begin(self, back: str, next_path: str) -> tuple[str, Flow]:
        """The address at the provider where the person goes, to come `back`; and what to remember until then. Raises
        NotSignedIn where the provider cannot be asked."""
        state, nonce, verifier = (secrets.token_urlsafe(48) for _ in range(3))
        flow = Flow(state, nonce, verifier, same_site_path(next_path))
        asked = {
            "response_type": "code",
            "client_id": self.client_id,
            "redirect_uri": back,
            "scope": SCOPE,
            "state": flow.state,
            "nonce": flow.nonce,
            "code_challenge": challenge(flow.verifier),
            "code_challenge_method": "S256",
        }
        where = self._endpoints()["authorization_endpoint"]
        return f"{where}{'&' if '?' in where else '?'}{urlencode(asked)}", flow

    def token(self, flow: Flow, back: str, code: str) -> str:
        """The identity token for the code with which the person came back. Raises NotSignedIn where there is none."""
        sent = {"grant_type": "authorization_code", "code": code, "redirect_uri": back, "code_verifier": flow.verifier}
        # RFC 6749 section 2.3.1: a client's name and secret are encoded as a form's fields are.
        named = (quote_plus(self.client_id), quote_plus(self.client_secret)) if self.client_secret else None
        found = _answer(
            lambda: httpx.post(
                self._endpoints()["token_endpoint"],
                data=sent if named else {**sent, "client_id": self.client_id},
                auth=named,
                timeout=WAIT,
                headers={"accept": "application/json"},
            ),
            texts.CODE_REFUSED,
        )
        if not isinstance(found.get("id_token"), str):
            raise NotSignedIn(texts.NOBODY_NAMED)
        return str(found["id_token"])

    def _endpoints(self) -> dict[str, str]:
        """What the issuer says of itself."""
        where = f"{self.issuer.rstrip('/')}/.well-known/openid-configuration"
        found = _answer(
            lambda: httpx.get(where, timeout=WAIT),
            texts.PROVIDER_SILENT,
        )
        if found.get("issuer") != self.issuer:
            raise NotSignedIn(texts.OTHER_ISSUER)
        return {name: str(found.get(name)) for name in ("authorization_endpoint", "token_endpoint")}


def challenge(verifier: str) -> str:
    """The code challenge of a verifier (RFC 7636 section 4.2, S256)."""
    return base64.urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest()).decode().rstrip("=")


def _answer(ask: Callable[[], httpx.Response], otherwise: str) -> Mapping[str, Any]:
    try:
        found = ask().raise_for_status().json()
    except (httpx.HTTPError, httpx.InvalidURL, ValueError):
        raise NotSignedIn(otherwise) from None
    if not isinstance(found, dict):
        raise NotSignedIn(otherwise)
    return found
