"""Which partitions a SQL statement names that it writes: all that is kept of its text, which may hold values."""

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Any

# Longer texts are generated, and take seconds to parse.
MOST = 64 * 1024
_PARTITION = re.compile(r"\bpartition\s*\(", re.IGNORECASE)
_WRITING = frozenset({"Insert", "LoadData", "TruncateTable"})
_READING = frozenset({"Select", "Union", "Subquery", "Use", "Set", "Semicolon"})
# Casts that leave the text of a value as it stands in the name of a partition.
_PLAIN = frozenset({"DATE", "VARCHAR", "TEXT", "CHAR", "INT", "BIGINT", "SMALLINT", "TINYINT"})

Write = dict[str, Any]


class ComputedValue(ValueError):
    """The value is computed, not written out."""


@lru_cache(maxsize=64)
def writes(query: str, dialect: str | None = None) -> tuple[Write, ...]:
    """What each write of the text goes to: {"table": its last name, "partition": {column: text, None for null}}.

    The partition is None where the text names none, or not by constants. () where no write names a partition, where
    something else may change a table, and for texts that cannot be parsed."""
    if len(query) > MOST or not _PARTITION.search(query):
        return ()
    found = [each for statement in _parsed(query, dialect) for each in _writes(statement)]
    return () if None in found else tuple(each for each in found if each)


def _parsed(query: str, dialect: str | None) -> list[Any]:
    import sqlglot
    from sqlglot.errors import SqlglotError

    try:
        return [each for each in sqlglot.parse(query, dialect="hive" if dialect == "hive" else "spark") if each]
    except (SqlglotError, ValueError, RecursionError):
        return []


def _writes(statement: Any) -> Iterator[Write | None]:
    """The writes of a statement; None for one that may change a table in another way."""
    kind = type(statement).__name__
    if kind == "MultitableInserts":
        for each in statement.expressions:
            yield from _writes(each)
    elif kind in _WRITING:
        yield _write(statement)
    elif kind not in _READING:
        yield None


def _write(statement: Any) -> Write | None:
    """None where what is written has no name."""
    table = _table(statement)
    if table is None or not table.name:
        return None
    named = table.args.get("partition") or statement.args.get("partition")
    return {"table": table.name.lower(), "partition": _values(named.expressions) if named else None}


def _table(statement: Any) -> Any:
    from sqlglot import exp

    target = statement.expressions[0] if isinstance(statement, exp.TruncateTable) else statement.this
    return target.find(exp.Table) if isinstance(target, exp.Expression) else None


def _values(terms: Iterable[Any]) -> dict[str, str | None] | None:
    """The constants by column; None where one of the values is left to the rows."""
    try:
        return {term.this.name: _text(term.expression) for term in map(_equation, terms)}
    except ComputedValue:
        return None


def _equation(term: Any) -> Any:
    from sqlglot import exp

    if not isinstance(term, exp.EQ) or not isinstance(term.this, exp.Column):
        raise ComputedValue
    return term


def _text(value: Any) -> str | None:
    from sqlglot import exp

    if isinstance(value, exp.Null):
        return None
    if isinstance(value, exp.Neg) and isinstance(value.this, exp.Literal):
        return f"-{value.this.name}"
    if isinstance(value, exp.Cast) and value.to.this.value in _PLAIN and isinstance(value.this, exp.Literal):
        return str(value.this.name)
    if isinstance(value, exp.Literal):
        return str(value.name)
    raise ComputedValue
