"""The kinds of arguments that analyzers take: columns, lists of columns, conditions."""

from enum import Enum
from typing import Annotated, Any

from pydantic import AfterValidator, AliasChoices, BeforeValidator, Field

from contracts import predicates


class Role(Enum):
    """What an argument names: how it is bound to a table."""

    COLUMN = "column"
    PREDICATE = "predicate"


ColumnName = Annotated[
    str,
    Field(min_length=1, description="a column; `a.b` for a nested field, `a.b` in backticks for a dotted name"),
    Role.COLUMN,
]
ColumnNames = Annotated[
    tuple[str, ...],
    BeforeValidator(lambda given: _listed(given)),
    Field(min_length=1, validation_alias=AliasChoices("columns", "column"), description="one column or a list of them"),
    Role.COLUMN,
]
Predicate = Annotated[
    str,
    AfterValidator(lambda text: _admitted(text)),
    Field(description="a condition in SQL on one row"),
    Role.PREDICATE,
]


def _listed(given: Any) -> Any:
    if isinstance(given, str):
        return (given,)
    return tuple(given) if isinstance(given, list) else given


def _admitted(text: str) -> str:
    """The author's own text, once it is known to be admitted: what runs is written anew when it is bound."""
    try:
        predicates.parse(text, None)
    except predicates.PredicateError as error:
        raise ValueError("; ".join(fault.message for fault in error.faults)) from None
    return text
