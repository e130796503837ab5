"""How a column of some Spark type is written in SQL: exact for sums, canonical for counting, ordered for extremes."""

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
    # -0.0 + 0.0 is 0.0, so both zeros count as one value; every NaN prints as 'NaN'.
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


# The columns of the one row that holds the key of a dataset's hashes, padded as its two rounds need it. The key itself
# is in no SQL: a plan names columns, not what they hold.
KEY_COLUMNS = ("treaty_key_within", "treaty_key_around")


@dataclass(frozen=True, kw_only=True)
class Operand:
    """A SQL expression and the Spark type it has (simple string).

    `errs`: SQL, never null, true for the rows for which the expression cannot be evaluated; None: it always can.
    `classified`: the contract classifies the column or field that it is. `is_hashed`: it is counted by keyed hashes of
    its values."""

    sql: str
    type: str
    errs: str | None = None
    classified: bool = False
    is_hashed: bool = False

    @property
    def base_type(self) -> str:
        """The type's first word; 'interval' for intervals of whatever units."""
        if self.type.lower().startswith("interval"):
            return "interval"
        return re.split(r"[(<]", self.type, maxsplit=1)[0].strip().lower()

    def exact(self) -> str:
        """For sums that neither overflow nor lose digits: longs and decimals as decimal(38,s), floats as double."""
        if self.base_type == "decimal":
            return f"cast({self.sql} as decimal(38,{self.scale}))"
        return _EXACT[self.base_type].format(self.sql)

    def canonical(self) -> str:
        """One encoding (string or bigint) for equal values: one zero, one NaN, timestamps as microseconds.

        Decimals keep their column's scale, text is compared byte for byte (no Unicode normalisation)."""
        return hashed(self.uncovered()) if self.is_hashed else self.uncovered()

    def uncovered(self) -> str:
        """The canonical encoding of the values themselves, keyed or not."""
        return _CANONICAL.get(self.base_type, "cast({0} as string)").format(self.sql)

    def real(self) -> str:
        """As a double; dates and timestamps as microseconds since 1970 (exact up to 2^53: the year 2255)."""
        return _REAL.get(self.base_type, "cast({0} as double)").format(self.sql)

    def sortable(self) -> str:
        """For extremes: timestamps as whole microseconds, so that no session time zone shifts them."""
        return _SORTABLE.get(self.base_type, "{0}").format(self.sql)

    def micros(self) -> str:
        """A date or time as whole microseconds since 1970: dates begin, and times without a zone are, in UTC."""
        return _MICROS[self.base_type].format(self.sql)

    @property
    def scale(self) -> int:
        """How many decimal places a decimal has; 0 for other types."""
        found = re.fullmatch(r"decimal\(\s*\d+\s*,\s*(\d+)\s*\)", self.type.strip().lower())
        return int(found.group(1)) if found else 0


def hashed(sql: str) -> str:
    """The first 128 bits of the HMAC-SHA-256 (RFC 2104) of a text or whole number, as 32 hex digits; null for null.

    Two values of n share one with a probability of n^2 / 2^129."""
    within, around = KEY_COLUMNS
    inner = f"unhex(sha2(concat({within}, cast(cast({sql} as string) as binary)), 256))"
    return f"left(sha2(concat({around}, {inner}), 256), 32)"
