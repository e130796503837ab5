"""Which type the values of a text column read as: one classification of each value, counted in one pass."""

from typing import Any

from contracts.predicates import literal
from engine.analyzers.components import Component
from engine.analyzers.quoting import ANY, FRACTIONAL, INTEGRAL, TEXT, Operand

CLASSES = ("integer", "decimal", "fractional", "boolean", "date", "timestamp", "other")
DAY = "[0-9]{4}-[0-9]{2}-[0-9]{2}"
TIME = "([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9]([.][0-9]{1,9})?)?(Z|[+-](0[0-9]|1[0-4]):?[0-5][0-9])?"
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
    """How many non-null values read as each of CLASSES: (integer, decimal, ...). Of a typed column all are of one."""

    kind = "type_counts"
    accepts = ANY
    zero = (0,) * len(CLASSES)

    def aggregates(self, operands: tuple[Operand, ...]) -> tuple[str, ...]:
        column = operands[0]
        if column.base_type not in TEXT:
            return (f"count({column.sql})",)
        # `greatest` keeps the optimizer from drawing each comparison into the CASE: as they stand, all aggregates share
        # one classification of a value. For the same reason it is count(CASE ..), which Spark evaluates once.
        found = f"greatest({class_of(column)}, -1)"
        return tuple(f"count(CASE WHEN {found} = {at} THEN 1 END)" for at in range(len(CLASSES)))

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
    """The place of a value's class in CLASSES, as SQL; null for null.

    Most texts are told by their first character and their length, and no regular expression sees them."""
    if column.base_type not in TEXT:
        return str(_typed(column))
    sql, other = column.sql, CLASSES.index("other")
    return (
        f"CASE WHEN {sql} IS NULL THEN NULL "
        f"WHEN ascii({sql}) BETWEEN ascii('+') AND ascii('9') THEN {_of_digits(sql)} "
        f"WHEN octet_length({sql}) IN (4, 5) AND lower({sql}) IN ('true', 'false') THEN {CLASSES.index('boolean')} "
        f"ELSE {other} END"
    )


def _of_digits(sql: str) -> str:
    number = "[+-]?([0-9]+[.]?[0-9]*|[.][0-9]+)"
    real = f"substr({sql}, 1, 4) <> '0000' AND try_cast(substr({sql}, 1, 10) AS DATE) IS NOT NULL"
    times = _first(sql, (DAY, "date", real), (f"{DAY}[T ]{TIME}", "timestamp", real))
    exponent = f"{number}[eE][+-]?[0-9]+"
    numbers = _first(sql, ("[+-]?[0-9]+", "integer"), (number, "decimal"), (exponent, "fractional"))
    return f"CASE WHEN substr({sql}, 5, 1) = '-' AND substr({sql}, 8, 1) = '-' THEN {times} ELSE {numbers} END"


def _first(sql: str, *forms: tuple[str, ...]) -> str:
    """The class of the first form that the whole text has and whose further conditions it keeps."""
    whens = []
    for pattern, name, *conditions in forms:
        whole = rf"\A(?:{pattern})\z"
        kept = " AND ".join([f"{sql} RLIKE {literal(whole)}", *conditions])
        whens.append(f"WHEN {kept} THEN {CLASSES.index(name)}")
    return f"CASE {' '.join(whens)} ELSE {CLASSES.index('other')} END"
