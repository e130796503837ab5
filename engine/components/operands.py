"""SQL expressions of columns by Spark type: exact for sums, canonical for counting, sortable for extremes."""

import re
from dataclasses import dataclass

INTEGRAL = frozenset({"tinyint", "smallint", "int", "bigint"})
FRACTIONAL = frozenset({"float", "double"})
NUMERIC = INTEGRAL | FRACTIONAL | {"decimal"}
TEXT = frozenset({"string", "char", "varchar"})
TEMPORAL = frozenset({"date", "timestamp", "timestamp_ntz"})
ORDERED = NUMERIC | TEXT | TEMPORAL | {"boolean"}
COUNTABLE = ORDERED | {"binary"}
ANY = COUNTABLE | {"array", "map", "struct", "variant", "time", "interval", "void"}

_EXACT = {
    **dict.fromkeys(INTEGRAL, "cast({0} as decimal(38,0))"),
    **dict.fromkeys(FRACTIONAL, "cast({0} as double)"),
}
_CANONICAL = {
    **dict.fromkeys(INTEGRAL, "cast({0} as bigint)"),
    # -0.0 + 0.0 is 0.0, so both zeros count as one value; every NaN is printed as 'NaN'.
    **dict.fromkeys(FRACTIONAL, "cast({0} + cast(0 as double) as string)"),
    "timestamp": "unix_micros({0})",
    "binary": "base64({0})",
}
_REAL = {
    "date": "cast(unix_date({0}) as double) * 86400000000",
    "timestamp": "cast(unix_micros({0}) as double)",
    "timestamp_ntz": "cast(timestampdiff(MICROSECOND, timestamp_ntz'1970-01-01 00:00:00', {0}) as double)",
}
_SORTABLE = {
    "timestamp": "unix_micros({0})",
    "timestamp_ntz": "timestampdiff(MICROSECOND, timestamp_ntz'1970-01-01 00:00:00', {0})",
}
_MICROS = {**_SORTABLE, "date": "unix_date({0}) * 86400000000"}


# Columns of the one-row table with the key of a dataset's hashes, padded for its two rounds. The key itself is not in
# the SQL: a query plan shows the names of columns, not their values.
KEY_COLUMNS = ("treaty_key_within", "treaty_key_around")


@dataclass(frozen=True, kw_only=True)
class Operand:
    """A SQL expression with its Spark type (simple string).

    `errs`: SQL, never null, that is true for the rows for which the expression cannot be evaluated; None means it
    always can. `classified`: the contract classifies the column or field. `is_hashed`: values are counted by keyed
    hashes."""

    sql: str
    type: str
    errs: str | None = None
    classified: bool = False
    is_hashed: bool = False

    @property
    def base_type(self) -> str:
        """Return the type's first word; 'interval' for every interval type."""
        if self.type.lower().startswith("interval"):
            return "interval"
        return re.split(r"[(<]", self.type, maxsplit=1)[0].strip().lower()

    def exact(self) -> str:
        """Return SQL for sums that neither overflow nor lose digits.

        Integers and decimals become decimal(38,s), floats double."""
        if self.base_type == "decimal":
            return f"cast({self.sql} as decimal(38,{self.scale}))"
        return _EXACT[self.base_type].format(self.sql)

    def canonical(self) -> str:
        """Return SQL (string or bigint) with equal results for equal values, keyed if `is_hashed`.

        There is one zero and one NaN, and timestamps are microseconds. Decimals keep their column's scale, text is
        compared byte for byte (no Unicode normalization)."""
        return hashed(self.uncovered()) if self.is_hashed else self.uncovered()

    def uncovered(self) -> str:
        """Return the canonical SQL of the values themselves, even if `is_hashed`."""
        return _CANONICAL.get(self.base_type, "cast({0} as string)").format(self.sql)

    def real(self) -> str:
        """Return SQL of the value as a double; dates and timestamps as microseconds since 1970.

        Exact up to 2^53: the year 2255."""
        return _REAL.get(self.base_type, "cast({0} as double)").format(self.sql)

    def sortable(self) -> str:
        """Return SQL for extremes: timestamps as whole microseconds, so that no session time zone shifts them."""
        return _SORTABLE.get(self.base_type, "{0}").format(self.sql)

    def micros(self) -> str:
        """Return SQL of a date or time as whole microseconds since 1970.

        Dates are 00:00 UTC; times without a zone are in UTC."""
        return _MICROS[self.base_type].format(self.sql)

    @property
    def scale(self) -> int:
        """Return the number of decimal places of a decimal; 0 for other types."""
        parsed = re.fullmatch(r"decimal\(\s*\d+\s*,\s*(\d+)\s*\)", self.type.strip().lower())
        return int(parsed.group(1)) if parsed else 0


def hashed(sql: str) -> str:
    """Return SQL of the keyed hash of a text or integer; null for null.

    The first 128 bits of HMAC-SHA-256 (RFC 2104) as 32 hex digits. Among n values a collision has probability n^2 /
    2^129."""
    within, around = KEY_COLUMNS
    inner = f"unhex(sha2(concat({within}, cast(cast({sql} as string) as binary)), 256))"
    return f"left(sha2(concat({around}, {inner}), 256), 32)"
