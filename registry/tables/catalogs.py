"""Tables of catalog connections, and of the facts that are read from them."""

from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import Index, text
from sqlmodel import Field

from treaty.registry.core.enums import CatalogState
from treaty.registry.tables.base import BaseRow, enum_column, foreign_key_column, json_column, time_column

CURRENT = text("superseded_at IS NULL")


class CatalogConnectionRow(BaseRow, table=True):
    """A connection to a metadata catalog, and its health.

    `secret`: name of the secret, which is not stored; None for none. `namespaces`: lineage namespace by prefix of the
    catalog's names. `writes`: what may be written. `private`: whether its address may be a private one. `revision`:
    increases with every change. `failures`: failed reads since the last success."""

    __tablename__ = "catalog_connection"
    id: UUID = Field(primary_key=True)
    name: str = Field(unique=True)
    kind: str
    address: str
    secret: str | None = None
    options: dict[str, str] = json_column(default_factory=dict)
    namespaces: dict[str, str] = json_column(default_factory=dict)
    writes: list[str] = json_column(default_factory=list)
    private: bool = False
    revision: int = 1
    state: CatalogState = enum_column(CatalogState, default=CatalogState.NEW)
    error: str | None = None
    failures: int = 0
    checked_at: datetime | None = time_column(default=None)
    succeeded_at: datetime | None = time_column(default=None)
    next_read_at: datetime = time_column(index=True)
    created_at: datetime = time_column()
    created_by: str


class CatalogTableRow(BaseRow, table=True):
    """Facts that a catalog stated about a table from `read_at` until at least `confirmed_at`.

    `identifier`: spelled name in the catalog. `namespace`, `name`: its main name in lineage. `token`: version token;
    '' means that the table is loaded in full. `superseded_at`: time of newer facts; None for the newest.
    `dropped_at`: time since which the catalog does not have the table."""

    __tablename__ = "catalog_table"
    __table_args__ = (
        Index(None, "connection_id", "identifier", unique=True, sqlite_where=CURRENT, postgresql_where=CURRENT),
        Index(None, "connection_id", "identifier", "read_at"),
        Index(None, "namespace", "name"),
    )
    id: UUID = Field(primary_key=True)
    connection_id: UUID = foreign_key_column("catalog_connection.id")
    identifier: str
    namespace: str
    name: str
    token: str
    fingerprint: str
    facts: dict[str, Any] = json_column()
    read_at: datetime = time_column()
    confirmed_at: datetime = time_column()
    superseded_at: datetime | None = time_column(default=None)
    dropped_at: datetime | None = time_column(default=None)


class CatalogAliasRow(BaseRow, table=True):
    """A link of a catalog between two names of one dataset, the smaller name first.

    It is deleted with the connection. `identifier`: the table that states it. `conflict`: reason why the link is not
    followed; None if it is."""

    __tablename__ = "catalog_alias"
    __table_args__ = (
        Index(None, "connection_id", "identifier"),
        Index(None, "one_namespace", "one_name"),
        Index(None, "other_namespace", "other_name"),
    )
    id: UUID = Field(primary_key=True)
    connection_id: UUID = foreign_key_column("catalog_connection.id")
    identifier: str
    one_namespace: str
    one_name: str
    other_namespace: str
    other_name: str
    first_seen_at: datetime = time_column()
    conflict: str | None = None
