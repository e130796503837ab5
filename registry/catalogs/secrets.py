"""Look up secrets of connections. The registry stores their names only.

`env:NAME` is an environment variable of this process whose name begins with TREATY_CATALOG_, so that no
other secret of the service can be sent to an address. `file:NAME` is a file in the folder of the setting
TREATY_CATALOG_SECRETS."""

import re
from collections.abc import Mapping
from pathlib import Path

from treaty.registry.catalogs.errors import CatalogSecretMissing
from treaty.registry.core.catalog_secrets import CATALOG_SECRET, catalog_secret, is_catalog_secret
from treaty.registry.core.settings import RegistrySettings

FILE_NAME = re.compile(r"[A-Za-z0-9_-][A-Za-z0-9._-]{0,199}")
VARIABLE = re.compile(r"[A-Z0-9_]{1,200}")
MOST_BYTES = 64 * 1024
FORMS = f"env:{CATALOG_SECRET}NAME, or file:NAME in the folder of TREATY_CATALOG_SECRETS"


def fault(name: str) -> str | None:
    """Return why the name cannot be that of a secret; None if it can."""
    source, _, rest = name.partition(":")
    if source == "env" and VARIABLE.fullmatch(rest) and is_catalog_secret(rest):
        return None
    if source == "file" and FILE_NAME.fullmatch(rest):
        return None
    return f"name the secret as {FORMS}"


def secret_of(name: str | None, settings: RegistrySettings, environ: Mapping[str, str] | None = None) -> str:
    """Return the secret; '' if the connection names none. Raises CatalogSecretMissing, which does not contain it."""
    if name is None:
        return ""
    if reason := fault(name):
        raise CatalogSecretMissing(f"The secret of the connection cannot be used: {reason}.")
    source, _, rest = name.partition(":")
    secret = catalog_secret(rest, environ) if source == "env" else _in_file(rest, settings.catalog_secrets)
    if not secret.strip():
        raise CatalogSecretMissing(f"The secret {name} does not exist on this machine, or is empty.")
    if not secret.strip().isprintable():
        raise CatalogSecretMissing(f"The secret {name} contains characters that cannot be sent, such as a line break.")
    return secret.strip()


def _in_file(name: str, folder: Path | None) -> str:
    """Return the text of a file in the folder; '' if there is none. Links must not lead out of the folder."""
    if folder is None:
        raise CatalogSecretMissing("Set TREATY_CATALOG_SECRETS to the folder with the secrets of catalogs.")
    try:
        file = (folder / name).resolve(strict=True)
        is_inside = file.is_relative_to(folder.resolve(strict=True)) and file.is_file()
        return file.read_text(encoding="utf-8") if is_inside and file.stat().st_size <= MOST_BYTES else ""
    except (OSError, ValueError):
        return ""
