"""What a contract says, in words and tables, for pages of whichever form."""

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
# Characters that turn the direction of what follows: a page must look like what it says.
TURNING = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")


@dataclass(frozen=True)
class ExportGrid:
    """A grid: what it is of, the names of its columns, and its rows; no rows: it is not shown."""

    title: str
    head: tuple[str, ...]
    rows: Rows


@dataclass(frozen=True)
class TableSection:
    """A table of the contract: its name, what is said of it, its columns and checks."""

    title: str
    prose: tuple[str, ...]
    tables: tuple[ExportGrid, ...]


@dataclass(frozen=True, kw_only=True)
class DocumentSummary:
    """All that a page shows of a contract; `document` is the whole text, of which the rest is the readable part."""

    title: str
    facts: tuple[tuple[str, str], ...]
    prose: tuple[str, ...]
    sections: tuple[TableSection, ...]
    document: str


def summarize(subject: ExportSource) -> DocumentSummary:
    """What the subject's contract says; () for all that it says nothing of. Raises ContractError for a faulty one."""
    contract = subject.contract
    return DocumentSummary(
        title=visible(contract.name),
        facts=tuple((name, visible(value)) for name, value in _facts(subject)),
        prose=tuple(map(visible, _prose(contract.document))),
        sections=tuple(_section(*each) for each in zip(_tables(contract), contract.objects, strict=True)),
        document=visible(subject.document.decode("utf-8-sig")),
    )


def visible(value: Any) -> str:
    """The value as text without control characters, and without those that turn the direction of text."""
    return "".join("\ufffd" if _hidden(each) else each for each in str(value))


def _hidden(character: str) -> bool:
    return character in TURNING or (character not in "\n\t" and unicodedata.category(character) in {"Cc", "Cs"})


def _facts(subject: ExportSource) -> Iterator[tuple[str, str]]:
    contract = subject.contract
    yield "id", contract.id
    yield "version", contract.version
    yield "status", subject.status or contract.status
    yield from ((key, found) for key in FACTS if (found := text(contract.document, key)))
    yield from _list_fact("tags", contract.document.get("tags"))
    yield from _list_fact("team", list(_people(contract.document.get("team"))))
    yield from (("service level", _level(each)) for _, each in members(contract.document, "slaProperties"))
    compatibility = contract.terms.compatibility
    yield "structure", f"{compatibility.structure}: {MODES[compatibility.structure].sentence}"
    yield "guarantees", f"{compatibility.guarantees}: {MODES[compatibility.guarantees].sentence}"
    if subject.record:
        yield "record of the approval", subject.record


def _list_fact(name: str, found: Any) -> Iterator[tuple[str, str]]:
    if isinstance(found, list) and found:
        yield name, ", ".join(map(str, found))


def _people(team: Any) -> Iterator[str]:
    listed = team if isinstance(team, list) else [team]
    for each in (each for each in listed if isinstance(each, dict)):
        named = text(each, "name") or text(each, "username")
        role = text(each, "role")
        yield from [f"{named} ({role})" if role else named] if named else []
        yield from _people(each.get("members"))


def _level(level: Mapping[str, Any]) -> str:
    words = (level.get(key) for key in ("property", "value", "valueExt", "unit", "element"))
    return " ".join(str(each) for each in words if each is not None)


def _prose(content: Mapping[str, Any]) -> Iterator[str]:
    found = content.get("description")
    if isinstance(found, str):
        yield found
    elif isinstance(found, dict):
        yield from (f"{key}: {each}" for key, each in found.items() if isinstance(each, str))


def _tables(contract: Contract) -> Iterator[Element]:
    return members(contract.document, "schema")


def _section(element: Element, described: DataObject) -> TableSection:
    at = f" ({described.physical_name})" if described.physical_name else ""
    named = ("column", "type", "is", "about")
    entries = dict(walk(dict(element[1]), element[0]))
    checks = tuple(_check(entries.get(each.check.path), each) for each in checks_with_runners(described))
    return TableSection(
        title=visible(described.name + at),
        prose=tuple(map(visible, _prose(element[1]))),
        tables=(
            ExportGrid("Columns", named, tuple(_column(*each) for each in columns(element))),
            ExportGrid("Checks", ("check", "promise", "severity", "judged", "by"), checks),
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
    about = written.get("description") if isinstance(written, dict) and each.check.kind != "schema" else None
    promise = " — ".join(str(part) for part in (each.sentence, about) if part)
    runner = RUNNERS[each.runner]
    by = f"{runner}: {each.reason}" if each.runner is Runner.ELSEWHERE else runner
    return tuple(map(visible, (each.check.id, promise, each.check.severity, each.scope, by)))
