"""Define the argument types of analyzers: columns, conditions, values, bounds, patterns and units."""

from enum import Enum
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, AliasChoices, BeforeValidator, Field

from treaty.contracts.errors import suggest_nearest
from treaty.contracts.predicates import parser
from treaty.contracts.safe_regex import UnsafeRegex, inspect_regex
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
    BeforeValidator(lambda given: _as_tuple(given)),
    Field(min_length=1, validation_alias=AliasChoices("columns", "column"), description="one column or a list of them"),
    ArgumentRole.COLUMN,
]
InputColumns = Annotated[
    tuple[str, ...],
    BeforeValidator(lambda given: _as_tuple(given)),
    Field(min_length=1, description="the columns that are told from: one or a list of them"),
    ArgumentRole.COLUMN,
]
Predicate = Annotated[
    str,
    AfterValidator(lambda text: _admitted(text)),
    Field(description="a condition in SQL on one row"),
    ArgumentRole.PREDICATE,
]

Scalar = bool | int | Annotated[float, Field(allow_inf_nan=False)] | str
Values = Annotated[
    tuple[Scalar, ...],
    BeforeValidator(lambda given: _as_tuple(given)),
    Field(min_length=1, description="values of the column's type; dates and times as ISO 8601 text"),
]
Missing = Annotated[
    tuple[Scalar | None, ...],
    BeforeValidator(lambda given: _as_tuple(given)),
    Field(description="values that stand for none, beside null: '', 'N/A', -1"),
]
Bound = int | Annotated[float, Field(allow_inf_nan=False)] | str
Pattern = Annotated[
    str,
    AfterValidator(lambda text: _safe(text)),
    Field(description="a regular expression of the admitted subset; the whole value must match"),
]
FormatName = Annotated[
    str,
    AfterValidator(lambda name: _format_name(name)),
    Field(description=f"a named format: {', '.join(FORMATS)}", json_schema_extra={"enum": list(FORMATS)}),
]
Within = Annotated[bool, Field(description="whether the pattern may match anywhere within a text")]
Nulls = Annotated[
    Literal["ignore", "break"],
    Field(description="`ignore`: values that are null are not judged; `break`: they are, and do not keep it"),
]
TimeUnit = Annotated[
    Literal["seconds", "minutes", "hours", "days"],
    Field(validation_alias=AliasChoices("in", "measured_in"), description="the unit, in contracts `in`"),
]
CountIn = Annotated[Literal["rows", "percent"], Field(description="`rows`, or `percent` of the rows")]

DatasetName = Annotated[
    str,
    Field(
        min_length=1, description="another dataset: a contract's id, or `contract.object`, or the dataset's own name"
    ),
    ArgumentRole.DATASET,
]
OtherColumns = Annotated[
    tuple[str, ...],
    BeforeValidator(lambda given: _as_tuple(given)),
    Field(description="the columns of the other dataset, in the same order; by default those of the same names"),
]


def _as_tuple(given: Any) -> Any:
    if isinstance(given, str):
        return (given,)
    return tuple(given) if isinstance(given, list) else given


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
            f"no format is named {name!r}; {suggest_nearest(name, FORMATS) or 'known are ' + ', '.join(FORMATS)}"
        )
    return name
