"""Writing a parsed query again, clause by clause: SELECTs over one table, whose conditions and values are predicates'.

Aggregates and subqueries stand as columns of made-up names while `predicate_writing` writes what is around them."""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from contracts.errors import Fault, nearest
from contracts.logical_types import Column, Schema
from contracts.predicate_names import Names
from contracts.predicate_pieces import Piece, any_of
from contracts.predicate_types import ANY, BOOLEAN
from contracts.predicate_writing import Writer
from contracts.quoting import quote

WHERE = "query"
MAX_LEVELS = 3
MAX_SELECTS = 8
CLAUSES = frozenset({"expressions", "from_", "where", "group", "having", "distinct"})
# Aggregates of one argument, with the type that they yield; None: that of their argument.
AGGREGATES: dict[str, str | None] = {
    **dict.fromkeys(("count", "count_if", "approx_count_distinct"), "bigint"),
    **dict.fromkeys(("sum", "avg", "mean"), ANY), **dict.fromkeys(("min", "max"), None),
    **dict.fromkeys(("stddev", "stddev_samp", "stddev_pop", "variance", "var_samp", "var_pop"), "double"),
    **dict.fromkeys(("bool_and", "every", "bool_or", "any", "some"), BOOLEAN),
}  # fmt: skip
NESTED = frozenset({"Subquery", "Filter", "Exists", "Window"})
CONDITIONAL = frozenset({"count_if", "bool_and", "every", "bool_or", "any", "some"})
# A row that cannot be evaluated ends the query, which then says so: it must not count as one that is not meant.
ERRED = "raise_error('a row cannot be evaluated')"
_PIECES = re.compile(r"'(?:[^'\\]|\\.)*'|`((?:[^`]|``)*)`", re.DOTALL)


@dataclass(frozen=True)
class Scope:
    """What the expressions of one SELECT may name: columns, also after one of the `aliases` of their table."""

    names: Names
    aliases: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Selected:
    """A SELECT as written, and the columns that it yields."""

    sql: str
    columns: Schema | None

    @property
    def type(self) -> str:
        """The type of its first column; ANY where that is not known."""
        return self.columns.columns[0].type if self.columns and self.columns.columns else ANY


@dataclass
class QueryWriter:
    """Writes one query; keeps its faults and the columns that it reads. `tables` are the names of its one table."""

    tables: frozenset[str]
    schema: Schema | None
    own: str
    faults: list[Fault] = field(default_factory=list)
    used: list[str] = field(default_factory=list)
    made: dict[str, str] = field(default_factory=dict)
    selects: int = 0

    def write(self, tree: Any) -> str:
        """The whole query, which yields one number; of no use where faults were kept."""
        if type(tree).__name__ != "Select":
            self.refuse("statement", "is not one SELECT", "write SELECT count(*) FROM {object} WHERE ...")
            return ""
        if tree.args.get("group") or tree.args.get("having"):
            self.refuse("rows", "gives a row for each group", "count them: SELECT count(*) FROM (SELECT ...) AS g")
        if len(tree.expressions) != 1 or self._is_star(tree.expressions[0]):
            self.refuse("columns", "does not give exactly one column", "select one number")
        elif tree.args.get("distinct") or not self._is_one(tree):
            self.refuse("rows", "gives a row for each row", "aggregate: count(*), sum(amount), max(...)")
        return self.select(tree, level=1).sql

    def refuse(self, code: str, message: str, remedy: str = "") -> None:
        """Keeps a fault."""
        self.faults.append(Fault(f"query-{code}", WHERE, message, remedy))

    def _is_star(self, node: Any) -> bool:
        return type(node).__name__ == "Star" or type(getattr(node, "this", None)).__name__ == "Star"

    def _is_one(self, tree: Any) -> bool:
        """Whether there is one row of the table's: an aggregate over it, or over it in a subquery."""
        return any(_found(tree.expressions[0], _is_aggregate if tree.args.get("from_") else _is_subquery))

    def select(self, tree: Any, *, level: int) -> Selected:
        """A SELECT at a level of nesting."""
        self.selects += 1
        if level > MAX_LEVELS or self.selects > MAX_SELECTS:
            self.refuse("size", f"has more than {MAX_SELECTS} SELECTs or {MAX_LEVELS} levels of them", "split it")
            return Selected("", Schema(()))
        for clause in (name for name, given in tree.args.items() if given and name not in CLAUSES):
            word = _words(clause)
            self.refuse("clause", f"has a clause that queries may not have: {word}", "see the grammar of queries")
        source, scope = self._source(tree.args.get("from_"), level)
        clause = Clauses(self, scope, level)
        listed = clause.listed(tree.expressions, guarded=level > 1)
        parts = [
            f"SELECT {'DISTINCT ' if self._distinct(tree) else ''}{', '.join(sql for sql, _ in listed)}",
            *([f"FROM {source}"] if source else []),
            *clause.condition("WHERE", tree.args.get("where"), aggregates=False),
            *clause.group(tree.args.get("group")),
            *clause.condition("HAVING", tree.args.get("having"), aggregates=True),
        ]
        yielded = [columns for _, columns in listed]
        return Selected(
            " ".join(parts), None if None in yielded else Schema(tuple(each for some in yielded for each in some or ()))
        )

    def _distinct(self, tree: Any) -> bool:
        distinct = tree.args.get("distinct")
        if distinct is not None and distinct.args.get("on"):
            self.refuse("clause", "has a clause that queries may not have: distinct on", "write SELECT DISTINCT")
        return distinct is not None

    def _source(self, clause: Any, level: int) -> tuple[str, Scope]:
        """The text and the names of what is selected from: the table itself or a SELECT over it."""
        if clause is None:
            return "", Scope(Names(schema=Schema(())))
        source = clause.this
        alias = self._alias(source)
        if type(source).__name__ == "Subquery" and type(source.this).__name__ == "Select":
            if _others(source, {"this", "alias"}):
                self.refuse("clause", "has a subquery with more than a SELECT in it", "write (SELECT ...) AS name")
            inner = self.select(source.this, level=level + 1)
            return f"({inner.sql}) AS {quote(alias or 's')}", Scope(Names(schema=inner.columns), _named(alias))
        return self._table(source, alias)

    def _table(self, source: Any, alias: str) -> tuple[str, Scope]:
        parts = [each.name for each in source.parts] if type(source).__name__ == "Table" else []
        simple = parts and all(type(each).__name__ == "Identifier" for each in source.parts)
        if not simple or _others(source, {"this", "db", "catalog", "alias"}):
            self.refuse("table", "reads something that is not a table of its own", "read FROM {object}")
        elif ".".join(parts).lower() not in self.tables:
            remedy = nearest(".".join(parts), self.tables) or "a query may read its own table alone: FROM {object}"
            self.refuse("table", f"reads the table '{'.'.join(parts)}', which is not its own", remedy)
        names = Names(None, self.schema) if self.schema else Names(None)
        return f"{quote(self.own)} AS {quote(alias or 's')}", Scope(
            names, _named(alias or (parts[-1] if parts else ""))
        )

    def _alias(self, source: Any) -> str:
        alias = source.args.get("alias")
        if alias is not None and alias.args.get("columns"):
            self.refuse("clause", "names the columns of a subquery beside its alias", "name them within it")
        return str(source.alias or "")

    def named(self, prefix: str, sql: str) -> str:
        """A made-up column that stands for the SQL until the whole is written."""
        name = f"{self.own} {prefix} {len(self.made)}"
        self.made[name] = sql
        return name

    def filled(self, sql: str) -> str:
        """The text with every made-up column replaced by what it stands for; texts are left as they are."""

        def replaced(found: re.Match[str]) -> str:
            return self.made.get(found.group(1) or "", found.group())

        return _PIECES.sub(replaced, sql)


@dataclass
class Clauses:
    """The clauses of one SELECT."""

    query: QueryWriter
    scope: Scope
    level: int

    def listed(self, nodes: Iterable[Any], *, guarded: bool) -> list[tuple[str, tuple[Column, ...] | None]]:
        """Each selected expression with the columns that it yields; None: all of a table, and nobody knows which."""
        return [self._selected(node, at, guarded=guarded) for at, node in enumerate(nodes)]

    def _selected(self, node: Any, at: int, *, guarded: bool) -> tuple[str, tuple[Column, ...] | None]:
        if type(node).__name__ == "Star" and not _others(node, set()):
            known = self.scope.names.schema
            return "*", known.columns if known else None
        alias = type(node).__name__ == "Alias"
        inner = node.this if alias else node
        piece = self.value(inner, aggregates=True, guarded=guarded)
        name = node.alias if alias else (inner.name if type(inner).__name__ == "Column" else f"c{at}")
        return f"{piece.sql} AS {quote(name)}", (Column(name, piece.type),)

    def condition(self, word: str, clause: Any, *, aggregates: bool) -> list[str]:
        """WHERE or HAVING with its condition; [] where there is none."""
        if clause is None:
            return []
        return [f"{word} {self.value(clause.this, aggregates=aggregates, boolean=True).sql}"]

    def group(self, clause: Any) -> list[str]:
        """GROUP BY with its keys; [] where there is none."""
        if clause is None:
            return []
        if _others(clause, {"expressions"}) or any(type(each).__name__ == "Literal" for each in clause.expressions):
            self.query.refuse("group", "groups by something that is not a list of columns", "write GROUP BY a, b")
        keys = (self.value(each, aggregates=False).sql for each in clause.expressions)
        return [f"GROUP BY {', '.join(keys)}"]

    def value(self, node: Any, *, aggregates: bool, guarded: bool = True, boolean: bool = False) -> Piece:
        """An expression, written as predicates are; `guarded`: a row that it cannot be evaluated on ends the query."""
        made: list[Column] = []
        prepared = _mapped(node.copy(), lambda each: self._prepared(each, made, aggregates=aggregates))
        writer = Writer(self._names(made))
        piece = writer.boolean(prepared) if boolean else writer.piece(prepared)
        self.query.faults += [_of_query(fault) for fault in writer.faults]
        self.query.used += [each for each in writer.used if each not in self.query.made]
        erring = any_of(piece.errors) if guarded else ""
        sql = f"CASE WHEN {erring} THEN {ERRED} ELSE {piece.sql} END" if erring else piece.sql
        return Piece(self.query.filled(sql), piece.type, closed=False)

    def _names(self, made: list[Column]) -> Names:
        known = self.scope.names
        if known.schema is None:
            return known
        return Names(schema=Schema((*known.schema.columns, *made)))

    def _prepared(self, node: Any, made: list[Column], *, aggregates: bool) -> Any:
        """The node that stands for this one while the expression is written; None where it stands for itself."""
        name = type(node).__name__
        if name == "Column":
            return self._unqualified(node)
        if name in NESTED or (name == "In" and node.args.get("query")):
            return self._made(self._subquery(node, name), made)
        if _is_aggregate(node):
            if not aggregates:
                self.query.refuse("aggregate", f"aggregates with '{node.this}' in WHERE or GROUP BY", "use HAVING")
            return self._made(self._aggregate(node), made)
        return None

    def _made(self, piece: Piece, made: list[Column]) -> Any:
        from sqlglot import exp

        name = self.query.named("part", piece.sql)
        made.append(Column(name, piece.type))
        return exp.Column(this=exp.Identifier(this=name, quoted=True))

    def _unqualified(self, node: Any) -> Any:
        """The column without the name of its table."""
        parts = [each.copy() for each in node.parts]
        if len(parts) < 2 or parts[0].name.lower() not in self.scope.aliases:
            return node
        from sqlglot import exp

        return exp.Column(**dict(zip(("this", "table", "db", "catalog"), reversed(parts[1:]), strict=False)))

    def _subquery(self, node: Any, name: str) -> Piece:
        if name == "In":
            subject = self.value(node.this, aggregates=False)
            return Piece(f"({subject.sql}) IN ({self._inner(node.args['query']).sql})", BOOLEAN)
        if name == "Filter":
            return self._aggregate(node.this, node.expression)
        if name != "Subquery":
            self.query.refuse("construct", f"uses what queries may not use: {_words(name)}", "see their grammar")
            return Piece("NULL")
        inner = self._inner(node)
        return Piece(f"({inner.sql})", inner.type)

    def _inner(self, node: Any) -> Selected:
        if type(node.this).__name__ != "Select" or _others(node, {"this", "alias"}):
            self.query.refuse("construct", "has a subquery that is not a SELECT", "write (SELECT ...)")
            return Selected("", Schema(()))
        found = self.query.select(node.this, level=self.level + 1)
        if len(node.this.expressions) != 1:
            self.query.refuse("columns", "has a subquery of several columns as a value", "select one")
        return found

    def _aggregate(self, node: Any, where: Any = None) -> Piece:
        """One aggregate over the rows of the group, or over those of them that `where` admits."""
        name, arguments = str(getattr(node, "this", "")).lower(), getattr(node, "expressions", [])
        if type(node).__name__ != "Anonymous" or name not in AGGREGATES:
            self.query.refuse("construct", "filters something that is not an aggregate", "write count(*) FILTER (...)")
            return Piece("NULL")
        inner = self._arguments(name, arguments)
        admitted = self.value(where.this, aggregates=False, boolean=True).sql if where else ""
        sql = f"{name}({inner[0]})" + (f" FILTER (WHERE {admitted})" if admitted else "")
        return Piece(sql, AGGREGATES[name] or inner[1])

    def _arguments(self, name: str, arguments: list[Any]) -> tuple[str, str]:
        """The arguments of an aggregate as written, and the type of the first."""
        if name == "count" and len(arguments) == 1 and type(arguments[0]).__name__ == "Star":
            return "1", "int"
        distinct = len(arguments) == 1 and type(arguments[0]).__name__ == "Distinct"
        given = arguments[0].expressions if distinct else arguments
        if not given or (len(given) > 1 and name != "count") or (distinct and name in CONDITIONAL):
            self.query.refuse("arguments", f"calls '{name}' with the wrong number of arguments")
            return "NULL", ANY
        parts = [self.value(each, aggregates=False, boolean=name in CONDITIONAL) for each in given]
        return ("DISTINCT " if distinct else "") + ", ".join(each.sql for each in parts), parts[0].type


def _is_aggregate(node: Any) -> bool:
    return type(node).__name__ == "Anonymous" and str(node.this).lower() in AGGREGATES


def _is_subquery(node: Any) -> bool:
    return type(node).__name__ == "Subquery"


def _found(node: Any, wanted: Callable[[Any], bool]) -> Iterable[Any]:
    """The nodes of that kind, without those within subqueries."""
    if wanted(node):
        yield node
    elif not _is_subquery(node):
        for each in node.iter_expressions():
            yield from _found(each, wanted)


def _mapped(node: Any, change: Callable[[Any], Any]) -> Any:
    """The tree with every node for which `change` names another one replaced by it, from the top."""
    found = change(node)
    if found is not None:
        return found
    for each in list(node.iter_expressions()):
        other = _mapped(each, change)
        if other is not each:
            each.replace(other)
    return node


def _others(node: Any, known: set[str]) -> list[str]:
    """The parts of a node that nobody writes: they would be lost without a word."""
    return [name for name, given in node.args.items() if given and name not in known]


def _named(alias: str) -> frozenset[str]:
    return frozenset({alias.lower()} if alias else ())


def _words(name: str) -> str:
    return re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name).strip("_").lower()


def _of_query(fault: Fault) -> Fault:
    code = fault.code.replace("predicate-", "query-")
    return Fault(code, WHERE, fault.message.replace("predicates may", "queries may"), fault.remedy)
