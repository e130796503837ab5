"""Define what a kind of catalog provides: its options, the permissions it needs, and how it is read.

Writing will add a method that returns the requests for a contract's status."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol

from treaty.registry.catalogs.model import Identifier, LoadedTable, TableListing
from treaty.registry.catalogs.requests import Steps


@dataclass(frozen=True)
class CatalogOption:
    """An option of a kind of catalog. `choices`: its values; () for any text."""

    name: str
    help: str
    default: str = ""
    choices: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class CatalogAccess:
    """Access to a catalog. `options`: all options of its kind. `secret`: '' for none."""

    address: str
    options: Mapping[str, str]
    secret: str = field(default="", repr=False)


class CatalogReader(Protocol):
    """A catalog that accepts requests."""

    def listing(self, most: int) -> Steps[TableListing]:
        """List tables, until there are `most` or more."""
        ...

    def load(self, identifier: Identifier, token: str) -> Steps[LoadedTable]:
        """Return the facts of a table. `token`: that of the stored facts; '' if there are none."""
        ...


class CatalogKind(Protocol):
    """A kind of catalog. `permissions`: what a catalog has to grant, for people."""

    @property
    def name(self) -> str:
        """Return the name, as in connections."""
        ...

    @property
    def options(self) -> tuple[CatalogOption, ...]:
        """Return the options with their defaults."""
        ...

    @property
    def permissions(self) -> tuple[str, ...]:
        """Return the permissions that reading needs."""
        ...

    def open(self, access: CatalogAccess) -> Steps[CatalogReader]:
        """Sign in and read the configuration of the catalog."""
        ...
