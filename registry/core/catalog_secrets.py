"""Read the secrets of catalog connections from environment variables, whose names begin with TREATY_CATALOG_.

Any other variable could be a secret of the service, which a connection must not send to an address."""

import os
from collections.abc import Mapping

CATALOG_SECRET = "TREATY_CATALOG_"
# The folder of secrets in files is a setting.
FOLDER_SETTING = "TREATY_CATALOG_SECRETS"


def is_catalog_secret(name: str) -> bool:
    """Return whether the environment variable may hold the secret of a catalog connection."""
    return name.startswith(CATALOG_SECRET) and name != FOLDER_SETTING


def catalog_secret(name: str, environ: Mapping[str, str] | None = None) -> str:
    """Return the secret in the environment variable; '' if there is none, or it may not hold one."""
    source = os.environ if environ is None else environ
    return source.get(name, "") if is_catalog_secret(name) else ""
