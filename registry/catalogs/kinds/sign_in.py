"""Sign in to a catalog: with a token, or as a client of an OAuth 2 server."""

from base64 import b64encode
from collections.abc import Mapping
from urllib.parse import urlencode

from treaty.registry.catalogs.errors import CatalogRefused, CatalogSecretMissing
from treaty.registry.catalogs.kinds.protocol import CatalogAccess, CatalogOption
from treaty.registry.catalogs.requests import CatalogRequest, Steps, answered, expect

BEARER, OAUTH2 = "bearer", "oauth2"
AUTH = CatalogOption(
    "auth",
    "How to sign in: with the secret as a bearer token, or as `ID:SECRET` of an OAuth 2 client",
    default=BEARER,
    choices=(BEARER, OAUTH2),
)


def bearer(token: str) -> dict[str, str]:
    """Return the headers that authenticate requests; {} without a token."""
    return {"Authorization": f"Bearer {token}"} if token else {}


def basic(user: str, password: str) -> dict[str, str]:
    """Return the headers of basic authentication."""
    return {"Authorization": f"Basic {b64encode(f'{user}:{password}'.encode()).decode()}"}


def sign_in(access: CatalogAccess, *, token_path: str, scope: str, in_form: bool = False) -> Steps[dict[str, str]]:
    """Return the headers that authenticate requests.

    `token_path`: where the OAuth 2 server issues tokens. `in_form`: whether it takes the client in the form, not in a
    header. Raises CatalogRefused and CatalogSecretMissing."""
    if access.options["auth"] != OAUTH2:
        return bearer(access.secret)
    client, secret = split_secret(access)
    form = {"grant_type": "client_credentials", "scope": scope}
    form |= {"client_id": client, "client_secret": secret} if in_form else {}
    headers = {} if in_form else basic(client, secret)
    return bearer((yield from _issue_token(token_path, form, headers)))


def split_secret(access: CatalogAccess) -> tuple[str, str]:
    """Return the two parts of a secret. Raises CatalogSecretMissing."""
    client, colon, secret = access.secret.partition(":")
    if not colon:
        raise CatalogSecretMissing("The secret of a client has the form ID:SECRET.")
    return client, secret


def _issue_token(token_path: str, form: Mapping[str, str], headers: Mapping[str, str]) -> Steps[str]:
    request = CatalogRequest(
        method="POST",
        path=token_path,
        headers={"Content-Type": "application/x-www-form-urlencoded", **headers},
        body=urlencode(form).encode(),
    )
    answer = yield from answered(request, also=(400,))
    if answer.status == 400:
        raise CatalogRefused(f"{request}: status 400. The token server does not accept the client or its scope.")
    content = expect(dict, answer.content, request, "the response")
    return expect(str, content.get("access_token"), request, "access_token")
