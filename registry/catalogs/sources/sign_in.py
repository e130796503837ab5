"""Sign in to a catalog: with a token, or as a client of an OAuth 2 server."""

from base64 import b64encode
from urllib.parse import urlencode

from treaty.registry.catalogs.errors import CatalogRefused, CatalogSecretMissing
from treaty.registry.catalogs.kind import CatalogAccess, CatalogOption
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


def sign_in(access: CatalogAccess, *, token_path: str, scope: str) -> Steps[dict[str, str]]:
    """Return the headers that authenticate requests.

    `token_path`: where the OAuth 2 server issues tokens. Raises CatalogRefused and CatalogSecretMissing."""
    if access.options["auth"] != OAUTH2:
        return bearer(access.secret)
    return bearer((yield from _issue_token(access, token_path, scope)))


def _issue_token(access: CatalogAccess, token_path: str, scope: str) -> Steps[str]:
    client, colon, secret = access.secret.partition(":")
    if not colon:
        raise CatalogSecretMissing("The secret of an OAuth 2 client has the form ID:SECRET.")
    request = CatalogRequest(
        method="POST",
        path=token_path,
        headers={"Content-Type": "application/x-www-form-urlencoded", **basic(client, secret)},
        body=urlencode({"grant_type": "client_credentials", "scope": scope}).encode(),
    )
    answer = yield from answered(request, also=(400,))
    if answer.status == 400:
        raise CatalogRefused(f"{request}: status 400. The token server does not accept the client or its scope.")
    content = expect(dict, answer.content, request, "the response")
    return expect(str, content.get("access_token"), request, "access_token")
