"""What a predicate may be made of: every operator, function, type and unit that is not named here is refused.

No name here can read a file, a session or a clock, call foreign code, make a value grow without bound, or aggregate.
"""

from dataclasses import dataclass
from typing import Literal

COMPARISONS = {"EQ": "=", "NEQ": "<>", "GT": ">", "GTE": ">=", "LT": "<", "LTE": "<="}
CONNECTORS = {"And": "AND", "Or": "OR"}
# One bad row must not end a scan: where Spark would raise an error, these give null.
ARITHMETIC = {"Add": "try_add", "Sub": "try_subtract", "Mul": "try_multiply", "Div": "try_divide", "Mod": "try_mod"}
LIKES = {"Like": "LIKE", "ILike": "ILIKE"}
REGEX_FUNCTIONS = frozenset({"rlike", "regexp", "regexp_like"})
# What reads a text as something, and whether its author asked whether it can be read.
CASTING_FUNCTIONS = {
    "to_date": ("DATE", False), "to_timestamp": ("TIMESTAMP", False), "try_to_timestamp": ("TIMESTAMP", True),
    "try_to_date": ("DATE", True), "date": ("DATE", False), "timestamp": ("TIMESTAMP", False),
}  # fmt: skip
TYPES = {
    "BOOLEAN": "BOOLEAN", "TINYINT": "TINYINT", "SMALLINT": "SMALLINT", "INT": "INT", "BIGINT": "BIGINT",
    "FLOAT": "FLOAT", "DOUBLE": "DOUBLE", "DECIMAL": "DECIMAL", "TEXT": "STRING", "DATE": "DATE",
    "TIMESTAMP": "TIMESTAMP", "TIMESTAMPTZ": "TIMESTAMP", "TIMESTAMPNTZ": "TIMESTAMP_NTZ",
}  # fmt: skip
# Intervals of months and of days do not mix, and those of hours make a timestamp of a date.
UNITS = {
    **dict.fromkeys(("YEAR", "MONTH"), "interval month"),
    **dict.fromkeys(("WEEK", "DAY"), "interval day"),
    **dict.fromkeys(("HOUR", "MINUTE", "SECOND"), "interval hour"),
}
TRUNCATED_TO = frozenset({"QUARTER", *UNITS, "MILLISECOND", "MICROSECOND"})
# Spark reads these as functions even where they are quoted like a column.
AMBIENT = frozenset({
    "current_catalog", "current_database", "current_date", "current_schema", "current_time", "current_timestamp",
    "current_user", "localtimestamp", "session_user", "user", "now", "_metadata",
})  # fmt: skip

Takes = Literal["any", "text", "texts", "number", "int", "scale", "date", "moment", "timestamp", "array", "items"]
Null = Literal["strict", "loose", "eager", "together"]


@dataclass(frozen=True, kw_only=True)
class Function:
    """A function that may be called: the type that it yields, or how that follows from its arguments, how many
    arguments it takes and of which kinds (the last kind stands for all further ones), and what null means: `strict`
    where it is null exactly with an argument, `together` where it then evaluates the others nevertheless, `loose`
    where it may be null by itself, `eager` where it may have a value although an argument is null."""

    yields: str
    takes: tuple[Takes, ...]
    least: int
    most: int
    null: Null = "strict"


def _functions(
    yields: str, names: str, *takes: Takes, least: int = 0, most: int = 0, null: Null = "strict"
) -> dict[str, Function]:
    made = Function(yields=yields, takes=takes, least=least or len(takes), most=most or len(takes), null=null)
    return dict.fromkeys(names.split(), made)


FUNCTIONS = {
    **_functions("string", "upper ucase lower lcase trim ltrim rtrim btrim initcap", "text"),
    **_functions("int", "length len char_length character_length octet_length bit_length ascii", "text"),
    **_functions("first", "reverse", "texts"),
    **_functions("double", "sign signum sqrt cbrt exp rint degrees radians sin cos tan atan", "number"),
    **_functions("double", "ln log2 log10 log1p", "number", null="loose"),
    **_functions("whole", "floor ceil ceiling", "number"),
    # Only a scale that is written out and not negative: round(x, -1) can overflow, and there is no form that does not.
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
# Each with a production of its own, and how many arguments it takes.
WRITTEN_OTHERWISE = {
    "if": (3, 3), "nvl2": (3, 3), "coalesce": (1, 20), "nvl": (2, 2), "ifnull": (2, 2), "nullif": (2, 2),
    "abs": (1, 1), "mod": (2, 2), "nanvl": (2, 2), "element_at": (2, 2), "try_element_at": (2, 2), "get": (2, 2),
    "array_contains": (2, 2),
    **dict.fromkeys(ARITHMETIC.values(), (2, 2)),
    "date_trunc": (2, 2), "add_months": (2, 2), "months_between": (2, 2), "zeroifnull": (1, 1), "nullifzero": (1, 1),
}  # fmt: skip
