"""Rewrite a parsed query, SELECT by SELECT, over one table."""

import re
from dataclasses import dataclass, field
from typing import Any

from treaty.contracts.errors import Fault, suggest_nearest
from treaty.contracts.predicates.columns import ColumnScope
from treaty.contracts.predicates.text_kinds import QUERY
from treaty.contracts.queries.clauses import Clauses, SelectScope, SelectStatement
from treaty.contracts.queries.nodes import in_words, is_aggregate, is_subquery, left_over, matching
from treaty.contracts.quoting import quote
from treaty.contracts.schema import Schema

MAX_LEVELS = 3
MAX_SELECTS = 8
# Characters of all expressions, each with the SQL of its aggregates and subqueries at every mention of them.
MAX_WRITTEN = 200_000
CLAUSES = frozenset({"expressions", "from_", "where", "group", "having", "distinct"})
_PIECES = re.compile(r"'(?:[^'\\]|\\.)*'|`((?:[^`]|``)*)`", re.DOTALL)


@dataclass(kw_only=True)
class QueryRewriter:
    """Rewrite one query, collecting its faults and the columns that it reads.

    `tables`: names of its only table."""

    tables: frozenset[str]
    schema: Schema | None
    own: str
    faults: list[Fault] = field(default_factory=list)
    used: list[str] = field(default_factory=list)
    generated: dict[str, str] = field(default_factory=dict)
    selects: int = 0
    written: int = 0

    def write(self, tree: Any) -> str:
        """Return the whole query, which returns one number; it must not be used if there are faults."""
        if type(tree).__name__ != "Select":
            self.refuse("statement", "is not a single SELECT", "write SELECT count(*) FROM {object} WHERE ...")
            return ""
        if tree.args.get("group") or tree.args.get("having"):
            self.refuse("rows", "returns a row for each group", "count them: SELECT count(*) FROM (SELECT ...) AS g")
        if len(tree.expressions) != 1 or self._is_star(tree.expressions[0]):
            self.refuse("columns", "does not return exactly one column", "select one number")
        elif tree.args.get("distinct") or not self._is_one(tree):
            self.refuse("rows", "returns a row for each row of the table", "aggregate: count(*), sum(amount), max(...)")
        return self.select(tree, level=1).sql

    def refuse(self, code: str, message: str, remedy: str = "") -> None:
        """Add a fault."""
        self.faults.append(QUERY.fault(code, message, remedy))

    def _is_star(self, node: Any) -> bool:
        return type(node).__name__ == "Star" or type(getattr(node, "this", None)).__name__ == "Star"

    def _is_one(self, tree: Any) -> bool:
        """Return whether the query aggregates its table or, without a table, a subquery."""
        return any(matching(tree.expressions[0], is_aggregate if tree.args.get("from_") else is_subquery))

    def select(self, tree: Any, *, level: int) -> SelectStatement:
        """Return the rewritten SELECT at a level of nesting."""
        self.selects += 1
        if level > MAX_LEVELS or self.selects > MAX_SELECTS:
            self.refuse("size", f"has more than {MAX_SELECTS} SELECTs or {MAX_LEVELS} levels of them", "split it")
            return SelectStatement("", Schema(()))
        for clause in (name for name, value in tree.args.items() if value and name not in CLAUSES):
            word = in_words(clause)
            self.refuse("clause", f"has a clause that queries may not have: {word}", "see the grammar of queries")
        source, scope = self._source(tree.args.get("from_"), level)
        clause = Clauses(self, scope, level)
        selection = clause.select_list(tree.expressions, guarded=level > 1)
        grouped = Clauses(self, scope.with_columns(each for _, yielded in selection for each in yielded or ()), level)
        parts = [
            f"SELECT {'DISTINCT ' if self._distinct(tree) else ''}{', '.join(sql for sql, _ in selection)}",
            *([f"FROM {source}"] if source else []),
            *clause.condition("WHERE", tree.args.get("where"), aggregates=False),
            *grouped.group(tree.args.get("group")),
            *grouped.condition("HAVING", tree.args.get("having"), aggregates=True),
        ]
        yielded = [columns for _, columns in selection]
        return SelectStatement(
            " ".join(parts), None if None in yielded else Schema(tuple(each for some in yielded for each in some or ()))
        )

    def _distinct(self, tree: Any) -> bool:
        distinct = tree.args.get("distinct")
        if distinct is not None and distinct.args.get("on"):
            self.refuse("clause", "has a clause that queries may not have: distinct on", "write SELECT DISTINCT")
        return distinct is not None

    def _source(self, clause: Any, level: int) -> tuple[str, SelectScope]:
        """Return the FROM text and its scope: the table itself or a SELECT over it."""
        if clause is None:
            return "", SelectScope(ColumnScope(schema=Schema(())))
        source = clause.this
        alias = self._alias(source)
        if type(source).__name__ == "Subquery" and type(source.this).__name__ == "Select":
            if left_over(source, {"this", "alias"}):
                self.refuse("clause", "has a subquery that contains more than a SELECT", "write (SELECT ...) AS name")
            inner = self.select(source.this, level=level + 1)
            return f"({inner.sql}) AS {quote(alias or 's')}", SelectScope(
                ColumnScope(schema=inner.columns), _named(alias)
            )
        return self._table(source, alias)

    def _table(self, source: Any, alias: str) -> tuple[str, SelectScope]:
        parts = [each.name for each in source.parts] if type(source).__name__ == "Table" else []
        simple = parts and all(type(each).__name__ == "Identifier" for each in source.parts)
        if not simple or left_over(source, {"this", "db", "catalog", "alias"}):
            self.refuse("table", "reads something other than the contract's own table", "read FROM {object}")
        elif ".".join(parts).lower() not in self.tables:
            remedy = (
                suggest_nearest(".".join(parts), self.tables) or "read only the contract's own table: FROM {object}"
            )
            self.refuse("table", f"reads the table '{'.'.join(parts)}', which is not the contract's own", remedy)
        names = ColumnScope(None, self.schema) if self.schema else ColumnScope(None)
        return f"{quote(self.own)} AS {quote(alias or 's')}", SelectScope(
            names, _named(alias or (parts[-1] if parts else ""))
        )

    def _alias(self, source: Any) -> str:
        alias = source.args.get("alias")
        if alias is not None and alias.args.get("columns"):
            self.refuse("clause", "lists column names after the alias of a subquery", "name them inside the subquery")
        return str(source.alias or "")

    def named(self, prefix: str, sql: str) -> str:
        """Return a generated column that represents the SQL until the query is complete."""
        name = f"{self.own} {prefix} {len(self.generated)}"
        self.generated[name] = sql
        return name

    def filled(self, sql: str) -> str:
        """Return the text with generated columns replaced by their SQL; string literals are unchanged.

        The size is computed first: an expression may mention a column in many of its error conditions."""

        def replaced(match: re.Match[str]) -> str:
            return self.generated.get(match.group(1) or "", match.group())

        if self.is_too_large:
            return "NULL"
        self.written += len(sql) + sum(len(replaced(each)) - len(each.group()) for each in _PIECES.finditer(sql))
        if self.is_too_large:
            self.refuse("size", "is too complex: its parts repeat each other", "split it, or name values in a subquery")
            return "NULL"
        return _PIECES.sub(replaced, sql)

    @property
    def is_too_large(self) -> bool:
        """Return whether more is written than allowed, so that rewriting can stop."""
        return self.written > MAX_WRITTEN


def _named(alias: str) -> frozenset[str]:
    return frozenset({alias.lower()} if alias else ())
