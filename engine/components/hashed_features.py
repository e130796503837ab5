"""Features of a row, in SQL: the tokens of its inputs' string forms, to be hashed into buckets.

After Deequ (VLDB 2018, section 4), which tokenizes and hashes the inputs' strings together; here a token also names the
input that it is of, so that a 10 of sizes is no 10 of prices."""

from collections.abc import Callable, Sequence

from treaty.contracts.predicates.parser import literal
from treaty.engine.components.operands import NUMERIC, TEMPORAL, TEXT, Operand

BUCKETS = 2**20
# One row in so many is held out where columns tell rows apart.
FOLDS = 5
# The feature that counts rows.
ROW = -1

_BETWEEN = literal(r"[^\p{L}\p{M}\p{N}]+")
_DAY = 86_400_000_000
_HOUR = 3_600_000_000


def tokens(operand: Operand) -> str:
    """The tokens of a value, as array<string>, of which there is one at least; for null one that is null.

    Texts in lower case are cut at what is neither letter nor digit. Numbers are themselves and, so that near ones share
    something, a bin half an octave wide. Dates and times are year, month, day of the week and hour, in UTC."""
    missing = "array(cast(null as string))"
    return f"CASE WHEN {operand.sql} IS NULL THEN {missing} ELSE {_written(operand)} END"


def _written(operand: Operand) -> str:
    for types, write in _WRITERS:
        if operand.base_type in types:
            return write(operand)
    return f"array({label(operand)})"


def _words(operand: Operand) -> str:
    return f"split(lower({operand.sql}), {_BETWEEN})"


def _number(operand: Operand) -> str:
    real = operand.real()
    octaves = f"cast(round(2 * log2(abs({real}))) as string)"
    about = f"concat(if({real} < 0, '-~', '~'), coalesce({octaves}, ''))"
    return f"array({label(operand)}, {about})"


def _moment(operand: Operand) -> str:
    micros = operand.micros()
    within = f"pmod({micros}, {_DAY})"
    day = f"date_from_unix_date(cast(({micros} - {within}) div {_DAY} as int))"
    parts = {"y": f"year({day})", "m": f"month({day})", "w": f"weekday({day})", "h": f"{within} div {_HOUR}"}
    return f"array({', '.join(f'concat({literal(name)}, {sql})' for name, sql in parts.items())})"


_WRITERS: Sequence[tuple[frozenset[str], Callable[[Operand], str]]] = (
    (TEXT, _words),
    (NUMERIC, _number),
    (TEMPORAL, _moment),
)


def label(operand: Operand) -> str:
    """The value as one text: the name of a class."""
    return f"cast({operand.canonical()} as string)"


def content(operands: Sequence[Operand]) -> str:
    """64 bits that equal rows share and others do not: one of n distinct rows has another's with n^2 / 2^65."""
    # A null is hashed as nothing at all: beside it stands that it is one.
    parts = (f"isnull({each.sql}), {each.canonical()}" for each in operands)
    return f"xxhash64({', '.join(parts)})"


def held_out(operands: Sequence[Operand]) -> str:
    """Whether a row is among the fifth that is judged: rows with equal values of these columns always are together."""
    return f"pmod({content(operands)}, {FOLDS}) = 0"


def split_arguments(operands: Sequence[Operand], held: int) -> tuple[Operand, Sequence[Operand], Sequence[Operand]]:
    """The target, its inputs, and the last `held`: what rows are held out by."""
    last = len(operands) - held
    return operands[0], operands[1:last], operands[last:]


def describe_features(target: Operand, inputs: Sequence[Operand], held: Sequence[Operand]) -> str:
    """What is read, in words that name every column."""
    names = ", ".join(each.sql for each in inputs)
    apart = f" held out by ({', '.join(each.sql for each in held)})" if held else ""
    return f"tokens of ({names}) by {target.sql}{apart}"
