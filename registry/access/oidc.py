"""Verify bearer tokens of an OpenID Connect provider and identify their user.

A token cannot influence how it is verified: the algorithms are a setting, and keys come only from the provider. An
unknown key id refreshes the keys. PyJWT verifies signatures and claims. Times are compared here because PyJWT reads the
machine's clock, and the keys are fetched here because PyJWT's client does not limit the response size."""

import json
import math
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from threading import Lock
from typing import Any
from urllib.parse import urlsplit

from treaty.registry.core.errors import ProviderUnavailable, Unauthenticated
from treaty.registry.core.settings import ConfigError, RegistrySettings

LONGEST = 16_384
MOST_BYTES = 262_144
WAIT = 5.0
MIN_REFETCH = timedelta(seconds=30)
ASYMMETRIC = frozenset({"RSA", "EC", "OKP"})
SAFE = frozenset(
    {"RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA"}
)  # fmt: skip
# Providers do not normalize the case of these claims; other claims are compared exactly.
ANY_CASE = frozenset({"email", "preferred_username", "upn"})
HERE = frozenset({"127.0.0.1", "::1", "localhost"})
REFUSED = "The identity provider's token is not valid. Sign in again."


@dataclass(frozen=True)
class Identity:
    """User name and teams derived from a token.

    `teams`: names of the teams that the token's groups map to. `nonce`: the token's nonce; None if it has none."""

    name: str
    teams: frozenset[str]
    nonce: str | None = None


class ProviderKeys:
    """A cache of the provider's keys, refreshed on expiry and for unknown ids."""

    def __init__(self, fetch: Callable[[], Mapping[str, Any]], *, fresh: timedelta) -> None:
        self._fetch, self._fresh, self._lock = fetch, fresh, Lock()
        self._keys: Mapping[str, Any] = {}
        self._fetched: datetime | None = None
        self._last_attempt: datetime | None = None

    def key(self, key_id: str, *, now: datetime) -> Any:
        """Return the key of that id.

        An unknown id refreshes the keys, at most once per MIN_REFETCH. Raises Unauthenticated if the provider has no
        such key, and ProviderUnavailable if it does not respond."""
        if self._current(now) and key_id in self._keys:
            return self._keys[key_id]
        with self._lock:
            if not (self._current(now) and key_id in self._keys) and self._may_try(now):
                self._refresh(now)
        if not self._current(now):
            raise ProviderUnavailable
        if key_id not in self._keys:
            raise Unauthenticated(REFUSED)
        return self._keys[key_id]

    def _current(self, now: datetime) -> bool:
        return self._fetched is not None and now < self._fetched + self._fresh

    def _may_try(self, now: datetime) -> bool:
        return self._last_attempt is None or now >= self._last_attempt + MIN_REFETCH

    def _refresh(self, now: datetime) -> None:
        self._last_attempt = now
        self._keys, self._fetched = self._fetch(), now


@dataclass(frozen=True, kw_only=True)
class OidcProvider:
    """A configured provider: required claims of its tokens and the claim with the user name."""

    issuer: str
    audience: str
    algorithms: frozenset[str]
    claim: str
    groups: str
    teams: Mapping[str, str]
    leeway: timedelta
    keys: ProviderKeys = field(repr=False)

    def identify(self, token: str, *, now: datetime) -> Identity:
        """Verify the token and return its identity.

        Raises Unauthenticated with the same message for every fault, and ProviderUnavailable if the keys cannot be
        fetched."""
        import jwt

        try:
            return self._identity(self._claims(token, now))
        except (jwt.PyJWTError, ValueError, RecursionError):
            raise Unauthenticated(REFUSED) from None

    def _claims(self, token: str, now: datetime) -> Mapping[str, Any]:
        import jwt

        header = jwt.get_unverified_header(token[: LONGEST + 1])
        key_id, algorithm = header.get("kid"), header.get("alg")
        if len(token) > LONGEST or not isinstance(key_id, str) or algorithm not in self.algorithms:
            raise Unauthenticated(REFUSED)
        key = self.keys.key(key_id, now=now)
        # PyJWT would compare times with the machine's clock.
        options: Any = {f"verify_{name}": False for name in ("exp", "nbf", "iat")}
        options |= {"require": ["exp", "iss", "aud"], "strict_aud": False, "enforce_minimum_key_length": True}
        claims: Mapping[str, Any] = jwt.decode(
            token, key, algorithms=sorted(self.algorithms), audience=self.audience, issuer=self.issuer, options=options
        )
        _refuse_out_of_time(claims, now, self.leeway)
        return claims

    def _identity(self, claims: Mapping[str, Any]) -> Identity:
        claimed = claims.get(self.claim)
        unproven = self.claim == "email" and claims.get("email_verified") is not True
        if not isinstance(claimed, str) or not claimed or unproven:
            raise Unauthenticated(REFUSED)
        groups = claims.get(self.groups)
        group_names = {each for each in groups if isinstance(each, str)} if isinstance(groups, list) else set[str]()
        name = claimed.lower() if self.claim in ANY_CASE else claimed
        nonce = claims.get("nonce")
        teams = frozenset(team for group, team in self.teams.items() if group in group_names)
        return Identity(name, teams, nonce if isinstance(nonce, str) else None)


def is_token(bearer: str) -> bool:
    """Return whether the bearer is a provider's token. Secrets of this service contain no dots."""
    return bearer.count(".") == 2


def provider(settings: RegistrySettings) -> OidcProvider | None:
    """Return the configured provider; None if none is configured. Raises ConfigError if the settings are invalid."""
    if not settings.oidc_issuer:
        return None
    algorithms = frozenset(_words(settings.oidc_algorithms))
    for message in _wrongs(settings, algorithms):
        raise ConfigError(message)
    return OidcProvider(
        issuer=settings.oidc_issuer,
        audience=settings.oidc_audience,
        algorithms=algorithms,
        claim=settings.oidc_user_claim,
        groups=settings.oidc_groups_claim,
        teams=dict(pair.split("=", 1) for pair in _words(settings.oidc_teams)),
        leeway=timedelta(seconds=settings.oidc_leeway_seconds),
        keys=ProviderKeys(lambda: fetched(settings), fresh=timedelta(minutes=settings.oidc_keys_cache_minutes)),
    )


def fetched(settings: RegistrySettings) -> dict[str, Any]:
    """Fetch the provider's keys by id. Raises ProviderUnavailable if the response is missing or malformed."""
    from jwt import PyJWKSet, PyJWTError

    try:
        url = settings.oidc_keys_url or _discovered(settings.oidc_issuer)
        _refuse_plain(url)
        document = _read(url)
        signing_keys = [
            each for each in document["keys"] if each.get("kty") in ASYMMETRIC and each.get("use", "sig") == "sig"
        ]
        return {each.key_id: each for each in PyJWKSet.from_dict({"keys": signing_keys}).keys if each.key_id}
    except (PyJWTError, ValueError, KeyError, TypeError, AttributeError):
        raise ProviderUnavailable from None


def _discovered(issuer: str) -> str:
    """Return the URL of the keys from the issuer's discovery document."""
    document = _read(issuer.rstrip("/") + "/.well-known/openid-configuration")
    if document["issuer"] != issuer:
        raise ValueError
    return str(document["jwks_uri"])


def _read(url: str) -> Any:
    import httpx

    body = bytearray()
    try:
        with httpx.stream("GET", url, timeout=WAIT, follow_redirects=False) as answer:
            if answer.status_code != 200:
                raise ProviderUnavailable
            for chunk in answer.iter_bytes():
                body += chunk
                if len(body) > MOST_BYTES:
                    raise ProviderUnavailable
    except (httpx.HTTPError, httpx.InvalidURL):
        raise ProviderUnavailable from None
    return json.loads(bytes(body))


def _refuse_out_of_time(claims: Mapping[str, Any], now: datetime, leeway: timedelta) -> None:
    """Raise Unauthenticated unless the token is valid at `now`, within the leeway.

    The token must not have expired (`exp`), and must not begin (`nbf`) or be issued (`iat`) in the future."""
    moment, slack = now.timestamp(), leeway.total_seconds()
    ends, begins, issued = (claims.get(name) for name in ("exp", "nbf", "iat"))
    early = any(each is not None and _seconds(each) > moment + slack for each in (begins, issued))
    if early or _seconds(ends) <= moment - slack:
        raise Unauthenticated(REFUSED)


def _seconds(claim: Any) -> float:
    """Return the time of a claim. Raises ValueError if the claim is not a finite number."""
    if isinstance(claim, bool) or not isinstance(claim, int | float) or not math.isfinite(claim):
        raise ValueError
    return float(claim)


def _wrongs(settings: RegistrySettings, algorithms: Collection[str]) -> list[str]:
    unsafe = sorted(set(algorithms) - SAFE)
    insecure = [each for each in (settings.oidc_issuer, settings.oidc_keys_url) if each and not _is_safe(each)]
    valid_pairs = all("=" in each for each in _words(settings.oidc_teams))
    faults = (
        (
            not settings.oidc_audience,
            "TREATY_OIDC_AUDIENCE: set the audience of the provider's tokens for this service",
        ),
        (not algorithms or unsafe, f"TREATY_OIDC_ALGORITHMS: use one or more of {', '.join(sorted(SAFE))}"),
        (bool(insecure), "TREATY_OIDC_ISSUER, TREATY_OIDC_KEYS_URL: use https, or http on this machine only"),
        (not valid_pairs, "TREATY_OIDC_TEAMS: use group=team pairs, separated by commas"),
    )
    return [message for applies, message in faults if applies]


def _refuse_plain(url: str) -> None:
    if not _is_safe(url):
        raise ValueError


def _is_safe(url: str) -> bool:
    parts = urlsplit(url)
    return parts.scheme == "https" or (parts.scheme == "http" and parts.hostname in HERE)


def _words(text: str) -> list[str]:
    return [each.strip() for each in text.split(",") if each.strip()]
