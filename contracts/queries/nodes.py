"""What the parser's nodes of a query are, and which functions aggregate."""

import re
from collections.abc import Callable, Iterable
from typing import Any

from treaty.contracts.predicates.types import ANY, BOOLEAN

# Aggregates of one argument, with the type that they yield; None: that of their argument.
AGGREGATES: dict[str, str | None] = {
    **dict.fromkeys(("count", "count_if", "approx_count_distinct"), "bigint"),
    **dict.fromkeys(("sum", "avg", "mean"), ANY), **dict.fromkeys(("min", "max"), None),
    **dict.fromkeys(("stddev", "stddev_samp", "stddev_pop", "variance", "var_samp", "var_pop"), "double"),
    **dict.fromkeys(("bool_and", "every", "bool_or", "any", "some"), BOOLEAN),
}  # fmt: skip
CONDITIONAL = frozenset({"count_if", "bool_and", "every", "bool_or", "any", "some"})


def is_aggregate(node: Any) -> bool:
    """Whether the node calls one of the aggregates."""
    return type(node).__name__ == "Anonymous" and str(node.this).lower() in AGGREGATES


def is_subquery(node: Any) -> bool:
    """Whether the node is a SELECT in parentheses."""
    return type(node).__name__ == "Subquery"


def matching(node: Any, wanted: Callable[[Any], bool]) -> Iterable[Any]:
    """The nodes of that kind, without those within subqueries."""
    if wanted(node):
        yield node
    elif not is_subquery(node):
        for each in node.iter_expressions():
            yield from matching(each, wanted)


def mapped(node: Any, change: Callable[[Any], Any]) -> Any:
    """The tree with every node for which `change` names another one replaced by it, from the top."""
    found = change(node)
    if found is not None:
        return found
    for each in list(node.iter_expressions()):
        other = mapped(each, change)
        if other is not each:
            each.replace(other)
    return node


def left_over(node: Any, known: set[str]) -> list[str]:
    """The parts of a node that nobody writes: they would be lost without a word."""
    return [name for name, given in node.args.items() if given and name not in known]


def in_words(name: str) -> str:
    """The name of a node or clause for people: 'tablesample' of TableSample."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name).strip("_").lower()
