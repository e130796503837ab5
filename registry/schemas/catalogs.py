"""Models of catalog connections and of the facts that are read from catalogs."""

from datetime import datetime
from typing import Annotated
from uuid import UUID

from pydantic import Field, StringConstraints

from treaty.registry.core.enums import CatalogState
from treaty.registry.schemas.base import ApiModel, ApiRequest, EtagModel, Name

ConnectionName = Annotated[str, StringConstraints(pattern=r"^[a-z0-9][a-z0-9-]*$", max_length=63)]
Address = Annotated[str, StringConstraints(min_length=1, max_length=500, pattern=r"^[!-~]+$")]
SecretName = Annotated[str, StringConstraints(min_length=1, max_length=300, pattern=r"^[!-~]+$")]
OptionText = Annotated[str, StringConstraints(max_length=2000, pattern=r"^[^\x00-\x1f\x7f]*$")]
Options = Annotated[dict[Name, OptionText], Field(max_length=50)]
Namespaces = Annotated[dict[OptionText, Name], Field(max_length=1000)]
Writes = Annotated[tuple[Name, ...], Field(max_length=20)]


class CatalogConnectionIn(ApiRequest):
    """A new connection to a metadata catalog.

    - `name`: lower-case letters, digits and hyphens.
    - `kind`: kind of catalog, such as `iceberg`.
    - `address`: URL of the catalog, without credentials.
    - `secret`: name of its secret, never the secret: `env:TREATY_CATALOG_...` or `file:...`; null for none.
    - `options`: options of the kind; those left out have their defaults.
    - `namespaces`: lineage namespace by prefix of the catalog's names; an empty prefix applies to all.
    - `writes`: what may be written; this version writes nothing.
    - `private`: whether the address may be in a private network."""

    name: ConnectionName
    kind: Name
    address: Address
    secret: SecretName | None = None
    options: Options = Field(default_factory=dict)
    namespaces: Namespaces = Field(default_factory=dict)
    writes: Writes = ()
    private: bool = False


class CatalogConnectionUpdateIn(ApiRequest):
    """Changes of a connection; fields left out stay as they are. All tables are read again.

    - `address`: URL of the catalog, without credentials.
    - `secret`: name of its secret; null for none.
    - `options`: options of the kind, in place of all before.
    - `namespaces`: lineage namespaces, in place of all before.
    - `writes`: what may be written; this version writes nothing.
    - `private`: whether the address may be in a private network."""

    address: Address | None = None
    secret: SecretName | None = None
    options: Options | None = None
    namespaces: Namespaces | None = None
    writes: Writes | None = None
    private: bool | None = None


class CatalogConnectionOut(EtagModel):
    """A connection to a metadata catalog, with its health.

    - `kind`: kind of catalog.
    - `address`: URL of the catalog.
    - `secret`: name of its secret; null for none.
    - `options`: options of the kind.
    - `namespaces`: lineage namespace by prefix of the catalog's names.
    - `writes`: what may be written.
    - `private`: whether the address may be in a private network.
    - `revision`: increases with every change.
    - `state`: health after the last read.
    - `error`: why the last read failed or was partial; null if it was not.
    - `failures`: number of failed reads since the last success.
    - `checked_at`: time of the last read; null if there was none.
    - `succeeded_at`: time of the last read that reached all tables; null if there was none.
    - `next_read_at`: time of the next read.
    - `tables`: number of its tables.
    - `created_by`: administrator who added it."""

    unversioned = frozenset(
        {"state", "error", "failures", "checked_at", "succeeded_at", "next_read_at", "tables"}
    )  # fmt: skip

    id: UUID
    name: str
    kind: str
    address: str
    secret: str | None
    options: dict[str, str]
    namespaces: dict[str, str]
    writes: tuple[str, ...]
    private: bool
    revision: int
    state: CatalogState
    error: str | None
    failures: int
    checked_at: datetime | None
    succeeded_at: datetime | None
    next_read_at: datetime
    created_at: datetime
    created_by: str
    tables: int = 0


class CatalogOptionOut(ApiModel):
    """An option of a kind of catalog.

    - `help`: its meaning.
    - `default`: its value if it is left out.
    - `choices`: its values; empty for any text."""

    name: str
    help: str
    default: str
    choices: tuple[str, ...]


class CatalogKindOut(ApiModel):
    """A kind of catalog.

    - `options`: its options.
    - `permissions`: what the catalog has to grant for reading."""

    name: str
    options: tuple[CatalogOptionOut, ...]
    permissions: tuple[str, ...]


class CatalogTestStepOut(ApiModel):
    """A step of the test of a connection.

    - `name`: the step.
    - `ok`: whether it works.
    - `detail`: its result, or why it failed and what to do."""

    name: str
    ok: bool
    detail: str


class CatalogColumnOut(ApiModel):
    """A column as a catalog states it.

    - `type`: Spark type, or that of the catalog if Spark has none.
    - `comment`: its description.
    - `required`: whether it has no nulls.
    - `tags`: value by tag; null for a tag without a value.
    - `fields`: columns of a struct."""

    name: str
    type: str
    comment: str
    required: bool
    tags: dict[str, str | None]
    fields: "tuple[CatalogColumnOut, ...]"


class CatalogPartitionOut(ApiModel):
    """A column by which a table is partitioned.

    - `transform`: `identity`, or the function of its values."""

    column: str
    transform: str


class CatalogForeignKeyOut(ApiModel):
    """A foreign key.

    - `table`: parts of the name of the other table.
    - `referenced`: columns of the other table."""

    columns: tuple[str, ...]
    table: tuple[str, ...]
    referenced: tuple[str, ...]


class CatalogTermOut(ApiModel):
    """A term of a business glossary.

    - `link`: its page; null for none."""

    name: str
    link: str | None


class CatalogNameOut(ApiModel):
    """A name of a table in lineage."""

    namespace: str
    name: str


class CatalogFactsOut(ApiModel):
    """Facts that a catalog states about a table.

    - `identifier`: parts of its name in the catalog.
    - `location`: place of its data; null if unknown.
    - `names`: its names in lineage, the main one first.
    - `columns`: its columns.
    - `primary_key`: columns of the primary key. `foreign_keys`: references to other tables.
    - `partition_columns`: columns by which it is partitioned.
    - `owners`: its owners.
    - `tags`: value by tag; null for a tag without a value.
    - `domain`: its domain; null for none.
    - `glossary_terms`: terms of a business glossary.
    - `description`: its description.
    - `link`: its page in the catalog; null for none.
    - `properties`: properties that Treaty wrote.
    - `omitted`: what was left out because it exceeds a limit."""

    identifier: tuple[str, ...]
    location: str | None
    names: tuple[CatalogNameOut, ...]
    columns: tuple[CatalogColumnOut, ...]
    primary_key: tuple[str, ...]
    foreign_keys: tuple[CatalogForeignKeyOut, ...]
    partition_columns: tuple[CatalogPartitionOut, ...]
    owners: tuple[str, ...]
    tags: dict[str, str | None]
    domain: str | None
    glossary_terms: tuple[CatalogTermOut, ...]
    description: str
    link: str | None
    properties: dict[str, str]
    omitted: tuple[str, ...]


class CatalogTableOut(ApiModel):
    """A table of a catalog.

    - `identifier`: its name in the catalog; parts with dots are in backticks.
    - `namespace`, `name`: its main name in lineage.
    - `read_at`: time since which the catalog states these facts.
    - `confirmed_at`: time until which it did.
    - `dropped_at`: time since which the catalog does not have the table; null if it has.
    - `conflicts`: reasons why names of the table are not joined."""

    id: UUID
    identifier: str
    namespace: str
    name: str
    read_at: datetime
    confirmed_at: datetime
    dropped_at: datetime | None
    conflicts: tuple[str, ...] = ()


class CatalogStatementOut(ApiModel):
    """Facts that a catalog states about a dataset.

    - `connection`: name of the connection that they were read from.
    - `kind`: kind of catalog.
    - `facts`: the facts.
    - `read_at`: time since which the catalog states them.
    - `confirmed_at`: time until which it did.
    - `dropped_at`: time since which the catalog does not have the table; null if it has."""

    connection: str
    kind: str
    facts: CatalogFactsOut
    read_at: datetime
    confirmed_at: datetime
    dropped_at: datetime | None
