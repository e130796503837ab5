"""What the pages' process is told by its environment; no other module of `ui` reads it."""

import os
from collections.abc import Mapping
from dataclasses import dataclass

API_URL = "http://127.0.0.1:8700"
LOCAL_HOSTS = ("127.0.0.1", "localhost")


class SettingsError(Exception):
    """The pages cannot start with these settings."""


@dataclass(frozen=True)
class Settings:
    """Where the API answers, and the host names under which the pages may be asked for."""

    api_url: str = API_URL
    hosts: tuple[str, ...] = LOCAL_HOSTS


def load(environ: Mapping[str, str] | None = None) -> Settings:
    """The settings of the environment (os.environ unless given). Raises SettingsError naming the variable."""
    source = os.environ if environ is None else environ
    named = (host.strip() for host in source.get("TREATY_UI_HOSTS", "").split(","))
    return Settings(
        api_url=_address(source.get("TREATY_API_URL") or API_URL),
        hosts=tuple(dict.fromkeys((*LOCAL_HOSTS, *(_host(host) for host in named if host)))),
    )


def _address(text: str) -> str:
    if not text.startswith(("http://", "https://")):
        raise SettingsError("TREATY_API_URL must begin with http:// or https://")
    return text.rstrip("/")


def _host(text: str) -> str:
    if any(each in text for each in "/: ") or text == "*":
        raise SettingsError("TREATY_UI_HOSTS is a comma-separated list of host names, without scheme, port or '*'")
    return text
