"""Export a contract as Soda checks (SodaCL): `checks for` each table, in YAML.

Soda checks whole tables, so a check on arrived data is exported only if it is row-level. Unsupported checks become
comments. Checks of engine `soda` are exported as they were imported."""

from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

import yaml

from treaty.contracts.document.model import DataObject
from treaty.registry.exchange.common_checks import (
    BY_ROW,
    NAME,
    NO_WORD,
    CommonCheck,
    CommonCheckKind,
    UnsupportedCheck,
    label,
    line,
    promises,
)
from treaty.registry.exchange.export_source import ExportSource

FOREIGN = "soda"
WIDTH = 120
ARRIVED = "its scope is arrived data, and Soda checks all rows"
Bounds = tuple[Any, Any]
NONE: Bounds = (0, 0)


class SodaCheck(NamedTuple):
    """A Soda check.

    `range`: values of the metric that pass; None for a check of failed rows.
    `options`: further configuration."""

    metric: str
    range: Bounds | None
    options: Mapping[str, Any] = MappingProxyType({})


def write(subject: ExportSource) -> bytes:
    """Return the file. Raises ContractError if the document has faults."""
    comments: list[str] = []
    tables = {f"checks for {each.name}": list(_checks(each, comments)) for each in subject.contract.objects}
    head = [f"# {line(subject.contract.id)} {line(subject.contract.version)}, exported by Treaty", *comments]
    checks_by_table = {name: checks for name, checks in tables.items() if checks}
    return "\n".join(
        [*head, yaml.safe_dump(checks_by_table, sort_keys=False, allow_unicode=True, width=WIDTH)]
    ).encode()


def _checks(described: DataObject, comments: list[str]) -> Iterator[Any]:
    for each in promises(described):
        reason = _unsaid(described, each)
        if isinstance(each, CommonCheck) and reason is None:
            yield _entry(each, SAYING[each.kind](each))
        elif isinstance(each, UnsupportedCheck) and (own := _own(described, each)):
            yield own
        else:
            comments.append(f"# Not supported by Soda: {line(each.check.sentence)} ({line(reason or '')})")


def _unsaid(described: DataObject, of: CommonCheck | UnsupportedCheck) -> str | None:
    """Return why the check is not exported; None if it is."""
    if isinstance(of, UnsupportedCheck):
        return of.reason
    if not NAME.fullmatch(described.name):
        return "its table name is not a plain identifier"
    if of.check.scope == "delta" and of.kind not in BY_ROW and described.partition_by:
        return ARRIVED
    return None if of.kind in SAYING else NO_WORD


def _own(described: DataObject, unsaid: UnsupportedCheck) -> Any:
    """Return the original check of engine `soda`; None for other engines."""
    own = unsaid.check.check
    implementation = own.arguments.get("implementation") if own.analyzer == FOREIGN else None
    is_check = isinstance(implementation, str) or (isinstance(implementation, dict) and len(implementation) == 1)
    return implementation if is_check and NAME.fullmatch(described.name) else None


def _entry(of: CommonCheck, check: SodaCheck) -> dict[str, Any]:
    """Return the check's entry: its key contains the threshold, or a warning has `warn: when ...`."""
    name = {"name": label(of.check.check.id)}
    filtered = {"filter": of.where} if of.where and check.range else {}
    body = {**name, **check.options, **filtered}
    if of.mild:
        return {check.metric: {**body, "warn": f"when {_breaking(check.range or NONE)}"}}
    return {f"{check.metric} {_keeping(check.range)}" if check.range else check.metric: body}


def _keeping(bounds: Bounds) -> str:
    least, greatest = bounds
    if least == greatest:
        return f"= {least}"
    if least is not None and greatest is not None:
        return f"between {least} and {greatest}"
    return f">= {least}" if greatest is None else f"<= {greatest}"


def _breaking(bounds: Bounds) -> str:
    least, greatest = bounds
    if least == greatest:
        return f"!= {least}"
    if least is not None and greatest is not None:
        return f"not between {least} and {greatest}"
    return f"< {least}" if greatest is None else f"> {greatest}"


def _filled(of: CommonCheck) -> SodaCheck:
    return SodaCheck(f"missing_count({of.column})", NONE)


def _unique(of: CommonCheck) -> SodaCheck:
    return SodaCheck(f"duplicate_count({', '.join(of.columns)})", NONE)


def _valid_values(of: CommonCheck) -> SodaCheck:
    return SodaCheck(f"invalid_count({of.column})", NONE, {"valid values": list(of.values)})


def _ranged(of: CommonCheck) -> SodaCheck:
    bounds = zip(("valid min", "valid max"), of.values, strict=True)
    return SodaCheck(f"invalid_count({of.column})", NONE, {word: each for word, each in bounds if each is not None})


def _matched(of: CommonCheck) -> SodaCheck:
    return SodaCheck(f"invalid_count({of.column})", NONE, {"valid regex": of.values[0]})


def _true(of: CommonCheck) -> SodaCheck:
    """Return a check of failed rows; rows for which the condition is null fail."""
    among = f"({of.where}) AND " if of.where else ""
    return SodaCheck("failed rows", None, {"fail condition": f"{among}NOT coalesce(({of.values[0]}), false)"})


def _number(metric: str) -> Callable[[CommonCheck], SodaCheck]:
    return lambda of: SodaCheck(f"{metric}({of.column})" if of.column else metric, (of.values[0], of.values[1]))


SAYING: Mapping[CommonCheckKind, Callable[[CommonCheck], SodaCheck]] = {
    CommonCheckKind.FILLED: _filled,
    CommonCheckKind.UNIQUE: _unique,
    CommonCheckKind.LISTED: _valid_values,
    CommonCheckKind.RANGED: _ranged,
    CommonCheckKind.MATCHED: _matched,
    CommonCheckKind.TRUE: _true,
    CommonCheckKind.ROWS: _number("row_count"),
    CommonCheckKind.LEAST: _number("min"),
    CommonCheckKind.GREATEST: _number("max"),
    CommonCheckKind.MEAN: _number("avg"),
    CommonCheckKind.SUM: _number("sum"),
}
