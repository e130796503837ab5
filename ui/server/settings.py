"""What the pages' process is told by its environment; no other module of `ui` reads it."""

import os
from collections.abc import Mapping
from dataclasses import dataclass

from treaty.ui.server.oidc_flow import SignInProvider
from treaty.ui.texts import common as texts

API_URL = "http://127.0.0.1:8700"
LOCAL_HOSTS = ("127.0.0.1", "localhost")


class SettingsError(Exception):
    """The pages cannot start with these settings."""


@dataclass(frozen=True)
class PageSettings:
    """Where the API answers, the host names under which the pages may be asked for, and their public address, where
    that is not the one they are asked at; the OpenID Connect provider through which people sign in, where there is."""

    api_url: str = API_URL
    hosts: tuple[str, ...] = LOCAL_HOSTS
    public_url: str = ""
    provider: SignInProvider | None = None


def load(environ: Mapping[str, str] | None = None) -> PageSettings:
    """The settings of the environment (os.environ unless given). Raises SettingsError naming the variable."""
    source = os.environ if environ is None else environ
    named = (host.strip() for host in source.get("TREATY_UI_HOSTS", "").split(","))
    return PageSettings(
        api_url=_address(source.get("TREATY_API_URL") or API_URL),
        hosts=tuple(dict.fromkeys((*LOCAL_HOSTS, *(_host(host) for host in named if host)))),
        public_url=source.get("TREATY_PUBLIC_URL", "").rstrip("/"),
        provider=_provider(source),
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
