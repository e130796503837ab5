"""Decide from their texts whether one predicate implies another.

Compared are conditions that occur in both, word for word, and comparisons of one column with numbers, with lists of
values, and with dates of one format. If implication cannot be shown, the answer is no."""

from collections.abc import Callable
from fractions import Fraction
from math import isfinite
from typing import Any, NamedTuple

from treaty.contracts.assertions import Assertion
from treaty.contracts.comparison.directions import Direction, inclusion
from treaty.contracts.comparison.threshold_order import compare_thresholds, is_moment, of_values
from treaty.contracts.predicates.parser import PredicateError, parse, tree_of

OPERATORS = {
    "GT": "mustBeGreaterThan",
    "GTE": "mustBeGreaterOrEqualTo",
    "LT": "mustBeLessThan",
    "LTE": "mustBeLessOrEqualTo",
}
TURNED = {"GT": "LT", "GTE": "LTE", "LT": "GT", "LTE": "GTE"}
WITHIN = frozenset({Direction.TIGHTENS, Direction.UNTESTED})


class ColumnCondition(NamedTuple):
    """A comparison of a column with a limit, or with a list of allowed `values`."""

    column: str
    assertion: Assertion | None = None
    values: tuple[Any, ...] = ()


def of_predicates(old: str | None, new: str | None) -> Direction:
    """Return the direction between the rows that satisfy two predicates.

    None is satisfied by all rows. The result is undetermined if neither implication can be shown, or if a text is not a
    predicate; nothing is raised."""
    if old == new:
        return Direction.UNTESTED
    direction = inclusion(new_within_old=implies(new, old), old_within_new=implies(old, new))
    return Direction.UNDETERMINED if direction is Direction.BOTH else direction


def implies(first: str | None, second: str | None) -> bool:
    """Return whether the texts show that each row satisfying the first predicate satisfies the second."""
    if second is None or first is None:
        return second is None
    try:
        return parse(first).sql == parse(second).sql or _follows(_bare(tree_of(first)), _bare(tree_of(second)))
    except PredicateError:
        return False


def _follows(premise: Any, conclusion: Any) -> bool:
    if _kind(conclusion) == "And":
        return all(_follows(premise, each) for each in _parts(conclusion))
    if _kind(premise) == "Or":
        return all(_follows(each, conclusion) for each in _parts(premise))
    if _kind(conclusion) == "Or" and any(_follows(premise, each) for each in _parts(conclusion)):
        return True
    conditions = _parts(premise) if _kind(premise) == "And" else [premise]
    return _text(conclusion) in map(_text, conditions) or _compared(conditions, conclusion)


def _compared(premise: list[Any], conclusion: Any) -> bool:
    target = _condition(conclusion)
    comparable = [each for each in map(_condition, premise) if each and target and each.column == target.column]
    if target is None or not comparable:
        return False
    return any(_within(each, target) for each in comparable if each.values) or _bounded(comparable, target)


def _within(condition: ColumnCondition, target: ColumnCondition) -> bool:
    """Return whether each of the known values satisfies the target."""
    if target.assertion is None:
        return of_values(target.values, condition.values) in WITHIN
    single = ([Assertion("mustBe", each)] for each in condition.values)
    return all(compare_thresholds(each, [*each, target.assertion]) is Direction.UNTESTED for each in single)


def _bounded(conditions: list[ColumnCondition], target: ColumnCondition) -> bool:
    limits = [each.assertion for each in conditions if each.assertion]
    return (
        bool(target.assertion and limits)
        and compare_thresholds([target.assertion] if target.assertion else [], limits) in WITHIN
    )


def _kind(node: Any) -> str:
    return type(node).__name__


def _bare(node: Any) -> Any:
    while _kind(node) == "Paren":
        node = node.this
    return node


def _parts(node: Any) -> list[Any]:
    """Return the conditions that the node joins, without parentheses around them."""
    inner = (_bare(each) for each in (node.this, node.expression))
    return [part for each in inner for part in (_parts(each) if _kind(each) == _kind(node) else [each])]


def _text(node: Any) -> str:
    return str(node.sql(dialect="spark"))


def _condition(node: Any) -> ColumnCondition | None:
    """Return the comparison of a column with constants; None for any other condition."""
    node = _bare(node)
    reader = _CONDITIONS.get(_kind(node))
    return reader(node) if reader else None


def _limited(node: Any) -> ColumnCondition | None:
    for column, constant, kind in (
        (node.this, node.expression, _kind(node)),
        (node.expression, node.this, TURNED[_kind(node)]),
    ):
        limit = _constant(constant)
        if _kind(column) == "Column" and _in_order(limit):
            return ColumnCondition(_text(column), Assertion(OPERATORS[kind], limit))
    return None


def _ranging(node: Any) -> ColumnCondition | None:
    limits = tuple(_constant(node.args[end]) for end in ("low", "high"))
    column = _kind(node.this) == "Column" and all(map(_in_order, limits)) and type(limits[0]) is type(limits[1])
    return ColumnCondition(_text(node.this), Assertion("mustBeBetween", limits)) if column else None


def _equal(node: Any) -> ColumnCondition | None:
    for column, constant in ((node.this, node.expression), (node.expression, node.this)):
        value = _constant(constant)
        if _kind(column) == "Column" and value is not None:
            return ColumnCondition(_text(column), values=(value,))
    return None


def _in_condition(node: Any) -> ColumnCondition | None:
    values = tuple(map(_constant, node.expressions))
    comparable = _kind(node.this) == "Column" and values and None not in values
    return ColumnCondition(_text(node.this), values=values) if comparable else None


_CONDITIONS: dict[str, Callable[[Any], ColumnCondition | None]] = {
    **dict.fromkeys(OPERATORS, _limited),
    "Between": _ranging,
    "EQ": _equal,
    "In": _in_condition,
}


def _constant(node: Any) -> Any:
    """Return the text, number or boolean of a literal; None for anything else.

    Numbers that no float represents exactly are None as well."""
    node = _bare(node)
    if _kind(node) == "Neg":
        value = _constant(node.this)
        return -value if isinstance(value, int | float) else None
    if _kind(node) == "Boolean":
        return bool(node.this)
    if _kind(node) != "Literal":
        return None
    return str(node.this) if node.is_string else _number(str(node.this))


def _number(text: str) -> int | float | None:
    if text.isdecimal():
        return int(text)
    value = float(text)
    return value if isfinite(value) and Fraction(repr(value)) == Fraction(text) else None


def _in_order(limit: Any) -> bool:
    """Return whether such constants have the same order as any column compared with them."""
    if isinstance(limit, str):
        return is_moment(limit)
    return limit is not None and not isinstance(limit, bool)
