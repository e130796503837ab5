"""Select the environment variables that the Spark child receives."""

import os
import sys
from collections.abc import Collection, Mapping
from fnmatch import fnmatchcase

# Paths of programs, locale, temporary files and trusted certificates.
SYSTEM = (
    "PATH", "HOME", "LANG", "LANGUAGE", "LC_*", "TZ", "TMPDIR", "LD_LIBRARY_PATH", "VIRTUAL_ENV",
    "SSL_CERT_FILE", "SSL_CERT_DIR", "JAVA_HOME", "SPARK_*", "HADOOP_*", "KRB5CCNAME", "KRB5_CONFIG",
)  # fmt: skip
PROXIES = ("HTTP_PROXY", "HTTPS_PROXY", "FTP_PROXY", "ALL_PROXY", "NO_PROXY")
# Credentials of file systems: passed only if somebody names them.
CLOUDS = ("AWS_*", "AZURE_*", "GOOGLE_*")
OWN = "TREATY_"
# Marks the process that set it as a Spark Connect client; the child must not inherit it.
CONNECT_CLIENT = "SPARK_CONNECT_MODE_ENABLED"
MODULE_PATH = "PYTHONPATH"


def clean_environment(environ: Mapping[str, str], further: Collection[str] = ()) -> dict[str, str]:
    """Return the variables of the Spark child, without any of the registry.

    `further`: names of variables to pass in addition; `*` stands for any text."""
    names = (*SYSTEM, *PROXIES, *(each.lower() for each in PROXIES), *further)
    return {name: text for name, text in environ.items() if _passes(name, names)}


def process_environment(environ: Mapping[str, str], further: Collection[str] = ()) -> dict[str, str]:
    """Return the clean environment and the module path of this process.

    Without the path, the child could not import Treaty."""
    path = os.pathsep.join(os.path.abspath(each) for each in sys.path)
    return {**clean_environment(environ, further), MODULE_PATH: path}


def withheld(environ: Mapping[str, str], further: Collection[str] = ()) -> list[str]:
    """Return the names of cloud credentials that are set but not passed, sorted."""
    passed = clean_environment(environ, further)
    return sorted(name for name in environ if name not in passed and _matches(name, CLOUDS))


def _passes(name: str, names: Collection[str]) -> bool:
    return _matches(name, names) and not name.startswith(OWN) and name != CONNECT_CLIENT


def _matches(name: str, patterns: Collection[str]) -> bool:
    return any(fnmatchcase(name, each) for each in patterns)
