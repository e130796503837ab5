"""Refuse operators in an order in which Spark and this parser would bind differently: parentheses decide."""

from typing import Any

_BITS = frozenset({
    "BitwiseAnd", "BitwiseOr", "BitwiseXor", "BitwiseLeftShift", "BitwiseRightShift", "DPipe",
})  # fmt: skip
_COMPARISONS = frozenset({"EQ", "NEQ", "GT", "GTE", "LT", "LTE", "NullSafeEQ", "NullSafeNEQ"})
_RANGES = frozenset({"Is", "In", "Between", "Like", "ILike", "RegexpLike", "Escape", "Not"})


def is_ambiguous(node: Any) -> bool:
    """Return whether an operand of the node needs parentheses to mean the same in Spark."""
    name = type(node).__name__
    left, right = (type(node.args.get(part)).__name__ for part in ("this", "expression"))
    if name in _BITS:
        return bool({left, right} & (_BITS - {name})) or (name == "DPipe" and right in {"Add", "Sub"})
    return name in _COMPARISONS and (right in _COMPARISONS or bool({left, right} & _RANGES))
