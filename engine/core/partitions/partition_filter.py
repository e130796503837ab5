"""Evaluate conditions on partition columns from partition names, without Spark and without reading rows.

A subset of the predicate grammar (`treaty.contracts.predicates.grammar`): comparisons, IN, BETWEEN, LIKE, IS, AND,
OR, NOT, columns and constants; everything else is rejected by name. Null follows SQL: a comparison with null is
null, and only partitions for which the condition is true are selected. Comparisons match Spark's: texts by code
point, NaN above all numbers, a date as midnight when compared with a timestamp. Times have no zone and are used as
the names give them."""

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
from treaty.contracts.limits.regex_cost import MAX_SUBJECT
from treaty.contracts.predicates import grammar
from treaty.contracts.predicates.parser import PredicateError, parse, tree_of
from treaty.contracts.predicates.types import BOOLEAN, INTEGRAL, base, comparison_type
from treaty.contracts.schema import Schema

Row = Mapping[str, Any]
ADMITTED = "use only comparisons, IN, BETWEEN, LIKE, IS NULL, AND, OR and NOT with columns and constants"
LARGEST = 2**63 - 1
_NUMBER = r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?"
_DATE = r"\d{4}-\d{2}-\d{2}"
# For each type, the regular expression of its text form and the parser.
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
# Conversion of a value for comparison, by the common type of both sides.
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
    """A part of a condition.

    `type`: its type ('any' for NULL). `value`: computes its value for a partition; None is null. `text`: the text of
    a string constant; None for everything else."""

    type: str
    value: Callable[[Row], Any]
    text: str | None = None


NULL = ConditionTerm("any", lambda _: None)


def partition_type(type_: str) -> str:
    """Return the type that partition values are parsed as; 'string' for unsupported types."""
    word = base(type_)
    name = "timestamp" if word == "timestamp_ntz" else word
    return name if name in _FORMS else "string"


def read(text: str, type_: str) -> Any:
    """Parse the text of a value in a partition name. Raises ValueError if it is not of the type."""
    form, convert = _FORMS[partition_type(type_)]
    try:
        if re.fullmatch(form, text, flags=re.ASCII):
            return convert(text)
    except (ValueError, ArithmeticError):
        # Replaced by the error below, because Python's message contains the value.
        pass
    raise ValueError(f"is not of type {partition_type(type_)}")


def _whole(text: str) -> int:
    if not -LARGEST - 1 <= (number := int(text)) <= LARGEST:
        raise OverflowError
    return number


def condition(text: str, columns: Schema) -> Callable[[Row], bool | None]:
    """Compile a condition over the values of these columns; its result is true, false or null.

    Raises PredicateError if the condition is invalid or not supported for partitions."""
    try:
        parse(text, schema=columns, noun="partition column")
    except PredicateError as error:
        raise PredicateError([_of_partitions(each, columns) for each in error.faults]) from None
    return _Conditions(columns).term(tree_of(text)).value


def _of_partitions(fault: Fault, columns: Schema) -> Fault:
    if fault.code != "predicate-column":
        return fault
    return replace(fault, remedy=f"the partition columns are {', '.join(columns.names) or 'none'}")


def _refused(message: str, remedy: str = ADMITTED) -> PredicateError:
    return PredicateError([Fault(code="predicate-partitions", where="predicate", message=message, remedy=remedy)])


class _Conditions:
    """Compiles nodes of the parser's tree to terms."""

    def __init__(self, columns: Schema) -> None:
        self.columns = columns

    def term(self, node: Any) -> ConditionTerm:
        """Return the term of a node with its children. Raises PredicateError if it is not supported."""
        name = type(node).__name__
        if name == "Paren":
            return self.term(node.this)
        if name not in _TERMS:
            raise _refused(f"uses an expression that partition names cannot answer: {_named(node)}")
        return _TERMS[name](self, node)


def _named(node: Any) -> str:
    """Return the name of a node for error messages."""
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
        raise _refused(f"has a constant that {error}", f"write it as in partition names: {_EXAMPLES[type_]}") from None
    return ConditionTerm(type_, lambda _: value, text)


_EXAMPLES = {
    **dict.fromkeys(INTEGRAL, "7"), "decimal": "1.5", "double": "1.5", "float": "1.5", "date": "'2026-01-31'",
    "timestamp": "'2026-01-31 12:00:00'", "boolean": "TRUE", "string": "'text'",
}  # fmt: skip


def _typed(of: _Conditions, node: Any) -> ConditionTerm:
    """Return a typed constant: DATE '2026-01-31', TIMESTAMP '...'."""
    inner, type_ = of.term(node.this), grammar.TYPES.get(node.args["to"].this.name, "").lower()
    if inner.text is None or type_ not in {"date", "timestamp", "timestamp_ntz"}:
        raise _refused("has a cast of something other than a date or timestamp constant", "write DATE '2026-01-31'")
    return _constant(partition_type(type_), inner.text)


def _minus(of: _Conditions, node: Any) -> ConditionTerm:
    inner = of.term(node.this)
    if type(node.this).__name__ != "Literal" or inner.text is not None:
        raise _refused("has a minus sign before something other than a number")
    return ConditionTerm(inner.type, lambda row: -inner.value(row))


def _alike(left: ConditionTerm, right: ConditionTerm) -> tuple[ConditionTerm, ConditionTerm]:
    """Return both terms in a comparable form.

    A constant text becomes the other side's type; numbers and times become their common type."""
    left, right = _read_as(left, right.type), _read_as(right, left.type)
    common_type = (
        partition_type(comparison_type((left.type, right.type))) if "any" not in (left.type, right.type) else "any"
    )
    return _as(left, common_type), _as(right, common_type)


def _read_as(term: ConditionTerm, other: str) -> ConditionTerm:
    if term.type != "string" or other in ("string", "any"):
        return term
    if term.text is None:
        raise _refused(f"compares a text with a value of type {other}", "write the constant as a text: '...'")
    # A decimal and a text are compared as doubles.
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
    """Return the term of `<=>`: never null, and null equals null."""
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
        results = [each.value(row) for each in terms]
        return False if False in results else None if None in results else True

    return ConditionTerm(BOOLEAN, value)


def _any(terms: list[ConditionTerm]) -> ConditionTerm:
    return _not(_all([_not(each) for each in terms]))


def _not(term: ConditionTerm) -> ConditionTerm:
    return ConditionTerm(BOOLEAN, lambda row: None if (value := term.value(row)) is None else not value)


def _is(of: _Conditions, node: Any) -> ConditionTerm:
    constant, subject = of.term(node.expression), of.term(node.this)
    if constant.type == BOOLEAN != subject.type:
        raise _refused(f"uses IS TRUE or IS FALSE with a value of type {subject.type}", "use a comparison instead")
    return ConditionTerm(BOOLEAN, lambda row: subject.value(row) is constant.value(row))


def _like(of: _Conditions, node: Any) -> ConditionTerm:
    subject, pattern = of.term(node.this), of.term(node.expression).text
    if subject.type not in _MATCHED:
        raise _refused(f"uses LIKE with a value of type {subject.type}", "use a comparison instead")
    fits, capped = re.compile(_regex(pattern or ""), re.DOTALL), "%" in (pattern or "").strip("%")

    def value(row: Row) -> bool | None:
        text = subject.value(row)
        # As in Spark, a text that is too long gives null, as null does.
        if text is None or (capped and len(str(text)) > MAX_SUBJECT):
            return None
        return fits.fullmatch(str(text)) is not None

    return _not(ConditionTerm(BOOLEAN, value)) if node.args.get("negate") else ConditionTerm(BOOLEAN, value)


def _regex(pattern: str) -> str:
    r"""Convert a LIKE pattern to a regular expression.

    % matches any text, _ any character, and \ escapes the next character."""
    tokens = re.findall(r"\\(.)|(.)", pattern, flags=re.DOTALL)
    first, *rest = ("".join(map(_one, part)) for part in _parts(tokens))
    # Atomic groups: the shortest match of each % is sufficient, and no other is tried.
    return first + "".join(f"(?>.*?{part})" for part in rest[:-1]) + (f".*{rest[-1]}" if rest else "")


def _parts(tokens: list[tuple[str, str]]) -> list[list[tuple[str, str]]]:
    """Return the tokens between the % signs."""
    parts: list[list[tuple[str, str]]] = [[]]
    for token in tokens:
        if token == ("", "%"):
            parts.append([])
        else:
            parts[-1].append(token)
    return parts


def _one(token: tuple[str, str]) -> str:
    escaped, plain = token
    return "." if plain == "_" else re.escape(escaped or plain)


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
