"""Parse queries: one SELECT over the contract's own table that returns a single number, safe to run.

The executed text is the one that `parse` writes, never the author's. It may contain aggregates, WHERE, GROUP BY,
HAVING, CASE and nested SELECTs over the table itself, but no other table, table function, window or join."""

import re
from collections.abc import Collection
from dataclasses import dataclass
from functools import lru_cache

from treaty.contracts.errors import ContractError, Fault
from treaty.contracts.predicates import parser
from treaty.contracts.predicates.text_kinds import QUERY
from treaty.contracts.queries.rewriter import QueryRewriter
from treaty.contracts.quoting import quote, quote_path
from treaty.contracts.schema import Schema

ROWS = "rows"
OBJECT = frozenset({"object", "table", "model", "schema"})
PROPERTY = frozenset({"property", "column", "field"})
# Quoted text, which is skipped, or a placeholder: {object} or ${object}.
_PLACES = re.compile(r"""'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|`(?:[^`]|``)*`|\$?\{\s*(\w+)\s*\}""", re.DOTALL)


@dataclass(frozen=True)
class SqlQuery:
    """A query in Spark SQL, and the columns that it reads.

    `sql`: a template for `str.format` with `{rows}` in place of the table. `columns`: column paths in order of first
    use."""

    sql: str
    columns: tuple[str, ...]


class QueryError(ContractError):
    """The text is not a valid query."""


def parse(
    text: str, *, tables: Collection[str] = (), column: str | None = None, schema: Schema | None = None
) -> SqlQuery:
    """Return the query in `text`. Raises QueryError with all its faults, and no other exception.

    `{object}`, `{table}` or one of `tables` refer to its table, `{property}` or `{column}` to the `column`; each may
    have a `$` before it. `schema`: the columns with their types; None allows any."""
    return _parsed(text, tuple(tables), column, schema)


# A query is read when its contract is submitted, bound and evaluated.
@lru_cache(maxsize=128)
def _parsed(text: str, tables: tuple[str, ...], column: str | None, schema: Schema | None) -> SqlQuery:
    _refuse_long(text, column or "")
    own = _own(text)
    resolved, faults = _placed(text.strip().removesuffix(";"), own, column)
    try:
        tree = parser.new_tree(resolved, QUERY)
    except parser.PredicateError as error:
        raise QueryError([*faults, *error.faults]) from None
    writer = QueryRewriter(tables=frozenset({own, *(each.lower() for each in tables)}), schema=schema, own=own)
    try:
        sql = writer.write(tree)
    except RecursionError:
        raise QueryError([QUERY.fault("depth", "is nested too deeply", "split it")]) from None
    if faults or writer.faults:
        raise QueryError([*faults, *writer.faults])
    return SqlQuery(_formatted(sql, own), tuple(dict.fromkeys(writer.used)))


def _refuse_long(text: str, column: str) -> None:
    # Before placeholders are replaced: the column may be mentioned often.
    if max(len(text), len(column)) > parser.MAX_LENGTH:
        message = f"is longer than {parser.MAX_LENGTH} characters"
        raise QueryError([QUERY.fault("length", message, "split it into several checks")])


def _own(text: str) -> str:
    """Return a name for the table that does not occur in the text."""
    name = "own table"
    while name in text.lower():
        name += " "
    return name


def _placed(text: str, own: str, column: str | None) -> tuple[str, list[Fault]]:
    """Return the text with its placeholders replaced, and a fault for each unknown one."""
    faults: list[Fault] = []

    def named(match: re.Match[str]) -> str:
        word = (match.group(1) or "").lower()
        if not word:
            return match.group()
        if word in OBJECT:
            return quote(own)
        if word in PROPERTY and column:
            return quote_path(column)
        faults.append(_unknown(word))
        return quote(own)

    return _PLACES.sub(named, text), faults


def _unknown(word: str) -> Fault:
    if word in PROPERTY:
        message = f"has {{{word}}}, but the check is not defined on a property"
        return QUERY.fault("property", message, "write the column name")
    remedy = "use {object} for the table and {property} for the check's column"
    return QUERY.fault("placeholder", f"has the unknown placeholder {{{word}}}", remedy)


def _formatted(sql: str, own: str) -> str:
    """Return the SQL as a template of `str.format` with `{rows}` for the table."""
    table = f"FROM {quote(own)} AS "
    # Texts and names are skipped: an escape such as \u0020 can write the table's name within a text.
    places = re.compile(rf"'(?:[^'\\]|\\.)*'|{re.escape(table)}|`(?:[^`]|``)*`", re.DOTALL)
    escaped = sql.replace("{", "{{").replace("}", "}}")
    return places.sub(lambda each: f"FROM {{{ROWS}}} AS " if each.group() == table else each.group(), escaped)
