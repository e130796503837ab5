"""Suggest what metadata catalogs state about a table and its contract does not.

Keys and required columns are claims about values: a key is suggested only if the draft found its column unique, and
suggestions that a catalog agrees with say so."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from sqlmodel import Session

from treaty.contracts.document.classification import OPEN, SENSITIVE
from treaty.contracts.document.columns import columns, members
from treaty.contracts.document.model import Contract
from treaty.contracts.fingerprint import short_fingerprint
from treaty.registry.catalogs import table_store
from treaty.registry.catalogs.model import ColumnFacts, TableFacts, spell
from treaty.registry.catalogs.table_store import CatalogStatement
from treaty.registry.datasets import contract_datasets
from treaty.registry.lineage import aliases

Suggestion = Mapping[str, Any]
Tags = Mapping[str, str | None]
DESCRIPTION, CLASSIFICATION, TAGS = "catalog_description", "catalog_classification", "catalog_tags"
TERMS, KEY = "catalog_terms", "catalog_key"
# The last part of a tag's name that classifies by its value.
CLASSIFYING = frozenset({"classification", "sensitivity", "confidentiality"})


def statements(session: Session, contract: Contract, object_name: str) -> list[CatalogStatement]:
    """Return what catalogs state about the object's datasets, without tables that they dropped."""
    names = {name for each, name in contract_datasets.names_of(contract) if each.name == object_name}
    same = {other for group in aliases.groups(session, names).values() for other in group.names}
    return [each for each in table_store.statements(session, names | same) if each.dropped_at is None]


def with_catalogs(
    suggestions: Sequence[Suggestion], stated: Sequence[CatalogStatement], contract: Contract, object_name: str
) -> list[Suggestion]:
    """Return the suggestions of a draft with those of catalogs.

    The first catalog that states something about an element is used; others that state the same are named, too."""
    element = next((each for each in members(contract.document, "schema") if each[1].get("name") == object_name), None)
    if element is None or not stated:
        return list(suggestions)
    table = _Table(object_name, element[1], {name.casefold(): (name, each[1]) for name, each in columns(element)})
    confirmed = [_confirmed(each, stated) for each in suggestions]
    claims: dict[tuple[str | None, str], _Claim] = {}
    for statement in stated:
        for claim in _claims(table, statement, suggestions):
            earlier = claims.setdefault((claim.column, claim.kind), claim)
            if earlier.patch == claim.patch:
                earlier.stated.append(_origin(statement))
    return [*confirmed, *(each.suggestion(object_name) for each in claims.values())]


@dataclass(frozen=True)
class _Table:
    """An object of the document. `columns`: path and content of each column by its path in lower case."""

    name: str
    content: Mapping[str, Any]
    columns: Mapping[str, tuple[str, Mapping[str, Any]]]


@dataclass(frozen=True, kw_only=True)
class _Claim:
    """A suggestion of one or several catalogs. `basis`: the evidence of the data; {} if values do not matter."""

    kind: str
    column: str | None
    sentence: str
    expression: str
    patch: Mapping[str, Any]
    basis: Mapping[str, Any] = field(default_factory=dict)
    stated: list[dict[str, Any]] = field(default_factory=list)

    def suggestion(self, object_name: str) -> Suggestion:
        """Return the suggestion; another statement is another suggestion."""
        return {
            "id": short_fingerprint([object_name, self.kind, self.column, dict(self.patch)]),
            "kind": self.kind,
            "object": object_name,
            "column": self.column,
            "sentence": self.sentence,
            "expression": self.expression,
            "patch": dict(self.patch),
            "evidence": {**self.basis, "stated": self.stated},
            # Texts and tags of single columns need no decision one by one.
            "optional": self.column is not None and self.kind in {DESCRIPTION, TAGS},
        }


def _claims(table: _Table, statement: CatalogStatement, suggestions: Sequence[Suggestion]) -> Iterator[_Claim]:
    facts = statement.facts
    yield from _described(table.name, None, table.content, facts.description)
    yield from _tagged(table.name, None, table.content, facts.tags)
    yield from _defined(table, facts)
    for path, column in _columns(facts.columns):
        if path.casefold() in table.columns:
            name, content = table.columns[path.casefold()]
            yield from _described(name, name, content, column.comment)
            yield from _tagged(name, name, content, column.tags)
    yield from _keyed(table, facts, suggestions)


def _columns(facts: Iterable[ColumnFacts], parent: str = "") -> Iterator[tuple[str, ColumnFacts]]:
    """Yield each column and field with its path, as contracts spell it."""
    for each in facts:
        path = f"{parent}.{spell([each.name])}" if parent else each.name
        yield path, each
        yield from _columns(each.fields, path if parent else spell([each.name]))


def _described(subject: str, column: str | None, content: Mapping[str, Any], text: str) -> Iterator[_Claim]:
    if text.strip() and not content.get("description"):
        yield _Claim(
            kind=DESCRIPTION,
            column=column,
            sentence=f"{subject} has the description of the catalog",
            expression=text.strip(),
            patch={"description": text.strip()},
        )


def _tagged(subject: str, column: str | None, content: Mapping[str, Any], tags: Tags) -> Iterator[_Claim]:
    level = next(filter(None, (_level(name, value) for name, value in tags.items())), None)
    if level and column and not content.get("classification"):
        yield _Claim(
            kind=CLASSIFICATION,
            column=column,
            sentence=f"{subject} is classified as {level}",
            expression=f"classification: {level}",
            patch={"classification": level},
        )
    present = [each for each in content.get("tags") or () if isinstance(each, str)]
    new = [each for each in map(_written, tags.items()) if each not in present]
    if new:
        yield _Claim(
            kind=TAGS,
            column=column,
            sentence=f"{subject} has the tags of the catalog",
            expression="\n".join(new),
            patch={"tags": [*present, *new]},
        )


def _level(name: str, value: str | None) -> str | None:
    """Return the classification that a tag states: `PII.Sensitive`, `pii` or `classification=secret`; None for none."""
    words = [each.casefold() for each in name.replace(":", ".").split(".")]
    if value and words[-1] in CLASSIFYING:
        return value.casefold()
    return next((each for each in words if each in SENSITIVE), None) if _is_set(value) else None


def _is_set(value: str | None) -> bool:
    """Return whether a tag with that value applies: `pii=false` does not."""
    return value is None or value.casefold() not in {"false", "no", "0", *OPEN}


def _written(tag: tuple[str, str | None]) -> str:
    name, value = tag
    return name if value is None else f"{name}:{value}"


def _defined(table: _Table, facts: TableFacts) -> Iterator[_Claim]:
    present = [each for each in table.content.get("authoritativeDefinitions") or () if isinstance(each, dict)]
    urls = {each.get("url") for each in present}
    new = [each for each in facts.glossary_terms if each.link and each.link not in urls]
    if new:
        entries = [{"url": each.link, "type": "businessDefinition", "description": each.name} for each in new]
        yield _Claim(
            kind=TERMS,
            column=None,
            sentence=f"{table.name} is defined by the terms of the glossary",
            expression="\n".join(f"{each.name}: {each.link}" for each in new),
            patch={"authoritativeDefinitions": [*present, *entries]},
        )


def _keyed(table: _Table, facts: TableFacts, suggestions: Sequence[Suggestion]) -> Iterator[_Claim]:
    """Yield a primary key of one unique column, unless the contract has a key."""
    if len(facts.primary_key) != 1 or any(content.get("primaryKey") for _, content in table.columns.values()):
        return
    name, content = table.columns.get(facts.primary_key[0].casefold(), ("", {}))
    unique = next((each for each in suggestions if each["column"] == name and each["patch"].get("unique")), None)
    if name and (unique or content.get("unique")):
        yield _Claim(
            kind=KEY,
            column=name,
            sentence=f"{name} is the primary key",
            expression="primaryKey: true",
            patch={"primaryKey": True, "primaryKeyPosition": 1},
            basis=(unique or {}).get("evidence") or {},
        )


def _confirmed(suggestion: Suggestion, stated: Sequence[CatalogStatement]) -> Suggestion:
    """Return the suggestion with the catalogs that state the same."""
    origins = [_origin(each) for each in stated if _agrees(suggestion, each.facts)]
    return (
        {**suggestion, "evidence": {**(suggestion.get("evidence") or {}), "stated": origins}} if origins else suggestion
    )


def _agrees(suggestion: Suggestion, facts: TableFacts) -> bool:
    column, patch = str(suggestion.get("column") or "").casefold(), suggestion["patch"]
    if patch.get("required"):
        return any(path.casefold() == column and each.required for path, each in _columns(facts.columns))
    return bool(patch.get("unique")) and [each.casefold() for each in facts.primary_key] == [column]


def _origin(statement: CatalogStatement) -> dict[str, Any]:
    return {
        "catalog": statement.connection,
        "table": spell(statement.facts.identifier),
        "since": statement.read_at.isoformat(),
    }
