"""Tables of the search: what is found and shown of each contract, and the words that it is found by."""

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
    """A contract as the catalog shows it: its version in force, or what is proposed while there is none.

    `words`: what it is found by on PostgreSQL; on SQLite these are in a table of FTS5, WORDS."""

    __tablename__ = "search_entry"
    __table_args__ = (Index("ix_search_entry_words", "words", postgresql_using="gin"),)
    contract_id: str = Field(primary_key=True)
    summary: dict[str, Any] = json_column()
    words: str | None = Field(default=None, sa_type=TSVECTOR().with_variant(String(), "sqlite"))


class SearchLabelRow(BaseRow, table=True):
    """A word by which contracts are counted and chosen: of the kind owner, domain, tag or state."""

    __tablename__ = "search_label"
    __table_args__ = (Index(None, "kind", "value"),)
    contract_id: str = Field(primary_key=True)
    kind: str = Field(primary_key=True)
    value: str = Field(primary_key=True)


def declared(name: str | None, kind: str, _: Any) -> bool:
    """Whether a thing of the database is one that the tables declare: FTS5's tables are its own."""
    return kind != "table" or not str(name).startswith(WORDS)


def make_words() -> None:
    """Has the table of words made and dropped together with the entries."""
    table = BaseRow.metadata.tables["search_entry"]
    for moment, statement in (("after_create", MAKE_WORDS), ("before_drop", DROP_WORDS)):
        made: ExecutableDDLElement = DDL(statement)  # type: ignore[no-untyped-call]
        event.listen(table, moment, made.execute_if(dialect="sqlite"))
