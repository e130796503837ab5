"""Rewrite the clauses of one SELECT of a query, with the rules of predicates.

Aggregates and subqueries are replaced by generated columns while the predicate rewriter handles the rest."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from treaty.contracts.predicates.columns import ColumnScope
from treaty.contracts.predicates.fragments import SqlFragment, any_of
from treaty.contracts.predicates.rewriter import PredicateRewriter
from treaty.contracts.predicates.text_kinds import QUERY
from treaty.contracts.predicates.types import ANY, BOOLEAN
from treaty.contracts.queries.nodes import AGGREGATES, CONDITIONAL, in_words, is_aggregate, left_over, mapped
from treaty.contracts.quoting import quote
from treaty.contracts.schema import Column, Schema

if TYPE_CHECKING:
    from treaty.contracts.queries.rewriter import QueryRewriter

NESTED = frozenset({"Subquery", "Filter", "Exists", "Window"})
# A row that cannot be evaluated fails the query with this message: it must not count as a row that does not match.
ERRED = "raise_error('a row cannot be evaluated')"


@dataclass(frozen=True)
class SelectScope:
    """Columns that the expressions of one SELECT may reference, also qualified by a table alias."""

    names: ColumnScope
    aliases: frozenset[str] = frozenset()

    def with_columns(self, columns: Iterable[Column]) -> "SelectScope":
        """Return the scope with the selected columns added, for GROUP BY and HAVING."""
        schema = self.names.schema
        if schema is None:
            return self
        return SelectScope(
            ColumnScope(schema=Schema((*schema, *(each for each in columns if not schema.get(each.name))))),
            self.aliases,
        )


@dataclass(frozen=True)
class SelectStatement:
    """A rewritten SELECT, and the columns that it yields; None if they are unknown."""

    sql: str
    columns: Schema | None

    @property
    def type(self) -> str:
        """Return the type of the first column; ANY if it is unknown."""
        return self.columns.columns[0].type if self.columns and self.columns.columns else ANY


@dataclass
class Clauses:
    """The clauses of one SELECT."""

    query: "QueryRewriter"
    scope: SelectScope
    level: int

    def select_list(self, nodes: Iterable[Any], *, guarded: bool) -> list[tuple[str, tuple[Column, ...] | None]]:
        """Return each selected expression with its columns; None for all columns of an unknown table."""
        return [self._selected(node, at, guarded=guarded) for at, node in enumerate(nodes)]

    def _selected(self, node: Any, at: int, *, guarded: bool) -> tuple[str, tuple[Column, ...] | None]:
        if type(node).__name__ == "Star" and not left_over(node, set()):
            schema = self.scope.names.schema
            return "*", schema.columns if schema else None
        alias = type(node).__name__ == "Alias"
        inner = node.this if alias else node
        piece = self.value(inner, aggregates=True, guarded=guarded)
        name = node.alias if alias else (inner.name if type(inner).__name__ == "Column" else f"c{at}")
        return f"{piece.sql} AS {quote(name)}", (Column(name, piece.type),)

    def condition(self, word: str, clause: Any, *, aggregates: bool) -> list[str]:
        """Return WHERE or HAVING with its condition; [] if there is none."""
        if clause is None:
            return []
        return [f"{word} {self.value(clause.this, aggregates=aggregates, boolean=True).sql}"]

    def group(self, clause: Any) -> list[str]:
        """Return GROUP BY with its keys; [] if there is none."""
        if clause is None:
            return []
        if left_over(clause, {"expressions"}) or any(type(each).__name__ == "Literal" for each in clause.expressions):
            self.query.refuse("group", "groups by something that is not a list of columns", "write GROUP BY a, b")
        keys = (self.value(each, aggregates=False).sql for each in clause.expressions)
        return [f"GROUP BY {', '.join(keys)}"]

    def value(self, node: Any, *, aggregates: bool, guarded: bool = True, boolean: bool = False) -> SqlFragment:
        """Return an expression, rewritten as in predicates; its nodes are replaced.

        `guarded`: a row on which it cannot be evaluated fails the query."""
        if self.query.is_too_large:
            return SqlFragment(sql="NULL")
        placeholders: list[Column] = []
        prepared = mapped(node, lambda each: self._prepared(each, placeholders, aggregates=aggregates))
        writer = PredicateRewriter(self._names(placeholders), QUERY)
        piece = writer.boolean(prepared) if boolean else writer.piece(prepared)
        self.query.faults += writer.faults
        self.query.used += [each for each in writer.used if each not in self.query.generated]
        erring = any_of(piece.errors) if guarded else ""
        sql = f"CASE WHEN {erring} THEN {ERRED} ELSE {piece.sql} END" if erring else piece.sql
        return SqlFragment(sql=self.query.filled(sql), type=piece.type, closed=False)

    def _names(self, columns: list[Column]) -> ColumnScope:
        outer = self.scope.names
        if outer.schema is None:
            return outer
        return ColumnScope(schema=Schema((*outer.schema.columns, *columns)))

    def _prepared(self, node: Any, columns: list[Column], *, aggregates: bool) -> Any:
        """Return a placeholder for the node while the expression is rewritten; None to leave it unchanged."""
        name = type(node).__name__
        if name == "Column":
            return self._unqualified(node)
        if name in NESTED or (name == "In" and node.args.get("query")):
            return self._part_column(self._subquery(node, name), columns)
        if is_aggregate(node):
            if not aggregates:
                self.query.refuse("aggregate", f"aggregates with '{node.this}' in WHERE or GROUP BY", "use HAVING")
            return self._part_column(self._aggregate(node), columns)
        return None

    def _part_column(self, piece: SqlFragment, columns: list[Column]) -> Any:
        from sqlglot import exp

        name = self.query.named("part", piece.sql)
        columns.append(Column(name, piece.type))
        return exp.Column(this=exp.Identifier(this=name, quoted=True))

    def _unqualified(self, node: Any) -> Any:
        """Return the column without the name of its table."""
        first, *rest = node.parts
        if not rest or first.name.lower() not in self.scope.aliases:
            return node
        from sqlglot import exp

        parts = (each.copy() for each in reversed(rest))
        return exp.Column(**dict(zip(("this", "table", "db", "catalog"), parts, strict=False)))

    def _subquery(self, node: Any, name: str) -> SqlFragment:
        if name == "In":
            subject = self.value(node.this, aggregates=False)
            return SqlFragment(sql=f"(({subject.sql}) IN ({self._inner(node.args['query']).sql}))", type=BOOLEAN)
        if name == "Filter":
            return self._aggregate(node.this, node.expression)
        if name != "Subquery":
            self.query.refuse(
                "construct",
                f"uses a construct that queries may not use: {in_words(name)}",
                "see the grammar of queries",
            )
            return SqlFragment(sql="NULL")
        inner = self._inner(node)
        return SqlFragment(sql=f"({inner.sql})", type=inner.type)

    def _inner(self, node: Any) -> SelectStatement:
        if type(node.this).__name__ != "Select" or left_over(node, {"this", "alias"}):
            self.query.refuse("construct", "has a subquery that is not a SELECT", "write (SELECT ...)")
            return SelectStatement("", Schema(()))
        statement = self.query.select(node.this, level=self.level + 1)
        if len(node.this.expressions) != 1:
            self.query.refuse("columns", "uses a subquery with several columns as a value", "select one column")
        return statement

    def _aggregate(self, node: Any, where: Any = None) -> SqlFragment:
        """Return an aggregate over the rows of the group, optionally filtered by `where`."""
        name, arguments = str(getattr(node, "this", "")).lower(), getattr(node, "expressions", [])
        if type(node).__name__ != "Anonymous" or name not in AGGREGATES:
            self.query.refuse("construct", "filters something that is not an aggregate", "write count(*) FILTER (...)")
            return SqlFragment(sql="NULL")
        inner = self._arguments(name, arguments)
        admitted = self.value(where.this, aggregates=False, boolean=True).sql if where else ""
        sql = f"{name}({inner[0]})" + (f" FILTER (WHERE {admitted})" if admitted else "")
        return SqlFragment(sql=sql, type=AGGREGATES[name] or inner[1])

    def _arguments(self, name: str, arguments: list[Any]) -> tuple[str, str]:
        """Return the rewritten arguments of an aggregate, and the type of the first."""
        if name == "count" and len(arguments) == 1 and type(arguments[0]).__name__ == "Star":
            return "1", "int"
        distinct = len(arguments) == 1 and type(arguments[0]).__name__ == "Distinct"
        operands = arguments[0].expressions if distinct else arguments
        if not operands or (len(operands) > 1 and name != "count") or (distinct and name in CONDITIONAL):
            self.query.refuse("arguments", f"calls '{name}' with the wrong number of arguments")
            return "NULL", ANY
        parts = [self.value(each, aggregates=False, boolean=name in CONDITIONAL) for each in operands]
        return ("DISTINCT " if distinct else "") + ", ".join(each.sql for each in parts), parts[0].type
