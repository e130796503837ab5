"""Queries: one SELECT over a contract's own table that gives one number, written by people, safe to run.

What is run is the text that `parse` writes, never the author's: aggregates, WHERE, GROUP BY, HAVING, CASE and SELECTs
within each other, over the table itself. No other table, no function of tables, no window, no join."""

import re
from collections.abc import Collection
from dataclasses import dataclass

from treaty.contracts.errors import ContractError, Fault
from treaty.contracts.predicates import parser
from treaty.contracts.queries.clauses import QUERY
from treaty.contracts.queries.rewriter import QueryRewriter
from treaty.contracts.quoting import quote, quote_path
from treaty.contracts.schema import Schema

ROWS = "rows"
OBJECT = frozenset({"object", "table", "model", "schema"})
PROPERTY = frozenset({"property", "column", "field"})
# What is not in quotes, and within it a placeholder: {object} or ${object}.
_PLACES = re.compile(r"""'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|`(?:[^`]|``)*`|\$?\{\s*(\w+)\s*\}""", re.DOTALL)


@dataclass(frozen=True)
class SqlQuery:
    """A query in Spark SQL and the columns that it reads, in order of first use.

    `sql` has `{rows}` where the table stands; its other braces are doubled, as `str.format` has them."""

    sql: str
    columns: tuple[str, ...]


class QueryError(ContractError):
    """The text is not an admitted query."""


def parse(
    text: str, *, tables: Collection[str] = (), column: str | None = None, schema: Schema | None = None
) -> SqlQuery:
    """The query in `text`. `{object}`, `{table}` or one of `tables` name its table, `{property}` or `{column}` stand
    for the `column`, each with or without a `$` before it. A `schema` says which columns there are, of which types.

    Raises QueryError with all its faults; no other exception."""
    own = _own(text)
    placed, faults = _placed(text.strip().removesuffix(";"), own, column)
    try:
        tree = parser.tree_of(placed)
    except parser.PredicateError as error:
        raise QueryError([*faults, *map(_of_query, error.faults)]) from None
    writer = QueryRewriter(tables=frozenset({own, *(each.lower() for each in tables)}), schema=schema, own=own)
    try:
        sql = writer.write(tree)
    except RecursionError:
        raise QueryError(
            [Fault(code="query-depth", where=QUERY, message="is nested too deeply", remedy="split it")]
        ) from None
    if faults or writer.faults:
        raise QueryError([*faults, *writer.faults])
    return SqlQuery(_formatted(sql, own), tuple(dict.fromkeys(writer.used)))


def _own(text: str) -> str:
    """A name for the table that the text does not hold, so that nothing in it can stand for the table unseen."""
    name = "own table"
    while name in text.lower():
        name += " "
    return name


def _placed(text: str, own: str, column: str | None) -> tuple[str, list[Fault]]:
    """The text with names for its placeholders, and a fault for every one that has none."""
    faults: list[Fault] = []

    def named(found: re.Match[str]) -> str:
        word = (found.group(1) or "").lower()
        if not word:
            return found.group()
        if word in OBJECT:
            return quote(own)
        if word in PROPERTY and column:
            return quote_path(column)
        faults.append(_unknown(word))
        return quote(own)

    return _PLACES.sub(named, text), faults


def _unknown(word: str) -> Fault:
    if word in PROPERTY:
        return Fault(
            code="query-property",
            where=QUERY,
            message=f"has {{{word}}}, but stands on no property",
            remedy="name the column itself",
        )
    remedy = "write {object} for the table and {property} for the column that the check stands on"
    return Fault(
        code="query-placeholder",
        where=QUERY,
        message=f"has the placeholder {{{word}}}, which stands for nothing",
        remedy=remedy,
    )


def _formatted(sql: str, own: str) -> str:
    """The SQL as a template of `str.format` with `{rows}` for the table."""
    escaped = sql.replace("{", "{{").replace("}", "}}")
    return escaped.replace(f"FROM {quote(own)} AS ", f"FROM {{{ROWS}}} AS ")


def _of_query(fault: Fault) -> Fault:
    remedy = fault.remedy if "condition of Spark" not in fault.remedy else "write SELECT count(*) FROM {object} WHERE"
    code, message = fault.code.replace("predicate-", "query-"), fault.message.replace("condition", "query")
    return Fault(code=code, where=QUERY, message=message, remedy=remedy)
