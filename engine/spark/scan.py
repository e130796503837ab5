"""One scan for all components and all partitions; a component that errs is found and left out, alone."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from contracts.predicates import quote
from engine import states as bags
from engine.analyzers.base import BoundComponent
from engine.plan import ROWS, Plan
from engine.requests import Unreadable
from engine.spark.failures import told
from engine.spark.group import group
from engine.spark.sources import schema_of
from engine.states import States

NULL_PARTITION = "__HIVE_DEFAULT_PARTITION__"
_ESCAPED = "".join(chr(code) for code in range(1, 32)) + "\"#%'*/:=?\\\x7f{[]^"


@dataclass
class Scanned:
    """What was read so far: component values by partition, and why some could not be computed."""

    values: dict[str, dict[str, Any]] = field(default_factory=dict)
    failures: dict[str, str] = field(default_factory=dict)


def scan(
    frame: Any, plan: Plan, *, partition_by: Sequence[str] = (), expected: Sequence[str] = ()
) -> dict[str, States]:
    """The states of every partition of the frame, by partition name; of `expected` ones also where they have no rows.

    Raises Unreadable where not even the rows can be counted."""
    found, partition = Scanned(), partition_sql(partition_by)
    _scan(frame, plan.scan, partition, found)
    for part in plan.groupings:
        _group(frame, part, partition, found)
    schema = schema_of(frame)
    names = {*found.values, *expected} or {""}
    return {
        name: bags.of(plan, found.values.get(name, {}), schema, failures=found.failures)
        for name in sorted(names if partition_by else {*names, ""})
    }


def partition_sql(columns: Sequence[str]) -> str:
    """The SQL of a row's partition name, 'day=2026-11-20/country=DE', escaped as in the folders that Spark writes."""
    if not columns:
        return "''"
    return "concat_ws('/', " + ", ".join(f"concat('{_name(each)}=', {_value(each)})" for each in columns) + ")"


def _name(column: str) -> str:
    return escaped(column).replace("\\", "\\\\").replace("'", "\\'")


def _value(column: str) -> str:
    text = f"cast({quote(column)} as string)"
    for character in ["%", *(each for each in _ESCAPED if each in "\"#'*/:=?\\{[]^")]:
        sql_text = character.replace("\\", "\\\\").replace("'", "\\'")
        text = f"replace({text}, '{sql_text}', '%{ord(character):02X}')"
    return f"coalesce({text}, '{NULL_PARTITION}')"


def escaped(text: str) -> str:
    """A value as it stands in the name of a partition folder."""
    return "".join(f"%{ord(each):02X}" if each in _ESCAPED else each for each in text)


def _scan(frame: Any, parts: Sequence[BoundComponent], partition: str, found: Scanned) -> None:
    try:
        rows = _aggregate(frame, parts, partition)
    except Exception as error:
        _isolate(frame, parts, partition, found, error)
        return
    for name, *values in rows:
        found.values.setdefault(name, {}).update(Plan(tuple(parts)).read(tuple(values)))


def _isolate(frame: Any, parts: Sequence[BoundComponent], partition: str, found: Scanned, error: Exception) -> None:
    """Halves until the component that fails stands alone: one bad predicate must not take the others with it."""
    if len(parts) > 1:
        middle = len(parts) // 2
        _scan(frame, parts[:middle], partition, found)
        _scan(frame, parts[middle:], partition, found)
    elif parts[0] == ROWS:
        raise Unreadable(f"the rows cannot be read: {told(error)}") from error
    else:
        found.failures[parts[0].key] = f"Spark could not compute it: {told(error)}"


def _aggregate(frame: Any, parts: Sequence[BoundComponent], partition: str) -> list[Any]:
    from pyspark.sql import functions

    aggregates = [
        functions.expr(sql).alias(f"c{at}") for at, sql in enumerate(sql for part in parts for sql in part.aggregates)
    ]
    rows: list[Any] = frame.groupBy(functions.expr(partition).alias("p")).agg(*aggregates).collect()
    return rows


def _group(frame: Any, part: BoundComponent, partition: str, found: Scanned) -> None:
    try:
        for name, table in group(frame, part, partition).items():
            found.values.setdefault(name, {})[part.key] = table
    except Exception as error:
        found.failures[part.key] = f"Spark could not compute it: {told(error)}"
