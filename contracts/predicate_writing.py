"""Writing a parsed predicate again, piece by piece, out of what the grammar names; all else becomes a fault."""

import re
from collections.abc import Callable, Collection
from dataclasses import dataclass
from datetime import date
from typing import Any

from contracts import grammar
from contracts.errors import Fault, nearest
from contracts.grammar import Kind
from contracts.quoting import literal, quote
from contracts.regexes import UnsafeRegex, inspect_regex

WHERE = "predicate"
MAX_DEPTH = 40
MAX_NODES = 400
MAX_LIKE = 512
MAX_WILDCARDS = 3
NUMBER = re.compile(r"(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?")


@dataclass(frozen=True)
class Piece:
    """A part of the text: what it yields, and whether it stands by itself without parentheses."""

    sql: str
    kind: Kind
    closed: bool = True


NOTHING = Piece("NULL", "any")


class Writer:
    """Writes one tree of the parser; keeps its faults and the columns that it reads."""

    def __init__(self, columns: Collection[str] | None) -> None:
        self.columns = columns
        self.faults: list[Fault] = []
        self.used: list[str] = []
        self.nodes = 0
        self.depth = 0

    def write(self, tree: Any) -> str:
        """The text of the whole predicate; of no use where faults were kept."""
        whole = self.boolean(tree)
        if type(_unwrap(tree)).__name__ in {"Literal", "Null", "Boolean"}:
            self.refuse("constant", "is a constant", "write a condition on a column")
        return whole.sql

    def refuse(self, code: str, message: str, remedy: str = "") -> Piece:
        """Keeps a fault; answers a piece to go on with."""
        self.faults.append(Fault(f"predicate-{code}", WHERE, message, remedy))
        return NOTHING

    def piece(self, node: Any) -> Piece:
        """The text of one node and of what is beneath it."""
        node = _unwrap(node)
        self.nodes += 1
        if self.nodes > MAX_NODES or self.depth >= MAX_DEPTH:
            if not any(fault.code == "predicate-size" for fault in self.faults):
                self.refuse("size", f"has more than {MAX_NODES} parts or {MAX_DEPTH} levels", "split it")
            return NOTHING
        self.depth += 1
        try:
            return self._produced(node)
        finally:
            self.depth -= 1

    def operand(self, node: Any) -> str:
        """The text of a node, in parentheses where it would not stand by itself."""
        found = self.piece(node)
        return found.sql if found.closed else f"({found.sql})"

    def boolean(self, node: Any) -> Piece:
        """The piece of a node that has to be true or false."""
        found = self.piece(node)
        if found.kind == "value":
            self.refuse("not-boolean", "has a value where a condition is needed", "compare it with something")
        return found

    def _produced(self, node: Any) -> Piece:
        name = type(node).__name__
        if name not in _PRODUCTIONS:
            return self._unknown(name)
        production, parts = _PRODUCTIONS[name]
        # A part that the production does not write would be lost without a word.
        if any(value for part, value in node.args.items() if part not in parts.split()):
            return self._unknown(f"{name}Form")
        return production(self, node)

    def _unknown(self, name: str) -> Piece:
        if name == "Concat":
            return self.refuse("adjacent", "has two texts side by side", "write \\' for a quote within a text")
        words = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name).lower()
        return self.refuse("construct", f"uses what predicates may not use: {words}", "see the grammar of predicates")


def _unwrap(node: Any) -> Any:
    while type(node).__name__ == "Paren":
        node = node.this
    return node


def _connector(writer: Writer, node: Any) -> Piece:
    parts = [writer.boolean(each) for each in node.flatten()]
    word = grammar.CONNECTORS[type(node).__name__]
    return Piece(
        f" {word} ".join(each.sql if each.closed else f"({each.sql})" for each in parts), "boolean", closed=False
    )


def _comparison(writer: Writer, node: Any) -> Piece:
    sign = grammar.COMPARISONS[type(node).__name__]
    return Piece(f"{writer.operand(node.this)} {sign} {writer.operand(node.expression)}", "boolean", closed=False)


def _difference(writer: Writer, node: Any) -> Piece:
    return Piece(f"NOT ({writer.operand(node.this)} <=> {writer.operand(node.expression)})", "boolean", closed=False)


def _arithmetic(writer: Writer, node: Any) -> Piece:
    name = grammar.ARITHMETIC[type(node).__name__]
    return Piece(f"{name}({writer.piece(node.this).sql}, {writer.piece(node.expression).sql})", "value")


def _negation(writer: Writer, node: Any) -> Piece:
    inner = writer.boolean(node.this)
    return Piece(f"NOT {inner.sql}" if inner.closed else f"NOT ({inner.sql})", "boolean", closed=False)


def _minus(writer: Writer, node: Any) -> Piece:
    inner = _unwrap(node.this)
    if type(inner).__name__ == "Literal" and not inner.is_string:
        return Piece(f"-{writer.piece(inner).sql}", "value", closed=False)
    return Piece(f"try_subtract(0, {writer.piece(inner).sql})", "value")


def _literal(writer: Writer, node: Any) -> Piece:
    if node.is_string:
        return Piece(literal(node.this), "value")
    if not NUMBER.fullmatch(node.this):
        return writer.refuse("number", "has a number of an unknown form", "write 10, 1.5 or 1e3")
    return Piece(node.this, "value")


def _column(writer: Writer, node: Any) -> Piece:
    parts = _parts(node)
    if parts is None:
        return writer.refuse("construct", "reads a part of something that is not a column", "name a column")
    path = ".".join(quote(part) if "." in part or "`" in part else part for part in parts)
    found = parts[0] if len(parts) == 1 and parts[0] in (writer.columns or ()) else path
    if not _is_known(found, writer.columns):
        remedy = nearest(found, writer.columns or ()) or "name a column of the table"
        return writer.refuse("column", f"reads '{found}', which is not a column", remedy)
    writer.used.append(found)
    return Piece(".".join(map(quote, parts)), "any")


def _parts(node: Any) -> list[str] | None:
    if type(node).__name__ == "Dot":
        before, last = _parts(_unwrap(node.this)), node.expression
        return [*before, last.this] if before and type(last).__name__ == "Identifier" else None
    identifiers = node.parts if type(node).__name__ == "Column" else ()
    names = [each.this for each in identifiers if type(each).__name__ == "Identifier" and each.this]
    return names if names and len(names) == len(identifiers) else None


def _is_known(path: str, columns: Collection[str] | None) -> bool:
    if columns is None:
        return path.lower().partition(".")[0] not in grammar.AMBIENT
    if path in columns:
        return True
    # A struct whose fields nobody has named may have any.
    parent = path.rpartition(".")[0]
    return bool(parent) and _is_known(parent, columns) and not any(each.startswith(f"{parent}.") for each in columns)


def _is(writer: Writer, node: Any) -> Piece:
    word = type(node.expression).__name__
    if word not in {"Null", "Boolean"}:
        return writer.refuse("construct", "has IS before something else than NULL, TRUE or FALSE", "use <=>")
    return Piece(f"{writer.operand(node.this)} IS {writer.piece(node.expression).sql}", "boolean", closed=False)


def _in(writer: Writer, node: Any) -> Piece:
    if not node.expressions:
        return writer.refuse("construct", "has IN without a list", "write IN (1, 2)")
    members = ", ".join(writer.piece(each).sql for each in node.expressions)
    return Piece(f"{writer.operand(node.this)} IN ({members})", "boolean", closed=False)


def _between(writer: Writer, node: Any) -> Piece:
    this, low, high = (writer.operand(node.args[part]) for part in ("this", "low", "high"))
    return Piece(f"{this} BETWEEN {low} AND {high}", "boolean", closed=False)


def _like(writer: Writer, node: Any) -> Piece:
    pattern = _text(node.expression)
    if pattern is None or len(pattern) > MAX_LIKE or pattern.count("%") > MAX_WILDCARDS:
        message = f"has LIKE before something else than a text of at most {MAX_WILDCARDS} '%'"
        return writer.refuse("like", message, "use startswith, endswith or contains")
    word = grammar.LIKES[type(node).__name__]
    found = f"{writer.operand(node.this)} {word} {literal(pattern)}"
    return Piece(f"NOT ({found})" if node.args.get("negate") else found, "boolean", closed=False)


def _regex(writer: Writer, subject: Any, pattern: Any) -> Piece:
    text = _text(pattern)
    try:
        if text is None:
            raise UnsafeRegex("is not written out as a text")
        inspect_regex(text)
    except UnsafeRegex as error:
        return writer.refuse("regex", f"has a regular expression that {error}", "see the subset that is admitted")
    return Piece(f"{writer.operand(subject)} RLIKE {literal(text)}", "boolean", closed=False)


def _regexp_like(writer: Writer, node: Any) -> Piece:
    return _regex(writer, node.this, node.expression)


def _text(node: Any) -> str | None:
    inner = _unwrap(node)
    return str(inner.this) if type(inner).__name__ == "Literal" and inner.is_string else None


def _case(writer: Writer, node: Any) -> Piece:
    subject, default = node.args.get("this"), node.args.get("default")
    start = f"CASE {writer.operand(subject)}" if subject else "CASE"
    test = writer.piece if subject else writer.boolean
    arms = [(test(each.this).sql, writer.piece(each.args["true"])) for each in node.args["ifs"]]
    whens = "".join(f" WHEN {condition} THEN {value.sql}" for condition, value in arms)
    last = writer.piece(default) if default else None
    kinds = {value.kind for _, value in arms} | ({last.kind} if last else set())
    return Piece(f"{start}{whens}{f' ELSE {last.sql}' if last else ''} END", kinds.pop() if len(kinds) == 1 else "any")


def _cast(writer: Writer, node: Any) -> Piece:
    name = grammar.TYPES.get(node.args["to"].this.name)
    if name is None:
        return writer.refuse("type", "casts to a type that predicates may not use", "cast to a plain type")
    return _to(writer, node.this, f"{name}{_parameters(writer, node.args['to'])}")


def _parameters(writer: Writer, kind: Any) -> str:
    numbers = [each.this.this if type(each).__name__ == "DataTypeParam" else "" for each in kind.expressions]
    if not numbers:
        return ""
    if kind.this.name != "DECIMAL" or len(numbers) > 2 or not all(re.fullmatch(r"\d{1,2}", str(n)) for n in numbers):
        writer.refuse("type", "casts to a type with unknown parameters", "write DECIMAL(10, 2)")
    return f"({', '.join(map(str, numbers))})"


def _to(writer: Writer, node: Any, name: str) -> Piece:
    text = _text(node)
    if name == "DATE" and text is not None and not _is_date(text):
        writer.refuse("date", "has a date that is none", "write DATE '2026-01-31'")
    return Piece(f"TRY_CAST({writer.piece(node).sql} AS {name})", "any" if name == "BOOLEAN" else "value")


def _is_date(text: str) -> bool:
    try:
        return bool(date.fromisoformat(text))
    except ValueError:
        return False


def _interval(writer: Writer, node: Any) -> Piece:
    amount, unit = node.args.get("this"), node.args.get("unit")
    word = str(getattr(unit, "this", "")).upper().removesuffix("S")
    number = str(getattr(amount, "this", ""))
    if word not in grammar.UNITS or not re.fullmatch(r"-?\d{1,9}", number):
        return writer.refuse("interval", "has an interval of an unknown form", "write INTERVAL '7' DAY")
    return Piece(f"INTERVAL '{number}' {word}", "value")


def _function(writer: Writer, node: Any) -> Piece:
    name, arguments = str(node.this).lower(), node.expressions
    if name in grammar.REGEX_FUNCTIONS and len(arguments) == 2:
        return _regex(writer, *arguments)
    if name in grammar.CASTING_FUNCTIONS and len(arguments) == 1:
        return _to(writer, arguments[0], grammar.CASTING_FUNCTIONS[name])
    if name not in grammar.FUNCTIONS:
        remedy = nearest(name, grammar.FUNCTIONS) or "see the functions that are admitted"
        return writer.refuse("function", f"calls '{name}', which predicates may not call", remedy)
    kind, least, most = grammar.FUNCTIONS[name]
    if not least <= len(arguments) <= most:
        return writer.refuse("arguments", f"calls '{name}' with the wrong number of arguments")
    return Piece(f"{name}({', '.join(writer.piece(each).sql for each in arguments)})", kind)


_PAIR = "this expression"
# The class of a node: what writes it, and the parts that it may have.
_PRODUCTIONS: dict[str, tuple[Callable[[Writer, Any], Piece], str]] = {
    **dict.fromkeys(grammar.CONNECTORS, (_connector, _PAIR)),
    **dict.fromkeys(grammar.COMPARISONS, (_comparison, _PAIR)),
    **dict.fromkeys(grammar.ARITHMETIC, (_arithmetic, f"{_PAIR} safe typed")),
    **dict.fromkeys(grammar.LIKES, (_like, f"{_PAIR} negate")),
    "NullSafeNEQ": (_difference, _PAIR),
    "Not": (_negation, "this"),
    "Neg": (_minus, "this"),
    "Literal": (_literal, "this is_string"),
    "Null": (lambda *_: NOTHING, ""),
    "Boolean": (lambda _, node: Piece("TRUE" if node.this else "FALSE", "boolean"), "this"),
    "Column": (_column, "this table db catalog"),
    "Dot": (_column, _PAIR),
    "Is": (_is, _PAIR),
    "In": (_in, "this expressions"),
    "Between": (_between, "this low high"),
    "RegexpLike": (_regexp_like, _PAIR),
    "Case": (_case, "this ifs default"),
    "Cast": (_cast, "this to safe requires_string"),
    "TryCast": (_cast, "this to safe requires_string"),
    "Interval": (_interval, "this unit"),
    "Anonymous": (_function, "this expressions"),
}
