"""List the files and folders of the service itself, which no allowed location covers."""

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
    named = (*folders, settings.states, settings.lake, *keys, settings.openlineage_config, *_database(settings))
    return tuple(dict.fromkeys(filter(None, named)))


def _database(settings: RegistrySettings) -> tuple[str, ...]:
    """Return the beginning of the names of a SQLite database, its logs and its replaced versions."""
    try:
        file = file_of(make_url(settings.database))
    except ArgumentError:
        return ()
    return (f"{file.absolute()}{BEGINNING}",) if file else ()
