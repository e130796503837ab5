"""Read the settings of the pages from the environment; no other module of `ui` reads it."""

import os
from collections.abc import Mapping
from dataclasses import dataclass

from treaty.ui.server.oidc_flow import SignInProvider
from treaty.ui.texts import common as texts

API_URL = "http://127.0.0.1:8700"
TRUSTED_PROXIES = "127.0.0.1,::1"
LOCAL_HOSTS = ("127.0.0.1", "localhost")


class SettingsError(Exception):
    """The pages cannot start with these settings."""


@dataclass(frozen=True, kw_only=True)
class PageSettings:
    """Settings of the pages' process.

    `api_url`: base URL of the API. `hosts`: host names under which the pages are served. `public_url`: base URL of
    the pages if it differs from the one in requests. `provider`: OpenID Connect provider; None means sign-in with
    passwords only. `trusted_proxies`: addresses and networks whose X-Forwarded headers are believed."""

    api_url: str = API_URL
    hosts: tuple[str, ...] = LOCAL_HOSTS
    public_url: str = ""
    provider: SignInProvider | None = None
    trusted_proxies: str = TRUSTED_PROXIES


def load(environ: Mapping[str, str] | None = None) -> PageSettings:
    """Read the settings from `environ`, by default os.environ. Raises SettingsError, which names the variable."""
    source = os.environ if environ is None else environ
    named = (host.strip() for host in source.get("TREATY_UI_HOSTS", "").split(","))
    return PageSettings(
        api_url=_address(source.get("TREATY_API_URL") or API_URL),
        hosts=tuple(dict.fromkeys((*LOCAL_HOSTS, *(_host(host) for host in named if host)))),
        public_url=source.get("TREATY_PUBLIC_URL", "").rstrip("/"),
        provider=_provider(source),
        trusted_proxies=source.get("TREATY_TRUSTED_PROXIES", "") or TRUSTED_PROXIES,
    )


def _provider(source: Mapping[str, str]) -> SignInProvider | None:
    issuer, client = source.get("TREATY_OIDC_ISSUER", ""), source.get("TREATY_OIDC_CLIENT_ID", "")
    if not client:
        return None
    if not issuer:
        raise SettingsError(texts.ISSUER_MISSING)
    return SignInProvider(issuer, client, source.get("TREATY_OIDC_CLIENT_SECRET", ""))


def _address(text: str) -> str:
    if not text.startswith(("http://", "https://")):
        raise SettingsError(texts.API_URL)
    return text.rstrip("/")


def _host(text: str) -> str:
    if any(each in text for each in "/: ") or text == "*":
        raise SettingsError(texts.HOSTS)
    return text
