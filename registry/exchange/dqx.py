"""Export a contract as checks of Databricks Labs DQX: a YAML list of checks with their tables.

Checks that DQX does not support become comments. Checks of engine `dqx` are exported as they were imported."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import yaml

from treaty.contracts.document.model import DataObject
from treaty.registry.exchange.common_checks import CommonCheck, CommonCheckKind, UnsupportedCheck, label, line, promises
from treaty.registry.exchange.export_source import ExportSource

FOREIGN = "dqx"
WIDTH = 120


def write(subject: ExportSource) -> bytes:
    """Return the file. Raises ContractError if the document has faults."""
    comments: list[str] = []
    checks = [check for each in subject.contract.objects for check in _checks(each, comments)]
    head = [f"# {line(subject.contract.id)} {line(subject.contract.version)}, exported by Treaty", *comments]
    if len(subject.contract.objects) > 1:
        head.append("# Several tables: filter by user_metadata.table")
    body = yaml.safe_dump(checks, sort_keys=False, allow_unicode=True, width=WIDTH)
    return "\n".join([*head, body]).encode()


def _checks(described: DataObject, comments: list[str]) -> Iterator[Mapping[str, Any]]:
    for each in promises(described):
        if isinstance(each, CommonCheck):
            yield from (_entry(described, each, *arguments) for arguments in SAYING[each.kind](each))
        elif own := _own(each):
            yield own
        else:
            comments.append(f"# Not supported by DQX: {line(each.check.sentence)} ({line(each.reason)})")


def _own(unsaid: UnsupportedCheck) -> Mapping[str, Any] | None:
    """Return the original check of engine `dqx`; None for other engines."""
    implementation = (
        unsaid.check.check.arguments.get("implementation") if unsaid.check.check.analyzer == FOREIGN else None
    )
    return (
        implementation if isinstance(implementation, dict) and isinstance(implementation.get("check"), dict) else None
    )


def _entry(described: DataObject, promise: CommonCheck, function: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
    own, column = promise.check, f"_{promise.column}" if promise.column else ""
    return {
        "name": label(f"{own.check.id}_{function}{column}"),
        "criticality": "warn" if promise.mild else "error",
        **({"filter": promise.where} if promise.where else {}),
        "check": {"function": function, "arguments": dict(arguments)},
        "user_metadata": {"table": label(described.name), "check": label(own.check.id), "scope": own.scope},
    }


DqxChecks = Iterator[tuple[str, Mapping[str, Any]]]


def _filled(of: CommonCheck) -> DqxChecks:
    yield "is_not_null", {"column": of.column}


def _in_list(of: CommonCheck) -> DqxChecks:
    yield "is_in_list", {"column": of.column, "allowed": list(of.values)}


def _ranged(of: CommonCheck) -> DqxChecks:
    return _bounded(of, ("is_not_less_than", "is_not_greater_than"), {"column": of.column})


def _matched(of: CommonCheck) -> DqxChecks:
    yield "regex_match", {"column": of.column, "regex": of.values[0]}


def _true(of: CommonCheck) -> DqxChecks:
    # DQX passes rows for which the condition is null; Treaty does not.
    yield "sql_expression", {"expression": f"coalesce(({of.values[0]}), false)", "msg": label(of.check.check.id)}


def _unique(of: CommonCheck) -> DqxChecks:
    yield "is_unique", {"columns": list(of.columns)}


def _counted(function: str) -> Callable[[CommonCheck], DqxChecks]:
    """Return a converter for checks on one aggregate of all rows."""
    names = "is_aggr_not_less_than", "is_aggr_not_greater_than"
    return lambda of: _bounded(of, names, {"column": of.column or "*", "aggr_type": function})


def _bounded(of: CommonCheck, names: tuple[str, str], arguments: Mapping[str, Any]) -> DqxChecks:
    for name, limit in zip(names, of.values, strict=True):
        if limit is not None:
            yield name, {**arguments, "limit": limit}


SAYING: Mapping[CommonCheckKind, Callable[[CommonCheck], DqxChecks]] = {
    CommonCheckKind.FILLED: _filled,
    CommonCheckKind.LISTED: _in_list,
    CommonCheckKind.RANGED: _ranged,
    CommonCheckKind.MATCHED: _matched,
    CommonCheckKind.TRUE: _true,
    CommonCheckKind.UNIQUE: _unique,
    CommonCheckKind.ROWS: _counted("count"),
    CommonCheckKind.LEAST: _counted("min"),
    CommonCheckKind.GREATEST: _counted("max"),
    CommonCheckKind.MEAN: _counted("avg"),
    CommonCheckKind.SUM: _counted("sum"),
    CommonCheckKind.DISTINCT: _counted("count_distinct"),
}
