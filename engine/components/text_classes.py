"""Classify the values of a text column by the type that they parse as.

All classes are counted in one pass."""

from typing import Any

from treaty.contracts.predicates.parser import literal
from treaty.engine.components.base import Component, CountComponent, Retention
from treaty.engine.components.operands import ANY, FRACTIONAL, INTEGRAL, TEXT, Operand

CLASSES = ("integer", "decimal", "fractional", "boolean", "date", "timestamp", "other")
PLAIN = "[+-]?[0-9]+[.]?[0-9]*"
NUMBER = "[+-]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][+-]?[0-9]+)?"
TIME = "([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9]([.][0-9]{1,9})?)?(Z|[+-](0[0-9]|1[0-4]):?[0-5][0-9])?"
MOMENT = f"[0-9]{{4}}-[0-9]{{2}}-[0-9]{{2}}[T ]{TIME}"
_TYPED = {
    **dict.fromkeys(INTEGRAL, "integer"),
    **dict.fromkeys(FRACTIONAL, "fractional"),
    "decimal": "decimal",
    "boolean": "boolean",
    "date": "date",
    "timestamp": "timestamp",
    "timestamp_ntz": "timestamp",
}


class TypeCounts(Component):
    """Number of non-null values by class of CLASSES: (integer, decimal, ...).

    All values of a typed column are of one class."""

    kind = "type_counts"
    accepts = ANY
    retention = Retention.NOTHING
    zero = (0,) * len(CLASSES)

    def aggregates(self, operands: tuple[Operand, ...]) -> tuple[str, ...]:
        column = operands[0]
        if column.base_type not in TEXT:
            return (f"count({column.sql})",)
        # `greatest` keeps the optimizer from moving each comparison into the CASE; this way all aggregates share one
        # classification of a value. For the same reason the aggregate is count(CASE ..), which Spark evaluates once.
        classified = f"greatest({class_of(column)}, -1)"
        return tuple(f"count(CASE WHEN {classified} = {at} THEN 1 END)" for at in range(len(CLASSES)))

    def packed_digit(self, operands: tuple[Operand, ...]) -> str | None:
        column = operands[0]
        return (
            f"coalesce({class_of(column)} + 1, 0)"
            if column.base_type in TEXT
            else CountComponent().packed_digit(operands)
        )

    def read(self, row: tuple[Any, ...], operands: tuple[Operand, ...]) -> Any:
        if operands[0].base_type in TEXT:
            return tuple(row)
        return tuple(row[0] if at == _typed(operands[0]) else 0 for at in range(len(CLASSES)))

    def merge(self, left: tuple[int, ...], right: tuple[int, ...]) -> tuple[int, ...]:
        return tuple(a + b for a, b in zip(left, right, strict=True))


def _typed(column: Operand) -> int:
    name = "integer" if column.type.replace(" ", "").endswith(",0)") else _TYPED.get(column.base_type, "other")
    return CLASSES.index(name)


def class_of(column: Operand) -> str:
    """Return SQL of the position in CLASSES of a value's class; null for null.

    Most texts are classified by comparison, search and a cast to a date; a number costs one regular expression.
    `try_cast` to a number would be cheaper for numbers and a hundred times as expensive for everything else, because
    it throws in Java."""
    if column.base_type not in TEXT:
        return str(_typed(column))
    sql = column.sql
    boolean, other = map(CLASSES.index, ("boolean", "other"))
    return (
        f"CASE WHEN {sql} IS NULL THEN NULL "
        f"WHEN NOT ({_begins(sql)}) THEN CASE WHEN {_word(sql)} THEN {boolean} ELSE {other} END "
        f"WHEN instr({sql}, '-') = 5 AND substr({sql}, 8, 1) = '-' THEN {_moment(sql)} ELSE {_number(sql)} END"
    )


def begins(sql: str) -> str:
    """Return cheap SQL that is false if a text is certainly of the last class; null for null."""
    return f"{_begins(sql)} OR {_word(sql)}"


def _begins(sql: str) -> str:
    """Return SQL that is true if a text begins like a number or a date."""
    return f"{sql} >= '+' AND {sql} < ':'"


def _word(sql: str) -> str:
    """Return SQL that is true if a text is a boolean."""
    return f"octet_length({sql}) IN (4, 5) AND lower({sql}) IN ('true', 'false')"


def _moment(sql: str) -> str:
    """Return SQL of the class of a text with hyphens like a date."""
    date, timestamp, other = map(CLASSES.index, ("date", "timestamp", "other"))
    return (
        f"CASE WHEN NOT coalesce(try_cast(substr({sql}, 1, 10) AS DATE) >= DATE'0001-01-01', false) THEN {other} "
        f"WHEN octet_length({sql}) = 10 AND substr({sql}, 10, 1) BETWEEN '0' AND '9' THEN {date} "
        f"WHEN {_whole(sql, MOMENT)} THEN {timestamp} ELSE {other} END"
    )


def _number(sql: str) -> str:
    """Return SQL of the class of a text that begins like a number; most need one short regular expression."""
    integer, decimal, fractional, other = map(CLASSES.index, ("integer", "decimal", "fractional", "other"))
    return (
        f"CASE WHEN {_whole(sql, PLAIN)} THEN CASE WHEN contains({sql}, '.') THEN {decimal} ELSE {integer} END "
        f"WHEN NOT {_whole(sql, NUMBER)} THEN {other} "
        f"WHEN contains({sql}, 'e') OR contains({sql}, 'E') THEN {fractional} ELSE {decimal} END"
    )


def _whole(sql: str, pattern: str) -> str:
    matched = literal(rf"\A(?:{pattern})\z")
    return f"{sql} RLIKE {matched}"
