"""The grammar of predicates: operators, functions, types and units that are not listed here are rejected.

None of them can read a file, a session or a clock, call foreign code, make a value grow without bound, or aggregate."""

from dataclasses import dataclass
from typing import Literal

COMPARISONS = {"EQ": "=", "NEQ": "<>", "GT": ">", "GTE": ">=", "LT": "<", "LTE": "<="}
CONNECTORS = {"And": "AND", "Or": "OR"}
# A single bad row must not fail a scan: these return null where Spark would raise an error.
ARITHMETIC = {"Add": "try_add", "Sub": "try_subtract", "Mul": "try_multiply", "Div": "try_divide", "Mod": "try_mod"}
LIKES = {"Like": "LIKE", "ILike": "ILIKE"}
REGEX_FUNCTIONS = frozenset({"rlike", "regexp", "regexp_like"})
# Functions that cast a text: the target type, and whether a failed cast is null rather than an error.
CASTING_FUNCTIONS = {
    "to_date": ("DATE", False), "to_timestamp": ("TIMESTAMP", False), "try_to_timestamp": ("TIMESTAMP", True),
    "try_to_date": ("DATE", True), "date": ("DATE", False), "timestamp": ("TIMESTAMP", False),
}  # fmt: skip
TYPES = {
    "BOOLEAN": "BOOLEAN", "TINYINT": "TINYINT", "SMALLINT": "SMALLINT", "INT": "INT", "BIGINT": "BIGINT",
    "FLOAT": "FLOAT", "DOUBLE": "DOUBLE", "DECIMAL": "DECIMAL", "TEXT": "STRING", "DATE": "DATE",
    "TIMESTAMP": "TIMESTAMP", "TIMESTAMPTZ": "TIMESTAMP", "TIMESTAMPNTZ": "TIMESTAMP_NTZ",
}  # fmt: skip
# Intervals of months and of days cannot be combined; intervals of hours turn a date into a timestamp.
UNITS = {
    **dict.fromkeys(("YEAR", "MONTH"), "interval month"),
    **dict.fromkeys(("WEEK", "DAY"), "interval day"),
    **dict.fromkeys(("HOUR", "MINUTE", "SECOND"), "interval hour"),
}
TRUNCATED_TO = frozenset({"QUARTER", *UNITS, "MILLISECOND", "MICROSECOND"})
# Spark treats these as functions even if they are quoted like a column.
AMBIENT = frozenset({
    "current_catalog", "current_database", "current_date", "current_schema", "current_time", "current_timestamp",
    "current_user", "localtimestamp", "session_user", "user", "now", "_metadata",
})  # fmt: skip

Takes = Literal["any", "text", "texts", "number", "int", "scale", "date", "moment", "timestamp", "array", "items"]
Null = Literal["strict", "loose", "eager", "together"]


@dataclass(frozen=True, kw_only=True)
class Function:
    """The signature of an allowed function.

    `yields`: its result type, or how that follows from the arguments. `takes`: kinds of the arguments; the last kind
    applies to all further ones. `least`, `most`: number of arguments. `null`: null semantics. `strict`: null exactly if
    an argument is. `together`: as strict, but all arguments are evaluated. `loose`: may be null for other reasons.
    `eager`: may have a value although an argument is null."""

    yields: str
    takes: tuple[Takes, ...]
    least: int
    most: int
    null: Null = "strict"


def _functions(
    yields: str, names: str, *takes: Takes, least: int = 0, most: int = 0, null: Null = "strict"
) -> dict[str, Function]:
    signature = Function(yields=yields, takes=takes, least=least or len(takes), most=most or len(takes), null=null)
    return dict.fromkeys(names.split(), signature)


FUNCTIONS = {
    **_functions("string", "upper ucase lower lcase trim ltrim rtrim btrim initcap", "text"),
    **_functions("int", "length len char_length character_length octet_length bit_length ascii", "text"),
    **_functions("first", "reverse", "texts"),
    **_functions("double", "sign signum sqrt cbrt exp rint degrees radians sin cos tan atan", "number"),
    **_functions("double", "ln log2 log10 log1p", "number", null="loose"),
    **_functions("whole", "floor ceil ceiling", "number"),
    # The scale must be a non-negative literal: round(x, -1) can overflow, and it has no safe form.
    **_functions("first", "round bround", "number", "scale", least=1),
    **_functions("double", "pow power", "number", "number"),
    **_functions("int", "year quarter month day dayofmonth dayofweek dayofyear weekofyear weekday", "date"),
    **_functions("string", "dayname monthname", "date"),
    **_functions("int", "hour minute second", "timestamp"),
    **_functions("date", "last_day", "date"),
    **_functions("date", "trunc", "date", "text", null="loose"),
    **_functions("int", "datediff date_diff", "date", "date"),
    **_functions("date", "date_add date_sub", "date", "int"),
    **_functions("string", "left right", "text", "int"),
    **_functions("int", "instr", "text", "text"),
    **_functions("int", "locate position", "text", "text", "int", least=2, null="eager"),
    **_functions("string", "substring substr", "text", "int", "int", least=2),
    **_functions("string", "translate", "text", "text", "text"),
    **_functions("joined", "concat", "texts", least=1, most=20, null="together"),
    **_functions("string", "concat_ws", "text", "texts", most=20, null="eager"),
    **_functions("common", "greatest least", "any", least=2, most=20, null="eager"),
    **_functions("boolean", "isnull isnotnull", "any", null="eager"),
    **_functions("boolean", "isnan", "number", null="eager"),
    **_functions("boolean", "startswith endswith contains", "text", "text"),
    **_functions("int", "size cardinality", "items", null="eager"),
    **_functions("int", "array_size", "array"),
    **_functions("first", "array_distinct", "array"),
    **_functions("element", "array_min array_max", "array", null="loose"),
}
# Functions with a production of their own, and their minimum and maximum number of arguments.
WRITTEN_OTHERWISE = {
    "if": (3, 3), "nvl2": (3, 3), "coalesce": (1, 20), "nvl": (2, 2), "ifnull": (2, 2), "nullif": (2, 2),
    "abs": (1, 1), "mod": (2, 2), "nanvl": (2, 2), "element_at": (2, 2), "try_element_at": (2, 2), "get": (2, 2),
    "array_contains": (2, 2),
    **dict.fromkeys(ARITHMETIC.values(), (2, 2)),
    "date_trunc": (2, 2), "add_months": (2, 2), "months_between": (2, 2), "zeroifnull": (1, 1), "nullifzero": (1, 1),
}  # fmt: skip
