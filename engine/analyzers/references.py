"""Metrics between two datasets: referential integrity and row-by-row match."""

from collections.abc import Mapping
from typing import Annotated, Any, Literal, Self

from pydantic import AliasChoices, BeforeValidator, Field, model_validator

from treaty.contracts.assertions import Assertion
from treaty.contracts.schema import Schema
from treaty.engine.analyzers.arguments import ColumnNames, DatasetName, OtherColumns
from treaty.engine.analyzers.base import Analyzer, operand_of
from treaty.engine.analyzers.bound import Operands
from treaty.engine.analyzers.violating_rows import KeyReference, ViolatingRows
from treaty.engine.components.base import Component
from treaty.engine.components.separate_statement import KeyPairing, MatchCounts, ReferenceCounts

Compared = Annotated[
    tuple[tuple[str, str], ...],
    BeforeValidator(lambda value: _pairs(value)),
    Field(
        description="the columns that must be equal: a list, or a map to the other dataset's columns: {amount: total}"
    ),
]
Distance = Annotated[float, Field(ge=0, allow_inf_nan=False)]


def _pairs(value: Any) -> Any:
    """Return the (own, other) column names of every compared column."""
    if isinstance(value, Mapping):
        return tuple(value.items())
    if isinstance(value, str):
        return ((value, value),)
    pairs = value if isinstance(value, list | tuple) else ()
    return tuple((each, each) if isinstance(each, str) else tuple(each) for each in pairs) if pairs else value


class ReferentialIntegrity(Analyzer):
    """Share of the rows whose combination of values exists in columns of another dataset.

    Every row counts, however often its value repeats. (Deequ divides the number of *distinct* dangling values by the
    number of rows: with 99 dangling rows of one value among 100 rows it gives 0.99, Treaty gives 0.01.) A row that
    is null in any of the columns references nothing and is excluded; no value if no row is left, for example for an
    empty table. Nulls of the other dataset match nothing. Integers of all widths are compared as numbers, text byte
    for byte; text and numbers are never equal, and a check that compares them is not evaluated."""

    name = "referential_integrity"
    unit = "share"
    scope = "dataset"
    value_template = "{value} of {counted} rows have a {subject} that exists in {dataset}"
    violation_phrase = "rows have no match in the other dataset"
    columns: ColumnNames
    dataset: DatasetName
    other_columns: OtherColumns = Field(default=(), validation_alias=AliasChoices("other_columns", "other_column"))
    matches = ReferenceCounts("{columns}")

    @model_validator(mode="after")
    def _as_many(self) -> Self:
        if self.other_columns and len(self.other_columns) != len(self.columns):
            raise ValueError("other_columns must have as many columns as columns")
        return self

    def parts(self) -> Mapping[str, Component]:
        return {"matches": ReferenceCounts("{columns}", dataset=self.dataset, columns=self._theirs)}

    @property
    def _theirs(self) -> tuple[str, ...]:
        return self.other_columns or self.columns

    def value(self, state: Any) -> float | None:
        evaluated, dangling = state.matches
        return (evaluated - dangling) / evaluated if evaluated else None

    def counted(self, state: Any) -> int:
        return int(state.matches[0])

    def broken(self, state: Any) -> int:
        return int(state.matches[1])

    def breaking(self, operands: Operands, assertion: Assertion) -> ViolatingRows:
        columns = operands["columns"]
        present = " AND ".join(f"{each.sql} IS NOT NULL" for each in columns)
        keys = tuple(each.canonical() for each in columns)
        return ViolatingRows(keys=keys, reference=KeyReference(self.dataset, self._theirs), where=present)


class DatasetMatch(Analyzer):
    """Share of the rows with exactly one partner in another dataset that is equal.

    Partners have the same keys; all columns of `compare` must be equal. `of: both` also counts rows that exist only
    in the other dataset, as rows without a match.

    Null equals null, in keys and in compared columns. Numbers may differ by `tolerance`, or by the share
    `relative_tolerance` of the larger one; by default not at all, and exact numbers are compared exactly. A key that
    occurs twice on either side matches nothing. No value if there is no row to evaluate. `where` filters this
    dataset only. The order of rows and columns does not matter: values are compared, never hashes. (Deequ sorts the
    columns of each side by name and compares 32-bit hashes: equal rows can differ there, and different rows can
    match.)"""

    name = "dataset_match"
    unit = "share"
    scope = "dataset"
    value_template = "{value} of {counted} rows match their partner in {dataset}"
    violation_phrase = "rows do not"
    keys: ColumnNames = Field(validation_alias=AliasChoices("keys", "key"))
    dataset: DatasetName
    other_keys: OtherColumns = Field(default=(), validation_alias=AliasChoices("other_keys", "other_key"))
    compare: Compared = ()
    tolerance: Distance = Field(default=0.0, description="maximum difference of two numbers")
    relative_tolerance: Distance = Field(default=0.0, description="maximum difference as a share of the larger number")
    of: Literal["rows", "both"] = Field(
        default="rows",
        description="`rows`: the rows of this dataset; `both`: rows that exist only in the other dataset count, too",
    )
    matches = MatchCounts("{keys}")

    @model_validator(mode="after")
    def _as_many(self) -> Self:
        if self.other_keys and len(self.other_keys) != len(self.keys):
            raise ValueError("other_keys must have as many columns as keys")
        return self

    def parts(self) -> Mapping[str, Component]:
        pairing = KeyPairing(
            dataset=self.dataset,
            keys=self.other_keys or self.keys,
            compare=self.compare,
            tolerance=self.tolerance,
            relative=self.relative_tolerance,
        )
        return {"matches": MatchCounts("{keys}", "{compared}", pairing=pairing)}

    def operands(self, schema: Schema) -> Operands:
        compared = tuple(operand_of(mine, schema) for mine, _ in self.compare)
        return {**super().operands(schema), "compared": compared}

    def value(self, state: Any) -> float | None:
        counted = self.counted(state)
        return state.matches[1] / counted if counted else None

    def counted(self, state: Any) -> int:
        rows, *_, here = state.matches
        return int(rows + here if self.of == "both" else rows)

    def broken(self, state: Any) -> int:
        return self.counted(state) - int(state.matches[1])

    def details(self, state: Any) -> Mapping[str, int]:
        names = ("rows", "matched", "different", "duplicated", "missing_there", "missing_here")
        return dict(zip(names, map(int, state.matches), strict=True))
