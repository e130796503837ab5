"""Bearer tokens of an OpenID Connect provider: checked against the provider's keys, and whose they are.

Nothing that a token says decides how it is checked: the algorithms are a setting, each key has its own, and keys are
only those of the provider, asked for again where a token names one that is not known.

Signatures and claims are checked by PyJWT; times are compared here, for it reads the clock of the machine and here the
time is handed in. The keys are fetched here, for its own client reads as much as it is sent."""

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
# Providers let people write these as they like; other claims are identities letter by letter.
ANY_CASE = frozenset({"email", "preferred_username", "upn"})
HERE = frozenset({"127.0.0.1", "::1", "localhost"})
REFUSED = "the identity provider's token is not valid here: sign in there again"


@dataclass(frozen=True)
class Identity:
    """Who a token is about: the name of a user, and the names of teams that its groups stand for. `nonce`: what the
    one who asked for the token had it say, where they did."""

    name: str
    teams: frozenset[str]
    nonce: str | None = None


class ProviderKeys:
    """The provider's keys by their ids, fetched when they are needed, anew after a while."""

    def __init__(self, fetch: Callable[[], Mapping[str, Any]], *, fresh: timedelta) -> None:
        self._fetch, self._fresh, self._lock = fetch, fresh, Lock()
        self._held: Mapping[str, Any] = {}
        self._fetched: datetime | None = None
        self._tried: datetime | None = None

    def key(self, key_id: str, *, now: datetime) -> Any:
        """The key of that id. Raises Unauthenticated where the provider has none, Silent where it does not answer.

        An id that is not known has the keys fetched again, but not more often than every APART."""
        if self._current(now) and key_id in self._held:
            return self._held[key_id]
        with self._lock:
            if not (self._current(now) and key_id in self._held) and self._may_try(now):
                self._refresh(now)
        if not self._current(now):
            raise ProviderUnavailable
        if key_id not in self._held:
            raise Unauthenticated(REFUSED)
        return self._held[key_id]

    def _current(self, now: datetime) -> bool:
        return self._fetched is not None and now < self._fetched + self._fresh

    def _may_try(self, now: datetime) -> bool:
        return self._tried is None or now >= self._tried + MIN_REFETCH

    def _refresh(self, now: datetime) -> None:
        self._tried = now
        self._held, self._fetched = self._fetch(), now


@dataclass(frozen=True, kw_only=True)
class OidcProvider:
    """A provider as the settings say: what its tokens must say, and which of their claims names a user."""

    issuer: str
    audience: str
    algorithms: frozenset[str]
    claim: str
    groups: str
    teams: Mapping[str, str]
    leeway: timedelta
    keys: ProviderKeys = field(repr=False)

    def identify(self, token: str, *, now: datetime) -> Identity:
        """Who the token is about. Raises Unauthenticated, with the same words whatever is wrong with it; Silent where
        the provider's keys are not to be had."""
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
        # Its own look at the clock is left out: here, the time is handed in.
        options: Any = {f"verify_{name}": False for name in ("exp", "nbf", "iat")}
        options |= {"require": ["exp", "iss", "aud"], "strict_aud": False, "enforce_minimum_key_length": True}
        claims: Mapping[str, Any] = jwt.decode(
            token, key, algorithms=sorted(self.algorithms), audience=self.audience, issuer=self.issuer, options=options
        )
        _refuse_out_of_time(claims, now, self.leeway)
        return claims

    def _identity(self, claims: Mapping[str, Any]) -> Identity:
        named = claims.get(self.claim)
        unproven = self.claim == "email" and claims.get("email_verified") is not True
        if not isinstance(named, str) or not named or unproven:
            raise Unauthenticated(REFUSED)
        groups = claims.get(self.groups)
        told = {each for each in groups if isinstance(each, str)} if isinstance(groups, list) else set[str]()
        name = named.lower() if self.claim in ANY_CASE else named
        nonce = claims.get("nonce")
        teams = frozenset(team for group, team in self.teams.items() if group in told)
        return Identity(name, teams, nonce if isinstance(nonce, str) else None)


def is_token(bearer: str) -> bool:
    """Whether a bearer is one that a provider issued: no secret of this service has dots in it."""
    return bearer.count(".") == 2


def provider(settings: RegistrySettings) -> OidcProvider | None:
    """The provider that the settings name; None where they name none. Raises ConfigError where they cannot be used."""
    if not settings.oidc_issuer:
        return None
    algorithms = frozenset(_words(settings.oidc_algorithms))
    for wrong in _wrongs(settings, algorithms):
        raise ConfigError(wrong)
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
    """The provider's keys by their ids, asked for over HTTP. Raises Silent where it does not answer as it should."""
    from jwt import PyJWKSet, PyJWTError

    try:
        where = settings.oidc_keys_url or _discovered(settings.oidc_issuer)
        _refuse_plain(where)
        told = _read(where)
        listed = [each for each in told["keys"] if each.get("kty") in ASYMMETRIC and each.get("use", "sig") == "sig"]
        return {each.key_id: each for each in PyJWKSet.from_dict({"keys": listed}).keys if each.key_id}
    except (PyJWTError, ValueError, KeyError, TypeError, AttributeError):
        raise ProviderUnavailable from None


def _discovered(issuer: str) -> str:
    """Where the keys are, as the issuer says of itself."""
    told = _read(issuer.rstrip("/") + "/.well-known/openid-configuration")
    if told["issuer"] != issuer:
        raise ValueError
    return str(told["jwks_uri"])


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
    """A token is good before `exp`, from `nbf` on, and not issued in time to come: clocks may differ by the leeway."""
    moment, slack = now.timestamp(), leeway.total_seconds()
    ends, begins, issued = (claims.get(name) for name in ("exp", "nbf", "iat"))
    early = any(each is not None and _seconds(each) > moment + slack for each in (begins, issued))
    if early or _seconds(ends) <= moment - slack:
        raise Unauthenticated(REFUSED)


def _seconds(claim: Any) -> float:
    """The claim's time. Raises ValueError for what is none."""
    if isinstance(claim, bool) or not isinstance(claim, int | float) or not math.isfinite(claim):
        raise ValueError
    return float(claim)


def _wrongs(settings: RegistrySettings, algorithms: Collection[str]) -> list[str]:
    unsafe = sorted(set(algorithms) - SAFE)
    plain = [each for each in (settings.oidc_issuer, settings.oidc_keys_url) if each and not _is_safe(each)]
    paired = all("=" in each for each in _words(settings.oidc_teams))
    wrongs = (
        (not settings.oidc_audience, "TREATY_OIDC_AUDIENCE: name what the provider's tokens for this service say"),
        (not algorithms or unsafe, f"TREATY_OIDC_ALGORITHMS: use some of {', '.join(sorted(SAFE))}"),
        (bool(plain), "TREATY_OIDC_ISSUER, TREATY_OIDC_KEYS_URL: use https, or an address of this machine"),
        (not paired, "TREATY_OIDC_TEAMS: write group=team, separated by commas"),
    )
    return [told for wrong, told in wrongs if wrong]


def _refuse_plain(url: str) -> None:
    if not _is_safe(url):
        raise ValueError


def _is_safe(url: str) -> bool:
    parts = urlsplit(url)
    return parts.scheme == "https" or (parts.scheme == "http" and parts.hostname in HERE)


def _words(text: str) -> list[str]:
    return [each.strip() for each in text.split(",") if each.strip()]
