"""Bound the facts of a table, so that a catalog cannot fill the registry; omissions are reported."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeVar

from treaty.contracts.quoting import UNSEEN
from treaty.registry.catalogs.model import ColumnFacts, ForeignKeyFacts, Identifier, TableFacts, spell

Item = TypeVar("Item")
MOST_COLUMNS = 2_000
MOST_TAGS = 100
MOST_ITEMS = 100
LONGEST_TEXT = 4_000
# Longer names do not fit into database keys.
LONGEST_NAME = 1_000
DEEPEST = 10


def is_storable(identifier: Identifier) -> bool:
    """Return whether the name fits into database keys. A cut name would be that of another table."""
    name = spell(identifier)
    return bool(identifier) and not UNSEEN.search(name) and len(name.encode()) <= LONGEST_NAME


def bounded(facts: TableFacts) -> TableFacts:
    """Return the facts within all limits, and without invisible characters, which databases cannot store.

    The identifier is not changed."""
    cut = _Bounds()
    return replace(
        facts,
        location=cut.optional(facts.location),
        columns=cut.columns(facts.columns),
        primary_key=cut.names("key columns", facts.primary_key),
        foreign_keys=tuple(map(cut.foreign_key, cut.few("foreign keys", facts.foreign_keys))),
        partition_columns=tuple(
            replace(each, column=cut.name(each.column), transform=cut.name(each.transform))
            for each in cut.few("partition columns", facts.partition_columns)
        ),
        owners=cut.names("owners", facts.owners),
        tags=cut.tags(facts.tags),
        domain=cut.optional(facts.domain),
        glossary_terms=tuple(
            replace(each, name=cut.name(each.name), link=cut.optional(each.link))
            for each in cut.few("glossary terms", facts.glossary_terms)
        ),
        description=cut.text(facts.description),
        link=cut.optional(facts.link),
        properties={cut.name(name): cut.text(value) for name, value in cut.pairs("properties", facts.properties)},
        token=cut.name(facts.token),
        omitted=tuple(cut.reports()),
    )


@dataclass
class _Bounds:
    """Limits of one table. `columns_left`: how many more columns it may have."""

    columns_left: int = MOST_COLUMNS
    omitted: dict[str, int] = field(default_factory=dict)

    def reports(self) -> Iterator[str]:
        """Yield what was left out."""
        yield from (f"{count:,} {things}" for things, count in sorted(self.omitted.items()))

    def name(self, text: str) -> str:
        return self._text("long names", text, LONGEST_NAME)

    def text(self, text: str) -> str:
        return self._text("long texts", text, LONGEST_TEXT)

    def optional(self, text: str | None) -> str | None:
        return None if text is None else self.text(text)

    def few(self, things: str, items: Sequence[Item], most: int = MOST_ITEMS) -> Sequence[Item]:
        if len(items) > most:
            self._omit(things, len(items) - most)
        return items[:most]

    def names(self, things: str, items: Sequence[str]) -> tuple[str, ...]:
        return tuple(map(self.name, self.few(things, items)))

    def pairs(self, things: str, items: Mapping[str, Item]) -> Sequence[tuple[str, Item]]:
        return self.few(things, sorted(items.items(), key=lambda each: each[0]), MOST_TAGS)

    def tags(self, tags: Mapping[str, str | None]) -> dict[str, str | None]:
        return {self.name(name): self.optional(value) for name, value in self.pairs("tags", tags)}

    def foreign_key(self, key: ForeignKeyFacts) -> ForeignKeyFacts:
        cut: Callable[[Sequence[str]], tuple[str, ...]] = lambda items: self.names("key columns", items)  # noqa: E731
        return ForeignKeyFacts(columns=cut(key.columns), table=cut(key.table), referenced=cut(key.referenced))

    def columns(self, columns: Sequence[ColumnFacts], depth: int = 1) -> tuple[ColumnFacts, ...]:
        most = self.columns_left if depth <= DEEPEST else 0
        within = self.few("columns", columns, most)
        self.columns_left -= len(within)
        return tuple(self._column(each, depth) for each in within)

    def _column(self, column: ColumnFacts, depth: int) -> ColumnFacts:
        return ColumnFacts(
            name=self.name(column.name),
            type=self.text(column.type),
            comment=self.text(column.comment),
            required=column.required,
            tags=self.tags(column.tags),
            fields=self.columns(column.fields, depth + 1),
        )

    def _text(self, things: str, text: str, longest: int) -> str:
        if len(text) > longest:
            self._omit(things, 1)
        return UNSEEN.sub("\ufffd", text[:longest])

    def _omit(self, things: str, count: int) -> None:
        self.omitted[things] = self.omitted.get(things, 0) + count
