"""Generate the page of metadata catalogs."""

from collections.abc import Iterator
from typing import NamedTuple

from docs.generators.markdown import code, table
from treaty.registry.catalogs.catalog_kinds import BUILT_IN

INTRODUCTION = """
Treaty reads metadata catalogs. It writes nothing into them yet.

All kinds have columns with Spark types and comments, which columns are required, partition columns, and properties
that begin with `treaty.`. Most have the location. The table lists what else is read.
"""
COST = """
A read lists all tables, then loads those that changed. The last column is the number of requests for a table that did
not change. No kind relies on a time or version that owners or tags may leave as it is: it compares all facts.
"""


PERMISSIONS = """## Permissions

Grant these to the user or client of the connection, and no others. Unity Catalog and Gravitino leave out tables that
it may not read: Treaty regards them as dropped.
"""


class KindNotes(NamedTuple):
    """Notes on a kind. `unchanged`: requests for a table that did not change."""

    versions: str
    reads: str
    planned: str
    unchanged: str


NOTES = {
    "iceberg": KindNotes("REST", "key, `owner` and `comment` of the properties", "properties", "1"),
    "unity": KindNotes("0.4 to 0.6", "owner, comment", "its API cannot change tables", "0"),
    "databricks": KindNotes("API 2.1", "owner, comment, tags, keys, domain", "tags, external metadata", "2 or more"),
    "openmetadata": KindNotes(
        "2.x",
        "owners, description, tags, glossary terms of tables, domain, keys; also inherited ones",
        "contract, results, test cases",
        "0",
    ),
    "datahub": KindNotes(
        "1.x",
        "owners, description, tags, structured properties, glossary terms of datasets, domain, keys; also edited ones",
        "assertions, contract, incident, link",
        "0",
    ),
    "gravitino": KindNotes("1.x", "owner, comment, tags, also inherited ones, primary key", "statistics, tags", "2"),
}


def page() -> Iterator[str]:
    """Generate the page."""
    yield "# Metadata catalogs"
    yield INTRODUCTION
    rows = ((code(each.name), *NOTES[each.name]) for each in BUILT_IN)
    yield from table(("Kind", "Versions", "Read", "Planned to be written", "Requests if unchanged"), rows)
    yield COST.strip() + "\n"
    yield PERMISSIONS
    yield from table(("Kind", "Permissions"), ((code(each.name), "; ".join(each.permissions)) for each in BUILT_IN))
