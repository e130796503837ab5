"""Extract the partitions written by a SQL statement. Its remaining text is not stored because it may contain values."""

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Any

from treaty.contracts.limits.bounded_parser import ParserLimitExceeded, SyntaxFault, statements, tokens_of

# Longer statements are generated, and take long to parse.
MOST = 64 * 1024
MOST_WORDS = 6_000
_WORD = re.compile(r"\w+|[^\w\s]")
_PARTITION = re.compile(r"\bpartition\s*\(", re.IGNORECASE)
_WRITING = frozenset({"Insert", "LoadData", "TruncateTable"})
_READING = frozenset({"Select", "Union", "Subquery", "Use", "Set", "Semicolon"})
# Casts that do not change how a value is written in a partition's name.
_PLAIN = frozenset({"DATE", "VARCHAR", "TEXT", "CHAR", "INT", "BIGINT", "SMALLINT", "TINYINT"})

Write = dict[str, Any]


class ComputedValue(ValueError):
    """The value is an expression, not a constant."""


@lru_cache(maxsize=64)
def writes(query: str, dialect: str | None = None) -> tuple[Write, ...]:
    """Return the target of each write: `{"table": last part of its name, "partition": {column: text, None for null}}`.

    The partition is None if the statement names none, or not by constants. The result is () if no write names a
    partition, if another statement may change a table, or if the text cannot be parsed."""
    if len(query) > MOST or not _PARTITION.search(query) or len(_WORD.findall(query)) > MOST_WORDS:
        return ()
    targets = [each for statement in _parsed(query, dialect) for each in _writes(statement)]
    return () if None in targets else tuple(each for each in targets if each)


def _parsed(query: str, dialect: str | None) -> list[Any]:
    spoken = "hive" if dialect == "hive" else "spark"
    try:
        return [each for each in statements(tokens_of(query, spoken), query, spoken) if each]
    except (SyntaxFault, ParserLimitExceeded):
        return []


def _writes(statement: Any) -> Iterator[Write | None]:
    """Yield the writes of a statement; None for one that may change a table in another way."""
    kind = type(statement).__name__
    if kind == "MultitableInserts":
        for each in statement.expressions:
            yield from _writes(each)
    elif kind in _WRITING:
        yield _write(statement)
    elif kind not in _READING:
        yield None


def _write(statement: Any) -> Write | None:
    """Return the target of a write; None if it has no name."""
    table = _table(statement)
    if table is None or not table.name:
        return None
    partition = table.args.get("partition") or statement.args.get("partition")
    return {"table": table.name.lower(), "partition": _values(partition.expressions) if partition else None}


def _table(statement: Any) -> Any:
    from sqlglot import exp

    target = statement.expressions[0] if isinstance(statement, exp.TruncateTable) else statement.this
    return target.find(exp.Table) if isinstance(target, exp.Expression) else None


def _values(terms: Iterable[Any]) -> dict[str, str | None] | None:
    """Return the constants by column; None if one of the values comes from the rows."""
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
