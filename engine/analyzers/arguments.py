"""Define the argument types of analyzers: columns, conditions, values, bounds, patterns and units."""

from enum import Enum
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, AliasChoices, BeforeValidator, Field

from treaty.contracts.errors import suggest_nearest
from treaty.contracts.limits.safe_regex import UnsafeRegex, inspect_regex
from treaty.contracts.predicates import parser
from treaty.engine.analyzers.named_formats import FORMATS


class ArgumentRole(Enum):
    """The kind of object that an argument names. It decides how the argument is bound to a table."""

    COLUMN = "column"
    PREDICATE = "predicate"
    DATASET = "dataset"


ColumnName = Annotated[
    str,
    Field(min_length=1, description="a column; `a.b` for a nested field, `a.b` in backticks for a dotted name"),
    ArgumentRole.COLUMN,
]
ColumnNames = Annotated[
    tuple[str, ...],
    BeforeValidator(lambda value: _as_tuple(value)),
    Field(
        min_length=1, validation_alias=AliasChoices("columns", "column"), description="one column or a list of columns"
    ),
    ArgumentRole.COLUMN,
]
InputColumns = Annotated[
    tuple[str, ...],
    BeforeValidator(lambda value: _as_tuple(value)),
    Field(min_length=1, description="the columns to predict from: one column or a list"),
    ArgumentRole.COLUMN,
]
Predicate = Annotated[
    str,
    AfterValidator(lambda text: _admitted(text)),
    Field(description="a SQL condition on one row"),
    ArgumentRole.PREDICATE,
]

Scalar = bool | int | Annotated[float, Field(allow_inf_nan=False)] | str
Values = Annotated[
    tuple[Scalar, ...],
    BeforeValidator(lambda value: _as_tuple(value)),
    Field(min_length=1, description="values of the column's type; dates and times as ISO 8601 text"),
]
Missing = Annotated[
    tuple[Scalar | None, ...],
    BeforeValidator(lambda value: _as_tuple(value)),
    Field(description="values that count as missing in addition to null, for example '', 'N/A' or -1"),
]
Bound = int | Annotated[float, Field(allow_inf_nan=False)] | str
Pattern = Annotated[
    str,
    AfterValidator(lambda text: _safe(text)),
    Field(description="a regular expression of the supported subset; the whole value must match"),
]
FormatName = Annotated[
    str,
    AfterValidator(lambda name: _format_name(name)),
    Field(description=f"a named format: {', '.join(FORMATS)}", json_schema_extra={"enum": list(FORMATS)}),
]
Within = Annotated[bool, Field(description="whether the pattern may match anywhere in a text")]
Nulls = Annotated[
    Literal["ignore", "break"],
    Field(description="`ignore`: null values are excluded; `break`: null values are violations"),
]
TimeUnit = Annotated[
    Literal["seconds", "minutes", "hours", "days"],
    Field(
        validation_alias=AliasChoices("in", "measured_in"), description="the unit of time; contracts use the key `in`"
    ),
]
CountIn = Annotated[
    Literal["rows", "percent"], Field(description="`rows`: the number of rows; `percent`: the share of rows times 100")
]

DatasetName = Annotated[
    str,
    Field(min_length=1, description="another dataset: a contract id, `contract.object`, or the name of the dataset"),
    ArgumentRole.DATASET,
]
OtherColumns = Annotated[
    tuple[str, ...],
    BeforeValidator(lambda value: _as_tuple(value)),
    Field(description="the columns of the other dataset in the same order; by default the columns of the same names"),
]


def _as_tuple(value: Any) -> Any:
    if isinstance(value, str):
        return (value,)
    return tuple(value) if isinstance(value, list) else value


def _admitted(text: str) -> str:
    """Return the text unchanged after validation; binding rewrites it before it runs."""
    try:
        parser.parse(text, None)
    except parser.PredicateError as error:
        raise ValueError("; ".join(fault.message for fault in error.faults)) from None
    return text


def _safe(pattern: str) -> str:
    try:
        inspect_regex(pattern)
    except UnsafeRegex as error:
        raise ValueError(f"the regular expression {error}") from None
    return pattern


def _format_name(name: str) -> str:
    if name not in FORMATS:
        raise ValueError(
            f"unknown format {name!r}; {suggest_nearest(name, FORMATS) or 'use one of ' + ', '.join(FORMATS)}"
        )
    return name
