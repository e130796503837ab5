"""Conditions on partition columns, evaluated here on the values that partitions' names say: no Spark, no rows.

A part of what predicates may use (`treaty.contracts.predicates.grammar`): comparisons, IN, BETWEEN, LIKE, IS, AND, OR,
NOT, columns and constants; all else is refused by name. Null is SQL's: a comparison with it is null, and what is not
true is not chosen. Spark compares alike: texts by code point, NaN above all numbers, a date as its midnight beside a
timestamp. Times have no zone: they are as the names have them."""

import operator
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import date, datetime, time
from decimal import Decimal
from math import isnan
from struct import pack, unpack
from typing import Any

from treaty.contracts.errors import Fault
from treaty.contracts.predicates import grammar
from treaty.contracts.predicates.parser import PredicateError, parse, tree_of
from treaty.contracts.predicates.types import BOOLEAN, INTEGRAL, base, comparison_type
from treaty.contracts.safe_regex import MAX_SUBJECT
from treaty.contracts.schema import Schema

Row = Mapping[str, Any]
ADMITTED = "use comparisons, IN, BETWEEN, LIKE, IS NULL, AND, OR and NOT of columns and constants"
LARGEST = 2**63 - 1
_NUMBER = r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?"
_DATE = r"\d{4}-\d{2}-\d{2}"
# How the text of a value is written, and read, by type.
_FORMS: dict[str, tuple[str, Callable[[str], Any]]] = {
    **dict.fromkeys(INTEGRAL, (r"[+-]?\d+", lambda text: _whole(text))),
    "decimal": (_NUMBER, Decimal),
    "double": (rf"{_NUMBER}|NaN|[+-]?Infinity", float),
    "float": (rf"{_NUMBER}|NaN|[+-]?Infinity", lambda text: unpack("f", pack("f", float(text)))[0]),
    "date": (_DATE, date.fromisoformat),
    "timestamp": (rf"{_DATE}([ T]\d{{2}}:\d{{2}}(:\d{{2}}(\.\d{{1,6}})?)?)?", datetime.fromisoformat),
    "boolean": ("(?i:true|false)", lambda text: text.lower() == "true"),
    "string": (r"(?s:.*)", str),
}
# What a value is compared as, by the type that both sides meet in.
_KEYS: dict[str, Callable[[Any], Any]] = {
    "double": lambda value: (True, 0.0) if isnan(value) else (False, float(value)),
    "timestamp": lambda value: value if isinstance(value, datetime) else datetime.combine(value, time()),
}
_SIGNS: dict[str, Callable[[Any, Any], bool]] = {
    "EQ": operator.eq, "NEQ": operator.ne, "GT": operator.gt, "GTE": operator.ge, "LT": operator.lt, "LTE": operator.le,
}  # fmt: skip
_MATCHED = frozenset({"string", "date", *INTEGRAL})


@dataclass(frozen=True)
class ConditionTerm:
    """A part of a condition: its type ('any' for NULL), and its value for a partition; None is null.

    `text`: the constant text that it is; None for all else."""

    type: str
    value: Callable[[Row], Any]
    text: str | None = None


NULL = ConditionTerm("any", lambda _: None)


def partition_type(type_: str) -> str:
    """The type as its values are read here; 'string' for one that no partition column can be compared as."""
    word = base(type_)
    found = "timestamp" if word == "timestamp_ntz" else word
    return found if found in _FORMS else "string"


def read(text: str, type_: str) -> Any:
    """The value that the text of a partition's name stands for. Raises ValueError where it is none of the type."""
    form, made = _FORMS[partition_type(type_)]
    try:
        if re.fullmatch(form, text, flags=re.ASCII):
            return made(text)
    except (ValueError, ArithmeticError):
        # What Python says holds the value.
        pass
    raise ValueError(f"is no {partition_type(type_)}")


def _whole(text: str) -> int:
    if not -LARGEST - 1 <= (found := int(text)) <= LARGEST:
        raise OverflowError
    return found


def condition(text: str, columns: Schema) -> Callable[[Row], bool | None]:
    """The condition over the values of these columns: true, false or null. Raises PredicateError."""
    try:
        parse(text, schema=columns)
    except PredicateError as error:
        raise PredicateError([_of_partitions(each, columns) for each in error.faults]) from None
    return _Conditions(columns).term(tree_of(text)).value


def _of_partitions(fault: Fault, columns: Schema) -> Fault:
    if fault.code != "predicate-column":
        return fault
    message = fault.message.replace("not a column", "not a partition column")
    return replace(fault, message=message, remedy=f"the partition columns are {', '.join(columns.names) or 'none'}")


def _refused(message: str, remedy: str = ADMITTED) -> PredicateError:
    return PredicateError([Fault(code="predicate-partitions", where="predicate", message=message, remedy=remedy)])


class _Conditions:
    """Makes terms of the parser's tree."""

    def __init__(self, columns: Schema) -> None:
        self.columns = columns

    def term(self, node: Any) -> ConditionTerm:
        """The term of a node and of what is beneath it. Raises PredicateError for what is not admitted."""
        name = type(node).__name__
        if name == "Paren":
            return self.term(node.this)
        if name not in _TERMS:
            raise _refused(f"uses what is not told of partitions by their names: {_named(node)}")
        return _TERMS[name](self, node)


def _named(node: Any) -> str:
    """What a node is called by who wrote it."""
    name = type(node).__name__
    return f"{node.name}()" if name == "Anonymous" else re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name).lower()


def _column(of: _Conditions, node: Any) -> ConditionTerm:
    name = node.this.this
    return ConditionTerm(partition_type(of.columns.get(name).type), lambda row: row[name])  # type: ignore[union-attr]


def _literal(_: _Conditions, node: Any) -> ConditionTerm:
    if node.is_string:
        return _constant("string", node.this, text=node.this)
    if node.this.isdigit() and int(node.this) <= LARGEST:
        return _constant("bigint", node.this)
    return _constant("double" if "e" in node.this.lower() else "decimal", node.this)


def _constant(type_: str, written: str, *, text: str | None = None) -> ConditionTerm:
    try:
        value = read(written, type_)
    except ValueError as error:
        raise _refused(f"has a constant that {error}", f"write it as partitions do: {_EXAMPLES[type_]}") from None
    return ConditionTerm(type_, lambda _: value, text)


_EXAMPLES = {
    **dict.fromkeys(INTEGRAL, "7"), "decimal": "1.5", "double": "1.5", "float": "1.5", "date": "'2026-01-31'",
    "timestamp": "'2026-01-31 12:00:00'", "boolean": "TRUE", "string": "'text'",
}  # fmt: skip


def _typed(of: _Conditions, node: Any) -> ConditionTerm:
    """DATE '2026-01-31', TIMESTAMP '...': a constant with its type."""
    inner, type_ = of.term(node.this), grammar.TYPES.get(node.args["to"].this.name, "").lower()
    if inner.text is None or type_ not in {"date", "timestamp", "timestamp_ntz"}:
        raise _refused("has a cast of something else than a written date or timestamp", "write DATE '2026-01-31'")
    return _constant(partition_type(type_), inner.text)


def _minus(of: _Conditions, node: Any) -> ConditionTerm:
    inner = of.term(node.this)
    if type(node.this).__name__ != "Literal" or inner.text is not None:
        raise _refused("has a minus before something else than a number")
    return ConditionTerm(inner.type, lambda row: -inner.value(row))


def _alike(left: ConditionTerm, right: ConditionTerm) -> tuple[ConditionTerm, ConditionTerm]:
    """Both as they are compared: a constant text as the other side's type, numbers and moments as what they meet in."""
    left, right = _read_as(left, right.type), _read_as(right, left.type)
    met = partition_type(comparison_type((left.type, right.type))) if "any" not in (left.type, right.type) else "any"
    return _as(left, met), _as(right, met)


def _read_as(term: ConditionTerm, other: str) -> ConditionTerm:
    if term.type != "string" or other in ("string", "any"):
        return term
    if term.text is None:
        raise _refused(f"compares a text with a value of type {other}", "write the constant as a text: '...'")
    # A decimal meets a text as a double.
    return _constant("double" if other == "decimal" else other, term.text)


def _as(term: ConditionTerm, met: str) -> ConditionTerm:
    key = _KEYS.get(met)
    if key is None:
        return term
    return ConditionTerm(met, lambda row: None if (value := term.value(row)) is None else key(value))


def _compared(left: ConditionTerm, sign: Callable[[Any, Any], bool], right: ConditionTerm) -> ConditionTerm:
    left, right = _alike(left, right)

    def value(row: Row) -> bool | None:
        pair = left.value(row), right.value(row)
        return None if None in pair else sign(*pair)

    return ConditionTerm(BOOLEAN, value)


def _comparison(of: _Conditions, node: Any) -> ConditionTerm:
    return _compared(of.term(node.this), _SIGNS[type(node).__name__], of.term(node.expression))


def _equality(of: _Conditions, node: Any) -> ConditionTerm:
    """`<=>`: never null, and null is equal to null."""
    left, right = _alike(of.term(node.this), of.term(node.expression))
    return ConditionTerm(BOOLEAN, lambda row: left.value(row) == right.value(row))


def _in(of: _Conditions, node: Any) -> ConditionTerm:
    subject = of.term(node.this)
    return _any([_compared(subject, operator.eq, of.term(each)) for each in node.expressions])


def _between(of: _Conditions, node: Any) -> ConditionTerm:
    this, low, high = (of.term(node.args[part]) for part in ("this", "low", "high"))
    return _all([_compared(this, operator.ge, low), _compared(this, operator.le, high)])


def _all(terms: list[ConditionTerm]) -> ConditionTerm:
    def value(row: Row) -> bool | None:
        found = [each.value(row) for each in terms]
        return False if False in found else None if None in found else True

    return ConditionTerm(BOOLEAN, value)


def _any(terms: list[ConditionTerm]) -> ConditionTerm:
    return _not(_all([_not(each) for each in terms]))


def _not(term: ConditionTerm) -> ConditionTerm:
    return ConditionTerm(BOOLEAN, lambda row: None if (value := term.value(row)) is None else not value)


def _is(of: _Conditions, node: Any) -> ConditionTerm:
    wanted, subject = of.term(node.expression), of.term(node.this)
    if wanted.type == BOOLEAN != subject.type:
        raise _refused(f"asks of a value of type {subject.type} whether it is true", "compare it")
    return ConditionTerm(BOOLEAN, lambda row: subject.value(row) is wanted.value(row))


def _like(of: _Conditions, node: Any) -> ConditionTerm:
    subject, pattern = of.term(node.this), of.term(node.expression).text
    if subject.type not in _MATCHED:
        raise _refused(f"has LIKE of a value of type {subject.type}", "compare it")
    fits, capped = re.compile(_regex(pattern or ""), re.DOTALL), "%" in (pattern or "").strip("%")

    def value(row: Row) -> bool | None:
        found = subject.value(row)
        # As in Spark: a long text is not matched, and so is null.
        if found is None or (capped and len(str(found)) > MAX_SUBJECT):
            return None
        return fits.fullmatch(str(found)) is not None

    return _not(ConditionTerm(BOOLEAN, value)) if node.args.get("negate") else ConditionTerm(BOOLEAN, value)


def _regex(pattern: str) -> str:
    """A pattern of LIKE as a regular expression: % any text, _ any character, \\ before one of them that itself."""
    found = re.findall(r"\\(.)|(.)", pattern, flags=re.DOTALL)
    wild = {"%": ".*", "_": "."}
    return "".join(re.escape(escaped) if escaped else wild.get(plain, re.escape(plain)) for escaped, plain in found)


_TERMS: dict[str, Callable[[_Conditions, Any], ConditionTerm]] = {
    **dict.fromkeys(_SIGNS, _comparison),
    "And": lambda of, node: _all([of.term(each) for each in node.flatten()]),
    "Or": lambda of, node: _any([of.term(each) for each in node.flatten()]),
    "Not": lambda of, node: _not(of.term(node.this)),
    "NullSafeEQ": _equality,
    "NullSafeNEQ": lambda of, node: _not(_equality(of, node)),
    "In": _in,
    "Between": _between,
    "Like": _like,
    "Is": _is,
    "Column": _column,
    "Literal": _literal,
    "Cast": _typed,
    "Neg": _minus,
    "Null": lambda *_: NULL,
    "Boolean": lambda _, node: ConditionTerm(BOOLEAN, lambda __: bool(node.this)),
}
