"""Tokens of an identity provider: which are taken, which not, and how its keys come and go."""

import json
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from support.provider import AUDIENCE, Issuer, issuing, required

from treaty.registry.access import oidc
from treaty.registry.access.oidc import MIN_REFETCH, Identity, OidcProvider
from treaty.registry.core.errors import ProviderUnavailable, Unauthenticated
from treaty.registry.core.settings import ConfigError, RegistrySettings

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
SOON, LATER = timedelta(seconds=59), timedelta(seconds=61)


@pytest.fixture(scope="module")
def issuer() -> Iterator[Issuer]:
    required()
    with issuing() as made:
        yield made


def provider(issuer: Issuer, **settings: Any) -> OidcProvider:
    given = {"oidc_issuer": issuer.address, "oidc_audience": AUDIENCE, **settings}
    made = oidc.provider(RegistrySettings(**given))
    assert made
    return made


def stamp(moment: datetime) -> int:
    return int(moment.timestamp())


@pytest.mark.parametrize("key", ["r", "e"])
@pytest.mark.parametrize(
    "claims",
    [
        {},
        {"aud": ["other", AUDIENCE]},
        {"nbf": None, "iat": None},
        {"exp": stamp(NOW - SOON)},
        {"nbf": stamp(NOW + SOON), "iat": stamp(NOW + SOON)},
        {"exp": stamp(NOW) + 300.5},
    ],
)
def test_a_token_of_the_provider_s_keys_is_taken(issuer: Issuer, key: str, claims: dict[str, Any]) -> None:
    assert provider(issuer).identify(issuer.token(key, NOW, **claims), now=NOW) == Identity("ada", frozenset())


@pytest.mark.parametrize(
    "claims",
    [
        {"iss": "http://127.0.0.1:1"},
        {"iss": None},
        {"aud": "other"},
        {"aud": []},
        {"aud": None},
        {"exp": stamp(NOW - LATER)},
        {"exp": None},
        {"exp": True},
        {"exp": "tomorrow"},
        {"exp": float("nan")},
        {"exp": float("inf")},
        {"nbf": stamp(NOW + LATER)},
        {"iat": stamp(NOW + LATER)},
        {"nbf": "now"},
        {"sub": ""},
        {"sub": 7},
        {"sub": None},
    ],
)
def test_a_token_that_says_something_else_is_not_taken(issuer: Issuer, claims: dict[str, Any]) -> None:
    with pytest.raises(Unauthenticated, match="not valid here"):
        provider(issuer).identify(issuer.token("r", NOW, **claims), now=NOW)


def with_header(token: str, **changed: Any) -> str:
    head, rest = token.split(".", 1)
    told = json.loads(urlsafe_b64decode(head + "==")) | changed
    return urlsafe_b64encode(json.dumps(told).encode()).decode().rstrip("=") + "." + rest


def other(issuer: Issuer, algorithm: str, key_id: str) -> str:
    """A token signed by somebody else's key, under the id of a known one."""
    stranger = Issuer(issuer.address)
    stranger.add(key_id, algorithm)
    return stranger.token(key_id, NOW)


def confused(issuer: Issuer) -> str:
    """A token whose secret is the provider's public key."""
    import hashlib
    import hmac

    from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

    public = issuer.keys["r"][1].public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
    signed = with_header(issuer.token("r", NOW), alg="HS256").rsplit(".", 1)[0]
    made = hmac.digest(public, signed.encode(), hashlib.sha256)
    return f"{signed}.{urlsafe_b64encode(made).decode().rstrip('=')}"


@pytest.mark.parametrize(
    "forged",
    [
        lambda i: with_header(i.token("r", NOW), alg="none").rsplit(".", 1)[0] + ".",
        lambda i: with_header(i.token("r", NOW), alg="None"),
        confused,
        lambda i: i.signed("a secret of thirty-two bytes, or more", "HS256", {"kid": "r"}, NOW),
        lambda i: i.signed(i.keys["r"][1], "PS256", {"kid": "r"}, NOW),
        lambda i: i.signed(i.keys["r"][1], "RS512", {"kid": "r"}, NOW),
        lambda i: other(i, "RS256", "r"),
        lambda i: other(i, "ES256", "e"),
        lambda i: i.token("r", NOW, headers={"kid": "e"}),
        lambda i: i.token("r", NOW, headers={"kid": "unknown"}),
        lambda i: with_header(i.token("r", NOW), kid=None),
        lambda i: with_header(i.token("r", NOW), kid=["r"]),
        lambda i: with_header(i.token("r", NOW), crit=["exp"]),
        lambda i: i.token("r", NOW)[:-4] + "AAAA",
        lambda i: ".".join([i.token("r", NOW).split(".")[0], i.token("e", NOW).split(".")[1], "AAAA"]),
        lambda i: i.token("r", NOW, much="x" * 20_000),
        lambda _: "..",
        lambda _: "a.b.c",
        lambda _: "ä.ö.ü",
        lambda _: "e30.e30.e30",
        lambda _: urlsafe_b64encode(b"[" * 5000).decode() + ".e30.e30",
    ],
)
def test_a_forged_token_is_not_taken(issuer: Issuer, forged: Callable[[Issuer], str]) -> None:
    with pytest.raises(Unauthenticated, match="not valid here"):
        provider(issuer).identify(forged(issuer), now=NOW)


def test_a_secret_that_the_provider_tells_as_a_key_is_none(issuer: Issuer) -> None:
    issuer.keys["h"] = ("HS256", "secret-secret-secret-secret-secr")
    try:
        with pytest.raises(Unauthenticated):
            provider(issuer).identify(issuer.token("h", NOW), now=NOW)
    finally:
        del issuer.keys["h"]


def test_a_new_key_is_fetched_when_a_token_names_it_and_an_old_one_ends_with_the_hour(issuer: Issuer) -> None:
    made = provider(issuer)
    issuer.add("old")
    old = issuer.token("old", NOW, exp=stamp(NOW) + 90_000)
    assert made.identify(old, now=NOW)
    del issuer.keys["old"]
    issuer.add("new")
    assert made.identify(issuer.token("new", NOW), now=NOW + MIN_REFETCH)
    with pytest.raises(Unauthenticated):
        made.identify(old, now=NOW + MIN_REFETCH)
    kept = issuer.token("new", NOW, exp=stamp(NOW) + 90_000)
    del issuer.keys["new"]
    assert made.identify(kept, now=NOW + timedelta(minutes=59))
    with pytest.raises(Unauthenticated):
        made.identify(kept, now=NOW + MIN_REFETCH + timedelta(minutes=60))


def test_many_tokens_of_unknown_keys_have_the_provider_asked_once_in_a_while(issuer: Issuer) -> None:
    made, before = provider(issuer), issuer.asked
    for number in range(50):
        with pytest.raises(Unauthenticated):
            made.identify(
                issuer.token("r", NOW, headers={"kid": f"k{number}"}), now=NOW + timedelta(seconds=number / 10)
            )
    assert issuer.asked - before == 1
    assert made.identify(issuer.token("r", NOW), now=NOW)
    assert issuer.asked - before == 1


def test_a_provider_that_is_away_is_said_to_be_and_is_asked_again_later(issuer: Issuer) -> None:
    made = provider(issuer)
    issuer.away = True
    try:
        for after in (timedelta(0), MIN_REFETCH / 2):
            with pytest.raises(ProviderUnavailable, match="is not responding"):
                made.identify(issuer.token("r", NOW), now=NOW + after)
    finally:
        issuer.away = False
    assert made.identify(issuer.token("r", NOW), now=NOW + MIN_REFETCH).name == "ada"


def test_an_issuer_that_says_it_is_another_is_not_believed(issuer: Issuer) -> None:
    issuer.named = "https://elsewhere.example"
    try:
        with pytest.raises(ProviderUnavailable):
            provider(issuer).identify(issuer.token("r", NOW), now=NOW)
    finally:
        issuer.named = None
    direct = provider(issuer, oidc_keys_url=f"{issuer.address}/keys")
    assert direct.identify(issuer.token("r", NOW), now=NOW).name == "ada"


@pytest.mark.parametrize(
    ("claim", "claims", "name"),
    [
        ("sub", {"sub": "Ada"}, "Ada"),
        ("email", {"email": "Ada@Example.org", "email_verified": True}, "ada@example.org"),
        ("email", {"email": "ada@example.org"}, None),
        ("email", {"email": "ada@example.org", "email_verified": "true"}, None),
        ("preferred_username", {"preferred_username": "ADA"}, "ada"),
        ("preferred_username", {}, None),
    ],
)
def test_a_setting_says_which_claim_names_a_user(
    issuer: Issuer, claim: str, claims: dict[str, Any], name: str | None
) -> None:
    made, token = provider(issuer, oidc_user_claim=claim), issuer.token("r", NOW, **claims)
    if name is None:
        with pytest.raises(Unauthenticated):
            made.identify(token, now=NOW)
    else:
        assert made.identify(token, now=NOW).name == name


@pytest.mark.parametrize(
    ("groups", "teams"),
    [(["a", "x"], {"sellers"}), (["a", "b"], {"sellers", "buyers"}), ([], set()), ("a", set()), ([1, {}], set())],
)
def test_groups_stand_for_teams_as_a_setting_says(issuer: Issuer, groups: Any, teams: set[str]) -> None:
    made = provider(issuer, oidc_teams="a=sellers, b=buyers")
    assert made.identify(issuer.token("r", NOW, groups=groups), now=NOW).teams == teams


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"oidc_audience": ""}, "OIDC_AUDIENCE"),
        ({"oidc_algorithms": "RS256,none"}, "OIDC_ALGORITHMS"),
        ({"oidc_algorithms": "HS256"}, "OIDC_ALGORITHMS"),
        ({"oidc_algorithms": ","}, "OIDC_ALGORITHMS"),
        ({"oidc_issuer": "http://login.example.org"}, "https"),
        ({"oidc_keys_url": "http://login.example.org/keys"}, "https"),
        ({"oidc_keys_url": "file:///etc/passwd"}, "https"),
        ({"oidc_teams": "a"}, "group=team"),
    ],
)
def test_settings_that_cannot_be_used_are_named(settings: dict[str, Any], words: str) -> None:
    with pytest.raises(ConfigError, match=words):
        oidc.provider(
            RegistrySettings(**{"oidc_issuer": "https://login.example.org", "oidc_audience": "x", **settings})
        )


def test_without_an_issuer_there_is_no_provider() -> None:
    assert oidc.provider(RegistrySettings()) is None
