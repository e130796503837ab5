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
    "try_to_date": ("DATE", True), "to_timestamp_ntz": ("TIMESTAMP_NTZ", False),
    **{each: (each.upper(), False) for each in (
        "date", "timestamp", "string", "boolean", "tinyint", "smallint", "int", "bigint", "float", "double", "decimal",
    )},
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
# Intervals of several fields: the pattern of their text, and their type.
SPANS = {
    ("YEAR", "MONTH"): (r"-?\d{1,4}-\d{1,2}", "interval month"),
    ("DAY", "HOUR"): (r"-?\d{1,6} \d{1,2}", "interval hour"),
    ("DAY", "MINUTE"): (r"-?\d{1,6} \d{1,2}:\d{2}", "interval hour"),
    ("DAY", "SECOND"): (r"-?\d{1,6} \d{1,2}:\d{2}:\d{2}", "interval hour"),
    ("HOUR", "MINUTE"): (r"-?\d{1,2}:\d{2}", "interval hour"),
    ("HOUR", "SECOND"): (r"-?\d{1,2}:\d{2}:\d{2}", "interval hour"),
    ("MINUTE", "SECOND"): (r"-?\d{1,2}:\d{2}", "interval hour"),
}
TRUNCATED_TO = frozenset({"QUARTER", *UNITS, "MILLISECOND", "MICROSECOND"})
# Units of a difference of two timestamps, and of a sum; those of microseconds could overflow.
DIFFERENCES = frozenset({"QUARTER", *UNITS, "MILLISECOND"})
# Fields of a date or timestamp: what the argument is cast to, and the type of the field.
_DATE_FIELDS = "YEAR YEAROFWEEK QUARTER MONTH WEEK DAY DAYOFWEEK DOW DAYOFWEEK_ISO DOW_ISO DOY"
FIELDS: dict[str, tuple["Takes", str]] = {
    **dict.fromkeys(_DATE_FIELDS.split(), ("date", "int")),
    "HOUR": ("timestamp", "int"), "MINUTE": ("timestamp", "int"), "SECOND": ("timestamp", "decimal"),
}  # fmt: skip
_WEEKDAYS = ["SUNDAY", "MONDAY", "TUESDAY", "WEDNESDAY", "THURSDAY", "FRIDAY", "SATURDAY"]
WEEKDAYS = frozenset(name[:letters] for name in _WEEKDAYS for letters in (2, 3, len(name)))
# Operators on the bits of whole numbers.
BITWISE = {"BitwiseAnd": "&", "BitwiseOr": "|", "BitwiseXor": "^"}
SHIFTS = {"BitwiseLeftShift": "shiftleft", "BitwiseRightShift": "shiftright"}
_CLOCK = "compare with a column, or check freshness: no predicate may depend on when it runs"
_AGGREGATE = "write a check of type sql: SELECT count(*) FROM {object} WHERE ..."
_LAMBDAS = "write exists, forall, filter or transform"
# What to write instead of functions and constructs that cannot be admitted.
INSTEAD = {
    **dict.fromkeys(("current_date", "current_timestamp", "now", "curdate", "localtimestamp"), _CLOCK),
    **dict.fromkeys(("current date", "current timestamp", "current time", "localtime"), _CLOCK),
    **dict.fromkeys(("sum", "count", "avg", "mean", "min", "max", "count_if", "stddev", "percentile"), _AGGREGATE),
    **dict.fromkeys(("window", "select", "subquery", "exists"), _AGGREGATE),
    **dict.fromkeys(("aggregate", "reduce", "zip_with", "any_match", "lambda"), _LAMBDAS),
    **dict.fromkeys(("from_utc_timestamp", "to_utc_timestamp", "convert_timezone", "at time zone"),
                    "add an interval: rules of time zones change with the Java version"),
    "parse_url": "write try_parse_url(x, 'HOST')", "validate_utf8": "write is_valid_utf8(x)",
    "array": "write get(array(a, b), 0)", "tuple": "compare one by one, a = 1 AND b = 2, or write (a, b) IN ((1, 2))",
    "hex string": "write a decimal number",
    "format_string": "write concat", "printf": "write concat", "assert_true": "write the condition itself",
    "struct": "compare the values one by one", "named_struct": "compare the values one by one",
}  # fmt: skip
# Spark treats these as functions even if they are quoted like a column.
AMBIENT = frozenset({
    "current_catalog", "current_database", "current_date", "current_schema", "current_time", "current_timestamp",
    "current_user", "localtimestamp", "session_user", "user", "now", "_metadata",
})  # fmt: skip

# `constant`, `separator` and `path` are literal texts, `count`, `position` and `size` literal whole numbers.
Takes = Literal[
    "any", "scalar", "text", "texts", "bytes", "number", "int", "whole", "scale", "date", "moment", "timestamp",
    "array", "items", "map", "constant", "separator", "path", "count", "position", "size",
]  # fmt: skip
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
    **_functions("string", "upper ucase lower lcase trim initcap", "text"),
    **_functions("string", "soundex make_valid_utf8", "text"),
    **_functions("string", "try_validate_utf8", "text", null="loose"),
    **_functions("boolean", "is_valid_utf8 luhn_check", "text"),
    **_functions("string", "md5 sha sha1", "bytes"),
    **_functions("bigint", "crc32", "bytes"),
    **_functions("int", "hash", "scalar", most=20, null="eager"),
    **_functions("bigint", "xxhash64", "scalar", most=20, null="eager"),
    **_functions("binary", "unhex", "text", null="loose"),
    **_functions("string", "chr char", "size"),
    **_functions("string", "lpad rpad", "text", "size", "constant", least=2),
    **_functions("string", "overlay", "text", "text", "position", "count", least=3),
    **_functions("string", "substring_index", "text", "constant", "count"),
    **_functions("string", "split_part", "text", "constant", "position"),
    **_functions("int", "find_in_set", "text", "text"),
    **_functions("string", "get_json_object", "text", "path", null="loose"),
    **_functions("string", "try_parse_url", "text", "constant", null="loose"),
    **_functions("int", "length len char_length character_length octet_length bit_length ascii", "text"),
    **_functions("first", "reverse", "texts"),
    **_functions("double", "sign signum sqrt cbrt exp rint degrees radians sin cos tan atan", "number"),
    **_functions("double", "asin acos sinh cosh tanh asinh acosh atanh cot sec csc expm1", "number"),
    **_functions("double", "atan2 hypot", "number", "number"),
    **_functions("double", "log", "number", "number", least=1, null="loose"),
    **_functions("double", "ln log2 log10 log1p", "number", null="loose"),
    **_functions("int", "bit_count", "whole"),
    **_functions("double", "pow power", "number", "number"),
    **_functions("int", "year quarter month day dayofmonth dayofweek dayofyear weekofyear weekday unix_date", "date"),
    **_functions("string", "dayname monthname", "date"),
    **_functions("int", "hour minute second", "timestamp"),
    **_functions("date", "last_day", "date"),
    **_functions("date", "trunc", "date", "text", null="loose"),
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
    **_functions("int", "array_size", "array"),
    **_functions("first", "array_distinct array_compact", "array"),
    **_functions("first", "slice", "array", "position", "size"),
    **_functions("string", "array_join", "array", "separator", "separator", least=2),
    **_functions("keys", "map_keys", "map"),
    **_functions("values", "map_values", "map"),
    **_functions("element", "array_min array_max", "array", null="loose"),
}
# Functions with a production of their own, and their minimum and maximum number of arguments.
WRITTEN_OTHERWISE = {
    "if": (3, 3), "nvl2": (3, 3), "coalesce": (1, 20), "nvl": (2, 2), "ifnull": (2, 2), "nullif": (2, 2),
    "abs": (1, 1), "mod": (2, 2), "nanvl": (2, 2), "element_at": (2, 2), "try_element_at": (2, 2), "get": (2, 2),
    **dict.fromkeys(ARITHMETIC.values(), (2, 2)),
    "date_trunc": (2, 2), "add_months": (2, 2), "months_between": (2, 3), "zeroifnull": (1, 1), "nullifzero": (1, 1),
    "equal_null": (2, 2), "decode": (3, 20), "positive": (1, 1), "negative": (1, 1),
    **dict.fromkeys(("floor", "ceil", "ceiling", "round", "bround"), (1, 2)), "pmod": (2, 2), "div": (2, 2),
    **dict.fromkeys(("shiftleft", "shiftright", "shiftrightunsigned", "getbit"), (2, 2)), "pi": (0, 0), "e": (0, 0),
    **dict.fromkeys(("ltrim", "rtrim", "btrim"), (1, 2)), "replace": (2, 3), "repeat": (2, 2), "space": (1, 1),
    "hex": (1, 1), "sha2": (2, 2), "levenshtein": (2, 2),
    "regexp_extract": (2, 3), "regexp_extract_all": (2, 3), "regexp_replace": (3, 3), "split": (2, 3),
    **dict.fromkeys(("regexp_count", "regexp_substr", "regexp_instr", "like", "ilike"), (2, 2)),
    "to_number": (2, 2), "try_to_number": (2, 2),
    **dict.fromkeys(("datediff", "date_diff", "date_add", "dateadd"), (2, 3)), "date_sub": (2, 2),
    **dict.fromkeys(("timestampdiff", "timestampadd"), (3, 3)), **dict.fromkeys(("date_part", "datepart"), (2, 2)),
    "next_day": (2, 2), "make_date": (3, 3), "date_format": (2, 2), "from_unixtime": (1, 2),
    **dict.fromkeys(("unix_timestamp", "to_unix_timestamp"), (1, 2)),
    **dict.fromkeys(("unix_seconds", "unix_millis", "unix_micros"), (1, 1)),
    **dict.fromkeys(("timestamp_seconds", "timestamp_millis", "timestamp_micros"), (1, 1)),
    "array": (0, 100), "size": (1, 1), "cardinality": (1, 1),
    "sort_array": (1, 2), "array_sort": (1, 1), "map_contains_key": (2, 2),
    **dict.fromkeys(("array_contains", "array_position", "array_remove", "array_append", "array_prepend"), (2, 2)),
    **dict.fromkeys(("arrays_overlap", "array_except", "array_intersect", "array_union"), (2, 2)),
    **dict.fromkeys(("exists", "forall", "filter", "transform", "map_filter"), (2, 2)),
}  # fmt: skip
