"""Summarize a contract as text and tables, for the HTML and Markdown exports."""

import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from treaty.contracts.comparison.compatibility import MODES
from treaty.contracts.document.columns import Element, columns, members, text
from treaty.contracts.document.model import Contract, DataObject
from treaty.contracts.document.yaml_syntax import walk
from treaty.engine.checks.executors import CheckAssignment, checks_with_runners
from treaty.engine.core.results import Runner
from treaty.registry.exchange.export_source import ExportSource

Rows = tuple[tuple[str, ...], ...]
RUNNERS = {Runner.HERE: "Treaty", Runner.ELSEWHERE: "another engine", Runner.PEOPLE: "people"}
FACTS = ("domain", "dataProduct", "tenant")
# Characters that change the direction of text, which could make a page look different from its content.
TURNING = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")


@dataclass(frozen=True)
class ExportGrid:
    """A table of the export; it is omitted if it has no rows."""

    title: str
    head: tuple[str, ...]
    rows: Rows


@dataclass(frozen=True)
class TableSection:
    """Section of a contract's object: its description, columns and checks."""

    title: str
    prose: tuple[str, ...]
    tables: tuple[ExportGrid, ...]


@dataclass(frozen=True, kw_only=True)
class DocumentSummary:
    """Content of a contract's page.

    `document`: the whole document as text."""

    title: str
    facts: tuple[tuple[str, str], ...]
    prose: tuple[str, ...]
    sections: tuple[TableSection, ...]
    document: str


def summarize(subject: ExportSource) -> DocumentSummary:
    """Summarize the contract; absent parts are (). Raises ContractError if the document has faults."""
    contract = subject.contract
    return DocumentSummary(
        title=visible(contract.name),
        facts=tuple((name, visible(value)) for name, value in _facts(subject)),
        prose=tuple(map(visible, _prose(contract.document))),
        sections=tuple(_section(*each) for each in zip(_tables(contract), contract.objects, strict=True)),
        document=visible(subject.document.decode("utf-8-sig")),
    )


def visible(value: Any) -> str:
    """Return the value as text, with control and direction characters replaced by U+FFFD."""
    return "".join("\ufffd" if _hidden(each) else each for each in str(value))


def _hidden(character: str) -> bool:
    return character in TURNING or (character not in "\n\t" and unicodedata.category(character) in {"Cc", "Cs"})


def _facts(subject: ExportSource) -> Iterator[tuple[str, str]]:
    contract = subject.contract
    yield "id", contract.id
    yield "version", contract.version
    yield "status", subject.status or contract.status
    yield from ((key, value) for key in FACTS if (value := text(contract.document, key)))
    yield from _list_fact("tags", contract.document.get("tags"))
    yield from _list_fact("team", list(_people(contract.document.get("team"))))
    yield from (("service level", _level(each)) for _, each in members(contract.document, "slaProperties"))
    compatibility = contract.terms.compatibility
    yield "structure", f"{compatibility.structure}: {MODES[compatibility.structure].sentence}"
    yield "guarantees", f"{compatibility.guarantees}: {MODES[compatibility.guarantees].sentence}"
    if subject.record:
        yield "approval record", subject.record


def _list_fact(name: str, value: Any) -> Iterator[tuple[str, str]]:
    if isinstance(value, list) and value:
        yield name, ", ".join(map(str, value))


def _people(team: Any) -> Iterator[str]:
    team_members = team if isinstance(team, list) else [team]
    for each in (each for each in team_members if isinstance(each, dict)):
        person = text(each, "name") or text(each, "username")
        role = text(each, "role")
        yield from [f"{person} ({role})" if role else person] if person else []
        yield from _people(each.get("members"))


def _level(level: Mapping[str, Any]) -> str:
    words = (level.get(key) for key in ("property", "value", "valueExt", "unit", "element"))
    return " ".join(str(each) for each in words if each is not None)


def _prose(content: Mapping[str, Any]) -> Iterator[str]:
    description = content.get("description")
    if isinstance(description, str):
        yield description
    elif isinstance(description, dict):
        yield from (f"{key}: {each}" for key, each in description.items() if isinstance(each, str))


def _tables(contract: Contract) -> Iterator[Element]:
    return members(contract.document, "schema")


def _section(element: Element, described: DataObject) -> TableSection:
    physical_name = f" ({described.physical_name})" if described.physical_name else ""
    head = ("column", "type", "attributes", "description")
    entries = dict(walk(dict(element[1]), element[0]))
    checks = tuple(_check(entries.get(each.check.path), each) for each in checks_with_runners(described))
    return TableSection(
        title=visible(described.name + physical_name),
        prose=tuple(map(visible, _prose(element[1]))),
        tables=(
            ExportGrid("Columns", head, tuple(_column(*each) for each in columns(element))),
            ExportGrid("Checks", ("check", "requirement", "severity", "scope", "evaluated by"), checks),
        ),
    )


def _column(path: str, element: Element) -> tuple[str, ...]:
    content = element[1]
    kind = text(content, "physicalType") or text(content, "logicalType") or ""
    flags = ("required", "unique", "primaryKey", "partitioned")
    words = [{"primaryKey": "key", "partitioned": "partition"}.get(each, each) for each in flags if content.get(each)]
    words += [each for each in [text(content, "classification")] if each]
    return tuple(map(visible, (path, kind, ", ".join(words), " ".join(_prose(content)))))


def _check(written: Any, each: CheckAssignment) -> tuple[str, ...]:
    description = written.get("description") if isinstance(written, dict) and each.check.kind != "schema" else None
    promise = " — ".join(str(part) for part in (each.sentence, description) if part)
    runner = RUNNERS[each.runner]
    by = f"{runner}: {each.reason}" if each.runner is Runner.ELSEWHERE else runner
    return tuple(map(visible, (each.check.id, promise, each.check.severity, each.scope, by)))
