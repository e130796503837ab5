"""Tables of the contract search: search entries, labels and indexed words."""

from typing import Any

from sqlalchemy import DDL, Index, String, event
from sqlalchemy.dialects.postgresql import TSVECTOR
from sqlalchemy.schema import ExecutableDDLElement
from sqlmodel import Field

from treaty.registry.tables.base import BaseRow, json_column

WORDS = "search_words"
MAKE_WORDS = (
    f"create virtual table {WORDS} using fts5"
    "(contract_id unindexed, names, labels, prose, prefix='2 3', tokenize='ascii')"
)
DROP_WORDS = f"drop table {WORDS}"


class SearchEntryRow(BaseRow, table=True):
    """A contract's search result: its version in force, or its proposal while there is none.

    `words`: indexed words on PostgreSQL; SQLite has them in the FTS5 table WORDS."""

    __tablename__ = "search_entry"
    __table_args__ = (Index("ix_search_entry_words", "words", postgresql_using="gin"),)
    contract_id: str = Field(primary_key=True)
    summary: dict[str, Any] = json_column()
    words: str | None = Field(default=None, sa_type=TSVECTOR().with_variant(String(), "sqlite"))


class SearchLabelRow(BaseRow, table=True):
    """A label for counting and filtering contracts. `kind`: owner, domain, tag or state."""

    __tablename__ = "search_label"
    __table_args__ = (Index(None, "kind", "value"),)
    contract_id: str = Field(primary_key=True)
    kind: str = Field(primary_key=True)
    value: str = Field(primary_key=True)


def declared(name: str | None, kind: str, _: Any) -> bool:
    """Return whether the tables declare this database object. FTS5 manages its own tables."""
    return kind != "table" or not str(name).startswith(WORDS)


def make_words() -> None:
    """Create and drop the FTS5 table together with the search entries."""
    table = BaseRow.metadata.tables["search_entry"]
    for event_name, statement in (("after_create", MAKE_WORDS), ("before_drop", DROP_WORDS)):
        ddl: ExecutableDDLElement = DDL(statement)  # type: ignore[no-untyped-call]
        event.listen(table, event_name, ddl.execute_if(dialect="sqlite"))
