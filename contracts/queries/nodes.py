"""Helpers for the parse nodes of a query, and the allowed aggregates."""

import re
from collections.abc import Callable, Iterable
from typing import Any

from treaty.contracts.predicates.types import ANY, BOOLEAN

# Aggregates with one argument and their result type; None means that of the argument.
AGGREGATES: dict[str, str | None] = {
    **dict.fromkeys(("count", "count_if", "approx_count_distinct"), "bigint"),
    **dict.fromkeys(("sum", "avg", "mean"), ANY), **dict.fromkeys(("min", "max"), None),
    **dict.fromkeys(("stddev", "stddev_samp", "stddev_pop", "variance", "var_samp", "var_pop"), "double"),
    **dict.fromkeys(("bool_and", "every", "bool_or", "any", "some"), BOOLEAN),
}  # fmt: skip
CONDITIONAL = frozenset({"count_if", "bool_and", "every", "bool_or", "any", "some"})


def is_aggregate(node: Any) -> bool:
    """Return whether the node calls an allowed aggregate."""
    return type(node).__name__ == "Anonymous" and str(node.this).lower() in AGGREGATES


def is_subquery(node: Any) -> bool:
    """Return whether the node is a SELECT in parentheses."""
    return type(node).__name__ == "Subquery"


def matching(node: Any, matches: Callable[[Any], bool]) -> Iterable[Any]:
    """Yield the matching nodes, not including those within subqueries."""
    if matches(node):
        yield node
    elif not is_subquery(node):
        for each in node.iter_expressions():
            yield from matching(each, matches)


def mapped(node: Any, change: Callable[[Any], Any]) -> Any:
    """Return the tree with nodes replaced by the results of `change`, from the top down.

    `change`: returns a replacement, or None to keep the node and visit its children."""
    replacement = change(node)
    if replacement is not None:
        return replacement
    for each in list(node.iter_expressions()):
        other = mapped(each, change)
        if other is not each:
            each.replace(other)
    return node


def left_over(node: Any, read_keys: set[str]) -> list[str]:
    """Return the parts of a node that the rewriter ignores and would lose silently."""
    return [name for name, value in node.args.items() if value and name not in read_keys]


def in_words(name: str) -> str:
    """Return the name of a node or clause in words: 'tablesample' for TableSample."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name).strip("_").lower()
