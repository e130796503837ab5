"""List the files and folders of the service itself, which no allowed location covers."""

from urllib.parse import urlsplit

from sqlalchemy import make_url
from sqlalchemy.exc import ArgumentError

from treaty.engine.core.locations.rules import BEGINNING
from treaty.registry.core import home
from treaty.registry.core.database import file_of
from treaty.registry.core.settings import RegistrySettings


def reserved_locations(settings: RegistrySettings) -> tuple[str, ...]:
    """Return the database, keys, states, patterns, logs and configuration files of the service."""
    folders = (str((settings.home / each).absolute()) for each in home.PARTS)
    keys = (settings.key, *settings.audit_keys)
    stores = map(_without_secrets, (settings.states, settings.lake, settings.key_models))
    secrets = str(settings.catalog_secrets.absolute()) if settings.catalog_secrets else ""
    named = (*folders, *stores, *keys, secrets, settings.openlineage_config, *_database(settings))
    return tuple(dict.fromkeys(filter(None, named)))


def _without_secrets(url: str) -> str:
    """Return the URL without a password and options, which a location cannot have."""
    parts = urlsplit(url)
    if not parts.netloc:
        return url
    user, _, host = parts.netloc.rpartition("@")
    return f"{parts.scheme}://{host if ':' in user else parts.netloc}{parts.path}"


def _database(settings: RegistrySettings) -> tuple[str, ...]:
    """Return the beginning of the names of a SQLite database and its logs."""
    try:
        file = file_of(make_url(settings.database))
    except ArgumentError:
        return ()
    return (f"{file.absolute()}{BEGINNING}",) if file else ()
