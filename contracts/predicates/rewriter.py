"""Rewrite a parsed predicate from an allow-list; everything else becomes a fault."""

import math
import re
from collections.abc import Callable
from decimal import Decimal
from typing import Any

from treaty.contracts.errors import Fault
from treaty.contracts.predicates import grammar
from treaty.contracts.predicates.arithmetic import arithmetic, minus
from treaty.contracts.predicates.casts import cast, common_type_pieces
from treaty.contracts.predicates.columns import ColumnScope, column, dotted
from treaty.contracts.predicates.date_functions import date_part
from treaty.contracts.predicates.element_access import bracket
from treaty.contracts.predicates.fragments import (
    NOTHING,
    SqlFragment,
    chosen,
    concatenation,
    connected,
    eager,
    membership,
    strict,
)
from treaty.contracts.predicates.functions import called, function, null_safe
from treaty.contracts.predicates.lambdas import lambda_variable
from treaty.contracts.predicates.number_functions import bitwise, complement, division, shift_operator
from treaty.contracts.predicates.patterns import escaped_like, like, regexp_like
from treaty.contracts.predicates.precedence import is_ambiguous
from treaty.contracts.predicates.text_functions import trim
from treaty.contracts.predicates.text_kinds import PREDICATE, TextKind
from treaty.contracts.predicates.types import ANY, BOOLEAN, MAX_DIGITS, VALUE, concatenation_type, group
from treaty.contracts.quoting import literal

MAX_DEPTH = 40
MAX_NODES = 400
# How much longer than the data the longest text of a predicate can become.
MAX_GROWTH = 1024
# The executed SQL repeats parts of the author's text in the conditions that detect evaluation errors.
MAX_WRITTEN = 100_000
NUMBER = re.compile(r"(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?")


class PredicateRewriter:
    """Rewrite one parse tree, collecting its faults and the columns that it reads."""

    def __init__(self, names: ColumnScope, kind: TextKind = PREDICATE) -> None:
        self.names, self.kind = names, kind
        self.faults: list[Fault] = []
        self.used: list[str] = []
        self.nodes = 0
        self.depth = 0
        self.growth = 1
        # The variables of the lambda that is being rewritten, with their types.
        self.variables: dict[str, str] = {}

    def write(self, tree: Any) -> SqlFragment:
        """Return the rewritten predicate; it must not be used if there are faults."""
        return self._reading(self.boolean(tree), "write a condition on a column")

    def value(self, tree: Any) -> SqlFragment:
        """Return the rewritten value expression; it must not be used if there are faults."""
        return self._reading(self.piece(tree), "write an expression of a column")

    def _reading(self, whole: SqlFragment, remedy: str) -> SqlFragment:
        if not self.used and not self.faults:
            self.refuse("constant", "reads no column", remedy)
        return whole

    def refuse(self, code: str, message: str, remedy: str = "") -> SqlFragment:
        """Add a fault; return a placeholder fragment to continue with."""
        self.faults.append(self.kind.fault(code, message, remedy))
        return NOTHING

    def grow(self, factor: int) -> None:
        """Note that a part can lengthen a text by this factor; refuse what could multiply beyond MAX_GROWTH."""
        self.growth *= max(factor, 1)
        if self.growth > MAX_GROWTH and not any(fault.code.endswith("-growth") for fault in self.faults):
            self.refuse("growth", f"can make a text more than {MAX_GROWTH} times longer", "replace with shorter texts")

    def piece(self, node: Any) -> SqlFragment:
        """Return the fragment of a node and its children."""
        node = self.bare(node)
        self.nodes += 1
        if self.nodes > MAX_NODES or self.depth >= MAX_DEPTH:
            return self._too_large()
        self.depth += 1
        try:
            fragment = self._produced(node)
        finally:
            self.depth -= 1
        return self._too_large() if len(fragment.sql) + sum(map(len, fragment.errors)) > MAX_WRITTEN else fragment

    def _too_large(self) -> SqlFragment:
        message = f"has more than {MAX_NODES} parts or {MAX_DEPTH} levels, or is too complex"
        if not any(fault.message == message for fault in self.faults):
            self.refuse("size", message, "split it")
        return NOTHING

    def boolean(self, node: Any) -> SqlFragment:
        """Return the fragment of a node that must be a condition."""
        return self.condition(self.piece(node))

    def condition(self, fragment: SqlFragment) -> SqlFragment:
        """Return the fragment, with a fault if it is not a condition."""
        if fragment.type not in {ANY, BOOLEAN}:
            self.refuse("not-boolean", "has a value instead of a condition", "add a comparison")
        return fragment

    def bare(self, node: Any) -> Any:
        """Return the node without enclosing parentheses."""
        while type(node).__name__ == "Paren":
            node = node.this
        return node

    def text(self, node: Any) -> str | None:
        """Return the text of a string literal; None for any other node."""
        inner = self.bare(node)
        return str(inner.this) if type(inner).__name__ == "Literal" and inner.is_string else None

    def _produced(self, node: Any) -> SqlFragment:
        name = type(node).__name__
        if name not in _PRODUCTIONS:
            return self._unknown(name)
        if is_ambiguous(node):
            return self.refuse("precedence", "mixes operators whose order is not clear", "put parentheses around one")
        production, parts = _PRODUCTIONS[name]
        # Parts that the production does not write would be lost silently.
        if any(value for part, value in node.args.items() if part not in parts.split()):
            return self._unknown(f"{name}Form")
        return production(self, node)

    def _unknown(self, name: str) -> SqlFragment:
        if name == "Concat":
            return self.refuse("adjacent", "has two adjacent strings", "write \\' for a quote within a text")
        words = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name).lower()
        message = f"uses a construct that {self.kind.plural} may not use: {words}"
        return self.refuse("construct", message, grammar.INSTEAD.get(words, "see the grammar of predicates"))


def _connector(writer: PredicateRewriter, node: Any) -> SqlFragment:
    parts = [writer.boolean(each) for each in node.flatten()]
    word = grammar.CONNECTORS[type(node).__name__]
    return connected(f" {word} ".join(each.operand for each in parts), parts)


def _compared(writer: PredicateRewriter, left: SqlFragment, sign: str, right: SqlFragment) -> SqlFragment:
    (left, right), _ = common_type_pieces(writer, [left, right])
    return strict(f"{left.operand} {sign} {right.operand}", [left, right], BOOLEAN, closed=False)


def _comparison(writer: PredicateRewriter, node: Any) -> SqlFragment:
    sign = grammar.COMPARISONS[type(node).__name__]
    return _compared(writer, writer.piece(node.this), sign, writer.piece(node.expression))


def _equality(writer: PredicateRewriter, node: Any) -> SqlFragment:
    same = null_safe(writer, writer.piece(node.this), writer.piece(node.expression))
    differs = type(node).__name__ == "NullSafeNEQ"
    return strict(f"NOT {same.operand}", [same], BOOLEAN, closed=False) if differs else same


def _concatenation(writer: PredicateRewriter, node: Any) -> SqlFragment:
    parts = [writer.piece(node.this), writer.piece(node.expression)]
    return concatenation(f"concat({parts[0].sql}, {parts[1].sql})", parts, concatenation_type(parts[0].type))


def _negation(writer: PredicateRewriter, node: Any) -> SqlFragment:
    inner = writer.boolean(node.this)
    return strict(f"NOT {inner.operand}", [inner], BOOLEAN, closed=False)


def _literal(writer: PredicateRewriter, node: Any) -> SqlFragment:
    if node.is_string:
        return SqlFragment(sql=literal(node.this), type="string", text=node.this)
    if not NUMBER.fullmatch(node.this):
        return writer.refuse("number", "has a malformed number", "write 10, 1.5 or 1e3")
    if not _is_stored(node.this):
        return writer.refuse("number", "has a number that Spark cannot store", f"write at most {MAX_DIGITS} digits")
    return SqlFragment(sql=node.this, type=_number_type(node.this))


def _is_stored(text: str) -> bool:
    """Return whether Spark has a type for the number: a double with an exponent, otherwise a decimal."""
    if "e" in text.lower():
        return math.isfinite(float(text))
    number = Decimal(text).as_tuple()
    return max(len(number.digits), -int(number.exponent)) <= MAX_DIGITS


def _number_type(text: str) -> str:
    if not text.isdigit():
        return "double" if "e" in text.lower() else "decimal"
    return next((name for name, most in (("int", 2**31), ("bigint", 2**63)) if int(text) < most), "decimal")


def _is(writer: PredicateRewriter, node: Any) -> SqlFragment:
    word, subject = type(node.expression).__name__, writer.piece(node.this)
    if word not in {"Null", "Boolean"}:
        return writer.refuse("construct", "has IS without NULL, TRUE or FALSE", "use <=>")
    if word == "Boolean":
        (subject, _), _ = common_type_pieces(writer, [subject, SqlFragment(sql="TRUE", type=BOOLEAN)])
    return eager(f"{subject.operand} IS {writer.piece(node.expression).sql}", [subject], BOOLEAN, closed=False)


def _in(writer: PredicateRewriter, node: Any) -> SqlFragment:
    if not node.expressions:
        return writer.refuse("construct", "has IN without a list", "write IN (1, 2)")
    if type(node.this).__name__ == "Tuple":
        return _tuple_in(writer, node.this.expressions, node.expressions)
    (subject, *members), _ = common_type_pieces(writer, [writer.piece(each) for each in (node.this, *node.expressions)])
    return membership(f"{subject.operand} IN ({', '.join(each.sql for each in members)})", subject, members)


def _tuple_in(writer: PredicateRewriter, columns: list[Any], members: list[Any]) -> SqlFragment:
    """Return whether several values equal those of a member: null fields are equal, as in Spark."""
    if any(type(each).__name__ != "Tuple" or len(each.expressions) != len(columns) for each in members):
        return writer.refuse("construct", "compares several values with fewer or more", "write (a, b) IN ((1, 2))")
    rows = [_same(writer, columns, each.expressions) for each in members]
    return connected(" OR ".join(each.operand for each in rows), rows)


def _same(writer: PredicateRewriter, columns: list[Any], values: list[Any]) -> SqlFragment:
    pairs = ((writer.piece(column), writer.piece(value)) for column, value in zip(columns, values, strict=True))
    fields = [null_safe(writer, *pair) for pair in pairs]
    return connected(" AND ".join(each.operand for each in fields), fields)


def _between(writer: PredicateRewriter, node: Any) -> SqlFragment:
    this, low, high = (writer.piece(node.args[part]) for part in ("this", "low", "high"))
    sides = [_compared(writer, this, ">=", low), _compared(writer, this, "<=", high)]
    return connected(" AND ".join(each.operand for each in sides), sides)


def _case(writer: PredicateRewriter, node: Any) -> SqlFragment:
    subject, default = node.args.get("this"), node.args.get("default")
    whole = writer.piece(subject) if subject else None
    tests = [_test(writer, whole, each.this) for each in node.args["ifs"]]
    values = [writer.piece(each.args["true"]) for each in node.args["ifs"]]
    (*values, last), common = common_type_pieces(writer, [*values, writer.piece(default) if default else NOTHING])
    return chosen(list(zip(tests, values, strict=True)), last, common if group(common) else _kind(values))


def _test(writer: PredicateRewriter, subject: SqlFragment | None, node: Any) -> SqlFragment:
    return _compared(writer, subject, "=", writer.piece(node)) if subject else writer.boolean(node)


def _kind(values: list[SqlFragment]) -> str:
    return VALUE if all(each.type == VALUE for each in values) else ANY


def _interval(writer: PredicateRewriter, node: Any) -> SqlFragment:
    amount, unit = node.args.get("this"), node.args.get("unit")
    if type(unit).__name__ == "IntervalSpan":
        return _span(writer, str(getattr(amount, "this", "")), str(unit.this), str(unit.expression))
    word = str(getattr(unit, "this", "")).upper().removesuffix("S")
    number = str(getattr(amount, "this", ""))
    if word not in grammar.UNITS or not re.fullmatch(r"-?\d{1,6}", number):
        return writer.refuse("interval", "has an unsupported interval", "write INTERVAL '7' DAY")
    return SqlFragment(sql=f"INTERVAL '{number}' {word}", type=grammar.UNITS[word])


def _span(writer: PredicateRewriter, text: str, first: str, last: str) -> SqlFragment:
    """Return an interval of several fields, such as `INTERVAL '1 12' DAY TO HOUR`."""
    pattern, type_ = grammar.SPANS.get((first.upper(), last.upper()), ("", ""))
    fields = [int(each) for each in re.findall(r"\d+", text)[1:]]
    most = 11 if last.upper() == "MONTH" else 23
    if (
        not type_
        or not re.fullmatch(pattern, text)
        or any(each > (59 if at else most) for at, each in enumerate(fields))
    ):
        return writer.refuse("interval", "has an unsupported interval", "write INTERVAL '1 12:30' DAY TO MINUTE")
    return SqlFragment(sql=f"INTERVAL '{text}' {first.upper()} TO {last.upper()}", type=type_)


def _extract(writer: PredicateRewriter, node: Any) -> SqlFragment:
    return date_part(writer, node.this.name, writer.piece(node.expression))


def _spelled(name: str, parts: str) -> Callable[[PredicateRewriter, Any], SqlFragment]:
    """Return the production of a function that may be spelled with keywords: `position(a IN b)`."""

    def production(writer: PredicateRewriter, node: Any) -> SqlFragment:
        arguments = [node.args.get(part) for part in parts.split()]
        return called(writer, name, [each for each in arguments if each is not None])

    return production


_PAIR = "this expression"
# By node class: the production, and the parts that the node may have.
_PRODUCTIONS: dict[str, tuple[Callable[[PredicateRewriter, Any], SqlFragment], str]] = {
    **dict.fromkeys(grammar.CONNECTORS, (_connector, _PAIR)),
    **dict.fromkeys(grammar.COMPARISONS, (_comparison, _PAIR)),
    **dict.fromkeys(grammar.ARITHMETIC, (arithmetic, f"{_PAIR} safe typed")),
    **dict.fromkeys(grammar.LIKES, (like, f"{_PAIR} negate")),
    "NullSafeEQ": (_equality, _PAIR),
    "NullSafeNEQ": (_equality, _PAIR),
    "DPipe": (_concatenation, f"{_PAIR} safe"),
    "Not": (_negation, "this"),
    "Neg": (minus, "this"),
    "Literal": (_literal, "this is_string"),
    "Null": (lambda *_: NOTHING, ""),
    "Boolean": (lambda _, node: SqlFragment(sql="TRUE" if node.this else "FALSE", type=BOOLEAN), "this"),
    "Column": (column, "this table db catalog"),
    "Dot": (dotted, _PAIR),
    "Identifier": (lambda_variable, "this quoted"),
    "Bracket": (bracket, "this expressions"),
    "Is": (_is, _PAIR),
    "In": (_in, "this expressions"),
    "Between": (_between, "this low high"),
    "RegexpLike": (regexp_like, _PAIR),
    "Escape": (escaped_like, _PAIR),
    "IntDiv": (division, _PAIR),
    **dict.fromkeys(grammar.BITWISE, (bitwise, _PAIR)),
    **dict.fromkeys(grammar.SHIFTS, (shift_operator, _PAIR)),
    "BitwiseNot": (complement, "this"),
    "Extract": (_extract, _PAIR),
    "Trim": (trim, f"{_PAIR} position"),
    "Overlay": (_spelled("overlay", "this expression from_ for_"), f"{_PAIR} from_ for_"),
    "Substring": (_spelled("substring", "this start length"), "this start length"),
    "StrPosition": (_spelled("position", "substr this position"), "substr this position"),
    "Case": (_case, "this ifs default"),
    "Cast": (cast, "this to safe requires_string"),
    "TryCast": (cast, "this to safe requires_string"),
    "Interval": (_interval, "this unit"),
    "Anonymous": (function, "this expressions"),
}
