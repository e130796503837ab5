"""Describe the analyzers as plain values: what each measures, its arguments and an example check."""

import inspect
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from treaty.engine.analyzers import ANALYZERS
from treaty.engine.analyzers.base import Analyzer

# Example values of arguments by name; for other names the first value that the type permits.
WRITTEN: dict[str, Any] = {
    "column": "amount", "columns": ["order_id"], "other": "total", "keys": ["order_id"], "dataset": "customers",
    "predicate": "amount >= 0", "condition": "status = 'paid'", "operator": "<=", "values": ["open", "paid"],
    "numerator": "amount", "denominator": "total", "quantile": 0.5, "arrived": "received",
    "target": "brand", "inputs": ["name", "material"],
    "pattern": "[A-Z]{2}[0-9]{4}", "query": "SELECT count(*) FROM {object} WHERE amount < 0",
}  # fmt: skip
OF_TYPE: dict[str, Any] = {"integer": 1, "number": 1, "boolean": True, "array": ["amount"]}
# Optional arguments for analyzers that need at least one of several.
CHOSEN: dict[str, dict[str, Any]] = {
    "in_range": {"minimum": 0, "maximum": 1000},
    "invalid_values": {"format": "email"},
    "pattern_match": {"format": "email"},
}
PROMISES = {
    "share": ("mustBeGreaterOrEqualTo", 0.99),
    "rows": ("mustBe", 0),
    "chance": ("mustBeGreaterThan", 0.01),
    "distance": ("mustBeLessOrEqualTo", 0.1),
}
PROMISE = ("mustBeLessOrEqualTo", 1000)


@dataclass(frozen=True)
class Argument:
    """An argument of an analyzer. `form`: its JSON schema without title and description."""

    name: str
    required: bool
    description: str
    form: Mapping[str, Any]


@dataclass(frozen=True, kw_only=True)
class AnalyzerReference:
    """Reference of an analyzer. `family`: its module; `scope`: what a check evaluates by default."""

    name: str
    family: str
    description: str
    unit: str
    scope: str
    arguments: tuple[Argument, ...]
    example: str


def reference() -> tuple[AnalyzerReference, ...]:
    """Return all analyzers, sorted by family and name."""
    return tuple(sorted(map(analyzer_reference, ANALYZERS.values()), key=lambda each: (each.family, each.name)))


def analyzer_reference(kind: type[Analyzer]) -> AnalyzerReference:
    """Build the reference of an analyzer from its class."""
    return AnalyzerReference(
        name=kind.name,
        family=kind.__module__.rpartition(".")[2],
        description=inspect.cleandoc(kind.__doc__ or ""),
        unit=kind.unit,
        scope=kind.scope,
        arguments=tuple(_arguments(kind)),
        example=example(kind),
    )


def _arguments(kind: type[Analyzer]) -> Iterator[Argument]:
    """Yield the arguments in the class's order, with the common `where` last."""
    schema = kind.model_json_schema(by_alias=False)
    required = frozenset(schema.get("required", ()))
    for name in sorted(kind.model_fields, key="where".__eq__):
        form = dict(schema["properties"][name])
        words = str(form.pop("description", ""))
        form.pop("title", None)
        yield Argument(name, name in required, words, form)


def example(kind: type[Analyzer]) -> str:
    """Return an example check of the analyzer as a YAML entry of a table's `quality`."""
    arguments = {each.name: _written(each) for each in _arguments(kind) if each.required} | CHOSEN.get(kind.name, {})
    word, limit = PROMISE if kind.name == "size" else PROMISES.get(kind.unit, PROMISE)
    words = {"analyzer": kind.name, **arguments, word: limit}
    lines = [f"    {name}: {json.dumps(value, ensure_ascii=False)}" for name, value in words.items()]
    head = [f"- id: {kind.name.replace('_', '-')}", "  type: custom", "  engine: treaty", "  implementation:"]
    return "\n".join([*head, *lines]) + "\n"


def _written(argument: Argument) -> Any:
    if argument.name in WRITTEN:
        return WRITTEN[argument.name]
    if "enum" in argument.form:
        return argument.form["enum"][0]
    return OF_TYPE.get(argument.form.get("type", ""), "amount")
