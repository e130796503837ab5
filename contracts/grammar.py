"""What a predicate may be made of: every operator, function, type and unit that is not named here is refused.

No name here can read a file, a session or a clock, call foreign code, make a value grow without bound, or aggregate.
"""

from typing import Literal

Kind = Literal["boolean", "value", "any"]

COMPARISONS = {"EQ": "=", "NEQ": "<>", "GT": ">", "GTE": ">=", "LT": "<", "LTE": "<=", "NullSafeEQ": "<=>"}
CONNECTORS = {"And": "AND", "Or": "OR"}
# One bad row must not end a scan: where Spark would raise an error, these give null.
ARITHMETIC = {
    "Add": "try_add", "Sub": "try_subtract", "Mul": "try_multiply", "Div": "try_divide", "Mod": "try_mod",
    "DPipe": "concat",
}  # fmt: skip
LIKES = {"Like": "LIKE", "ILike": "ILIKE"}
REGEX_FUNCTIONS = frozenset({"rlike", "regexp", "regexp_like"})
CASTING_FUNCTIONS = {"to_date": "DATE", "to_timestamp": "TIMESTAMP"}
TYPES = {
    "BOOLEAN": "BOOLEAN", "TINYINT": "TINYINT", "SMALLINT": "SMALLINT", "INT": "INT", "BIGINT": "BIGINT",
    "FLOAT": "FLOAT", "DOUBLE": "DOUBLE", "DECIMAL": "DECIMAL", "TEXT": "STRING", "DATE": "DATE",
    "TIMESTAMP": "TIMESTAMP", "TIMESTAMPTZ": "TIMESTAMP", "TIMESTAMPNTZ": "TIMESTAMP_NTZ",
}  # fmt: skip
UNITS = frozenset({"YEAR", "MONTH", "WEEK", "DAY", "HOUR", "MINUTE", "SECOND"})
# Spark reads these as functions even where they are quoted like a column.
AMBIENT = frozenset({
    "current_catalog", "current_database", "current_date", "current_schema", "current_time", "current_timestamp",
    "current_user", "localtimestamp", "session_user", "user", "now", "_metadata",
})  # fmt: skip


def _functions(kind: Kind, least: int, most: int, names: str) -> dict[str, tuple[Kind, int, int]]:
    return dict.fromkeys(names.split(), (kind, least, most))


FUNCTIONS = {
    **_functions(
        "value", 1, 1, "upper lower trim ltrim rtrim length char_length character_length initcap ascii reverse"
    ),
    **_functions("value", 1, 1, "abs sign signum sqrt exp ln log10 size cardinality"),
    **_functions("value", 1, 1, "year quarter month day dayofmonth dayofweek dayofyear weekofyear weekday"),
    **_functions("value", 1, 1, "hour minute second last_day"),
    **_functions("value", 1, 2, "round bround floor ceil ceiling"),
    **_functions("value", 2, 2, "left right instr pow power trunc date_trunc datediff date_diff date_add date_sub"),
    **_functions("value", 2, 2, "add_months months_between try_add try_subtract try_multiply try_divide try_mod"),
    **_functions("value", 2, 3, "substring substr locate"),
    **_functions("value", 3, 3, "translate"),
    **_functions("value", 1, 20, "concat"),
    **_functions("value", 2, 20, "concat_ws"),
    **_functions("any", 1, 20, "coalesce"),
    **_functions("any", 2, 2, "nvl ifnull nullif try_element_at"),
    **_functions("any", 3, 3, "if nvl2"),
    **_functions("any", 2, 20, "greatest least"),
    **_functions("boolean", 1, 1, "isnull isnotnull isnan"),
    **_functions("boolean", 2, 2, "startswith endswith contains array_contains"),
}
