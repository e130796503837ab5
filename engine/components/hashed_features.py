"""Hashed features of a row, in SQL: the tokens of its inputs' string forms.

After Deequ (VLDB 2018, section 4), which tokenizes and hashes the strings of all inputs together. Here a token also
contains its input, so that a 10 in sizes differs from a 10 in prices."""

from collections.abc import Callable, Sequence

from treaty.contracts.predicates.parser import literal
from treaty.engine.components.operands import NUMERIC, TEMPORAL, TEXT, Operand

BUCKETS = 2**20
# With `split_by`, one of FOLDS rows is held out.
FOLDS = 5
# The feature that counts rows instead of tokens.
ROW = -1

_BETWEEN = literal(r"[^\p{L}\p{M}\p{N}]+")
_DAY = 86_400_000_000
_HOUR = 3_600_000_000


def tokens(operand: Operand) -> str:
    """Return the tokens of a value as array<string> with at least one element; for null, one null.

    Texts are lower-cased and split at everything that is neither letter nor digit. Numbers give themselves and a bin
    half an octave wide, so that close numbers share a token. Dates and times give year, month, day of the week and
    hour, in UTC."""
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
    """Return the value as one text: the name of its class."""
    return f"cast({operand.canonical()} as string)"


def content(operands: Sequence[Operand]) -> str:
    """Return a 64-bit hash of the operands.

    Equal rows have equal hashes; among n distinct rows a collision has probability n^2 / 2^65."""
    # xxhash64 skips nulls, so a flag for null is hashed too.
    parts = (f"isnull({each.sql}), {each.canonical()}" for each in operands)
    return f"xxhash64({', '.join(parts)})"


def held_out(operands: Sequence[Operand]) -> str:
    """Return whether a row is in the fifth that is evaluated, as SQL.

    Rows with equal values of these columns always fall on the same side."""
    return f"pmod({content(operands)}, {FOLDS}) = 0"


def split_arguments(
    operands: Sequence[Operand], held_count: int
) -> tuple[Operand, Sequence[Operand], Sequence[Operand]]:
    """Split the operands into the target, its inputs, and the last `held_count`: the columns to hold out by."""
    last = len(operands) - held_count
    return operands[0], operands[1:last], operands[last:]


def describe_features(target: Operand, inputs: Sequence[Operand], operands: Sequence[Operand]) -> str:
    """Return a description of the features that names every column."""
    names = ", ".join(each.sql for each in inputs)
    split = f" held out by ({', '.join(each.sql for each in operands)})" if operands else ""
    return f"tokens of ({names}) by {target.sql}{split}"
