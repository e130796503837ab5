"""Read the `logicalTypeOptions` and `enum` of columns, and detect contradictions in them."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from treaty.contracts.document.columns import Element, members, text
from treaty.contracts.document.yaml_syntax import join
from treaty.contracts.errors import Faults, suggest_nearest

# Pairs of a lower and an upper limit on the same quantity.
LIMITS = (
    *((low, high) for low in ("minimum", "exclusiveMinimum") for high in ("maximum", "exclusiveMaximum")),
    *((f"min{what}", f"max{what}") for what in ("Length", "Items", "Properties")),
)
_ATOM = re.compile(r"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]", re.DOTALL)


def read_options(element: Element, faults: Faults) -> Mapping[str, Any]:
    """Return the options of a property as plain data; {} if there are none.

    Contradictory options are added as faults. Keys and values that do not fit the logical type are faults of the
    standard's own schema."""
    path, content = element
    options = content.get("logicalTypeOptions")
    if not isinstance(options, dict):
        return {}
    location = join(path, "logicalTypeOptions")
    for low, high in _crossed(options):
        faults.add(
            "options-order", join(location, high), f"contradicts '{low}': no value satisfies both", "widen one of them"
        )
    _inspect_required(element, options.get("required"), join(location, "required"), faults)
    return options


def _crossed(options: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    for low, high in LIMITS:
        if low in options and high in options:
            exclusive = low.startswith("exclusive") or high.startswith("exclusive")
            if _exceeds(options[low], options[high], or_equals=exclusive):
                yield low, high


def _exceeds(low: Any, high: Any, *, or_equals: bool) -> bool:
    """Return whether the first limit exceeds the second; texts (dates) compare if equally long."""
    if isinstance(low, str) and isinstance(high, str):
        comparable = len(low) == len(high)
    else:
        comparable = all(isinstance(each, int | float) for each in (low, high))
    return comparable and (low > high or (or_equals and low == high))


def _inspect_required(element: Element, required: Any, where: str, faults: Faults) -> None:
    fields = [text(member, "name") or "" for _, member in members(element[1], "properties")]
    if not fields or not isinstance(required, list):
        return
    for index, name in enumerate(required):
        if isinstance(name, str) and name not in fields:
            faults.add(
                "options-property", join(where, index), "is not a property of the object", suggest_nearest(name, fields)
            )


def read_enum(element: Element) -> Sequence[Any]:
    """Return the values that a property's `enum` allows, in order; () if it has none."""
    values = (member.get("value") for _, member in members(element[1], "enum"))
    return tuple(value for value in values if isinstance(value, str | int | float))


def means_whole(pattern: str) -> bool:
    """Return whether a pattern is anchored at both ends; otherwise it matches anywhere in a text."""
    plain = _ATOM.sub("", pattern)
    return plain.startswith("^") and plain.endswith("$") and not _has_bar(plain)


def _has_bar(plain: str) -> bool:
    """Return whether the pattern has a choice outside all parentheses."""
    depth = 0
    for character in plain:
        depth += (character == "(") - (character == ")")
        if character == "|" and depth == 0:
            return True
    return False
