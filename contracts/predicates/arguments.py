"""Accept the arguments of functions: their kinds, and what is cast or must be a literal."""

import re
from typing import TYPE_CHECKING

from treaty.contracts.predicates.casts import implicit_cast, read_as
from treaty.contracts.predicates.fragments import SqlFragment
from treaty.contracts.predicates.grammar import Takes
from treaty.contracts.predicates.types import ANY, INTEGRAL, WORDS, Group, base, group

if TYPE_CHECKING:
    from treaty.contracts.predicates.rewriter import PredicateRewriter

MAX_SCALE = 18
MAX_CONSTANT = 512
MAX_SEPARATOR = 16
# The largest literal of a position, a count, or a length to which a text is padded.
MAX_COUNT = 1000
TEXTS = frozenset[Group]({"text", "number", "moment", "boolean", "binary", "time"})
_NUMBER, _TEXT = frozenset[Group]({"number"}), frozenset[Group]({"text"})
# For each kind of argument: the kinds of values that it accepts, and the type that they are cast to.
ADMITS: dict[Takes, tuple[frozenset[Group], str]] = {
    "text": (TEXTS, ANY),
    "texts": (TEXTS | {"array"}, ANY),
    "scalar": (TEXTS, ANY),
    "bytes": (frozenset({"text", "binary"}), ANY),
    "number": (frozenset({"number", "text"}), "double"),
    "int": (frozenset({"number", "text"}), "int"),
    "whole": (_NUMBER, ANY),
    "scale": (_NUMBER, "int"),
    "date": (frozenset({"moment", "text"}), "date"),
    "moment": (frozenset({"moment", "text"}), "timestamp"),
    "timestamp": (frozenset({"moment", "text", "time"}), "timestamp"),
    "array": (frozenset({"array"}), ANY),
    "items": (frozenset({"array", "map"}), ANY),
    "map": (frozenset({"map"}), ANY),
    "any": (frozenset(WORDS), ANY),
    "constant": (_TEXT, ANY),
    "separator": (_TEXT, ANY),
    "path": (_TEXT, ANY),
    "count": (_NUMBER, ANY),
    "position": (_NUMBER, ANY),
    "size": (_NUMBER, ANY),
}
# Literals: the pattern of their text or SQL, and their description.
_NAME = r"[A-Za-z_][\w-]{0,63}"
_PATH = rf"\$(\.{_NAME}|\[\d{{1,4}}\]|\['[^'\]]{{1,64}}'\]){{0,20}}"
TEXT_LITERALS: dict[Takes, tuple[str, str]] = {
    "constant": (rf"(?s).{{0,{MAX_CONSTANT}}}", f"a literal text of at most {MAX_CONSTANT} characters"),
    "separator": (rf"(?s).{{0,{MAX_SEPARATOR}}}", f"a literal text of at most {MAX_SEPARATOR} characters"),
    "path": (_PATH, "a literal path such as '$.a.b[0]'"),
}
COUNT_LITERALS: dict[Takes, tuple[int, int]] = {
    "count": (-MAX_COUNT, MAX_COUNT), "position": (-MAX_COUNT, MAX_COUNT), "size": (0, MAX_COUNT),
    "scale": (-MAX_SCALE, MAX_SCALE),
}  # fmt: skip


def as_argument(writer: "PredicateRewriter", piece: SqlFragment, kind: Takes) -> SqlFragment:
    """Return the fragment as an argument of this kind."""
    admitted, target = ADMITS[kind]
    actual = group(piece.type)
    if actual is not None and actual not in admitted:
        return refused_type(writer, WORDS[actual])
    if kind in TEXT_LITERALS:
        return _constant(writer, piece, kind)
    if kind in COUNT_LITERALS:
        return _count(writer, piece, kind)
    if kind == "whole" and actual == "number" and base(piece.type) not in INTEGRAL:
        return refused_type(writer, "a number with fractions")
    if kind == "int":
        return _whole(piece)
    return piece if actual in {"number", "time"} else implicit_cast(piece, target)


def refused_type(writer: "PredicateRewriter", words: str) -> SqlFragment:
    """Add the fault of a value of a type that a function does not accept."""
    message = f"passes {words} to a function that does not accept it"
    return writer.refuse("type", message, "cast it to a type that the function accepts")


def _constant(writer: "PredicateRewriter", piece: SqlFragment, kind: Takes) -> SqlFragment:
    pattern, words = TEXT_LITERALS[kind]
    if piece.text is None or not re.fullmatch(pattern, piece.text):
        return writer.refuse("argument", "passes something else to a function that needs a literal", f"write {words}")
    return piece


def _count(writer: "PredicateRewriter", piece: SqlFragment, kind: Takes) -> SqlFragment:
    least, most = COUNT_LITERALS[kind]
    number = whole_literal(piece)
    if number is None or not least <= number <= most or (kind == "position" and number == 0):
        message = "rounds to an unknown scale" if kind == "scale" else "passes a number that is not a small literal"
        other = " other than 0" if kind == "position" else ""
        return writer.refuse("argument", message, f"write a whole number from {least} to {most}{other}")
    return piece


def whole_literal(piece: SqlFragment) -> int | None:
    """Return the number that the fragment writes as a literal; None for anything else."""
    return int(piece.sql) if re.fullmatch(r"-?\d{1,9}", piece.sql) else None


def _whole(piece: SqlFragment) -> SqlFragment:
    """Return a count of characters or days as int; a number beyond int is an error."""
    return piece if base(piece.type) in {"tinyint", "smallint", "int"} else read_as(piece, "int")
