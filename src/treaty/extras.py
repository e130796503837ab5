"""Parts of treaty that need an extra: how a missing one is found, and the one sentence that says how to install it."""

from importlib.util import find_spec
from typing import NamedTuple


class Extra(NamedTuple):
    """What an extra brings, in words, and libraries that treaty imports of it; the first says whether it is there."""

    title: str
    libraries: tuple[str, ...]


EXTRAS = {
    "spark": Extra("Spark is", ("pyspark", "py4j", "grpc")),
    "registry": Extra(
        "The registry is",
        (
            "sqlmodel", "sqlalchemy", "alembic", "argon2", "fastapi", "starlette", "httpx", "httpcore", "openlineage",
            "prometheus_client", "psycopg", "jwt", "standardwebhooks", "tenacity", "uvicorn",
        ),
    ),
    "ui": Extra("The pages are", ("streamlit", "authlib", "pandas")),
}  # fmt: skip


class MissingExtra(ImportError):
    """What was asked for needs an extra of treaty that is not installed."""

    def __init__(self, extra: str) -> None:
        self.extra = extra
        super().__init__(f"{EXTRAS[extra].title} not installed: pip install 'treaty[{extra}]'")


def require(*extras: str) -> None:
    """Raise MissingExtra for the first of these extras that is not installed."""
    for extra in extras:
        if find_spec(EXTRAS[extra].libraries[0]) is None:
            raise MissingExtra(extra)


def missing_extra(error: ModuleNotFoundError) -> MissingExtra | None:
    """Return the extra that brings the module which was not found; None for a module that no extra brings."""
    library = (error.name or "").partition(".")[0]
    return next((MissingExtra(name) for name, extra in EXTRAS.items() if library in extra.libraries), None)
