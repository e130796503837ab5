"""Optional extras of treaty: detection of missing ones, with install instructions."""

from importlib.util import find_spec
from typing import NamedTuple


class Extra(NamedTuple):
    """An extra in words and the libraries it installs; the first one shows whether it is installed."""

    title: str
    libraries: tuple[str, ...]


EXTRAS = {
    "spark": Extra("Spark is", ("pyspark", "py4j", "grpc")),
    "registry": Extra(
        "The registry is",
        (
            "sqlmodel", "sqlalchemy", "alembic", "argon2", "fastapi", "starlette", "httpx", "httpcore", "openlineage",
            "prometheus_client", "psycopg", "jwt", "sklearn", "standardwebhooks", "tenacity", "uvicorn",
        ),
    ),
    "ui": Extra("The pages are", ("streamlit", "authlib", "pandas")),
}  # fmt: skip


class MissingExtra(ImportError):
    """A feature needs an extra of treaty that is not installed."""

    def __init__(self, extra: str) -> None:
        self.extra = extra
        super().__init__(f"{EXTRAS[extra].title} not installed: pip install 'treaty[{extra}]'")


def require(*extras: str) -> None:
    """Raise MissingExtra for the first of these extras that is not installed."""
    for extra in extras:
        if find_spec(EXTRAS[extra].libraries[0]) is None:
            raise MissingExtra(extra)


def missing_extra(error: ModuleNotFoundError) -> MissingExtra | None:
    """Return the error for the extra that provides the missing module; None if none does."""
    library = (error.name or "").partition(".")[0]
    return next((MissingExtra(name) for name, extra in EXTRAS.items() if library in extra.libraries), None)
