"""Rewrite conditions on the elements of an array or map: `exists(items, i -> i.qty > 1)`.

An element that cannot be evaluated counts only if no other element decides, as with AND and OR."""

from typing import TYPE_CHECKING, Any

from treaty.contracts.predicates import grammar
from treaty.contracts.predicates.arguments import as_argument
from treaty.contracts.predicates.fragments import SqlFragment, any_of, connected, guarded, leaf
from treaty.contracts.predicates.types import element, group, keys
from treaty.contracts.quoting import quote

if TYPE_CHECKING:
    from treaty.contracts.predicates.rewriter import PredicateRewriter

# Of an array, and of a map.
EXAMPLE = ("write {}(tags, t -> t <> '')", "write {}(m, (k, v) -> v IS NULL)")


def of_elements(writer: "PredicateRewriter", name: str, nodes: list[Any]) -> SqlFragment:
    """Return the fragment of `exists`, `forall`, `filter`, `transform` or `map_filter`."""
    of_map = name == "map_filter"
    items = as_argument(writer, writer.piece(nodes[0]), "map" if of_map else "array")
    names = _names(nodes[1])
    if len(names) != 1 + of_map or writer.variables or any(each.lower() in grammar.AMBIENT for each in names):
        message = f"calls '{name}' without a lambda of its own variables, or in another lambda"
        return writer.refuse("lambda", message, EXAMPLE[of_map].format(name))
    kinds = [keys(items.type)] * of_map + [element(items.type)]
    body = _body(writer, dict(zip(names, kinds, strict=True)), nodes[1].this)
    if name != "transform":
        writer.condition(body)
    return _applied(name, items, ", ".join(map(quote, names)), body)


def _names(node: Any) -> list[str]:
    return [each.name for each in node.expressions] if type(node).__name__ == "Lambda" else []


def _body(writer: "PredicateRewriter", variables: dict[str, str], node: Any) -> SqlFragment:
    writer.variables = variables
    try:
        return writer.piece(node)
    finally:
        writer.variables = {}


def _applied(name: str, items: SqlFragment, variables: str, body: SqlFragment) -> SqlFragment:
    arrow = f"({variables}) ->" if name == "map_filter" else f"{variables} ->"
    sql, erring = f"{name}({items.sql}, {arrow} {body.sql})", _erring(name, items, arrow, body)
    if name in {"exists", "forall"}:
        return connected(sql, [items, SqlFragment(sql="NULL", definite_errors=erring)])
    result = items.type if name != "transform" else f"array<{body.type}>" if group(body.type) else "array"
    return guarded(sql, (*items.errors, *erring), result)


def _erring(name: str, items: SqlFragment, arrow: str, body: SqlFragment) -> tuple[str, ...]:
    """Return the condition that an element cannot be evaluated; none if no element can fail."""
    condition = any_of(body.errors)
    if not condition:
        return ()
    if name == "map_filter":
        return (f"coalesce(array_size(map_keys(map_filter({items.sql}, {arrow} {condition}))) > 0, FALSE)",)
    return (f"coalesce(exists({items.sql}, {arrow} {condition}), FALSE)",)


def lambda_variable(writer: "PredicateRewriter", node: Any) -> SqlFragment:
    """Return the fragment of the variable of a lambda."""
    if node.name not in writer.variables:
        return writer.refuse("column", "reads an unknown variable", "name a column, or the variable of the lambda")
    return leaf(quote(node.name), writer.variables[node.name])
