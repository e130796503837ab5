"""What an analyzer is: a declaration over components. Everything else about a metric is derived from that class.

class Mean(Analyzer):
    '''Arithmetic mean of the non-null values.'''
    name = "mean"
    column: ColumnName
    total = Sum("{column}")
    count = Count("{column}")

    def value(self, state): return state.total / state.count if state.count else None
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from types import SimpleNamespace
from typing import Annotated, Any, ClassVar

from pydantic import AfterValidator, AliasChoices, BaseModel, BeforeValidator, ConfigDict, Field

from contracts import predicates
from contracts.fingerprint import fingerprint
from contracts.logical_types import Schema
from engine.analyzers.components import Component
from engine.analyzers.quoting import Operand
from engine.results import Value

ANALYZERS: "dict[str, type[Analyzer]]" = {}

ColumnName = Annotated[
    str, Field(min_length=1, description="a column; `a.b` for a nested field, `a.b` in backticks for a dotted name")
]
ColumnNames = Annotated[
    tuple[str, ...],
    BeforeValidator(lambda given: _listed(given)),
    Field(min_length=1, validation_alias=AliasChoices("columns", "column"), description="one column or a list of them"),
]
Predicate = Annotated[
    str, AfterValidator(lambda text: _admitted(text)), Field(description="a condition in SQL on one row")
]

_SUBJECTS = frozenset({"column", "columns", "predicate", "where"})


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


class Unbindable(Exception):
    """The analyzer cannot be computed on this table. The message says why, without data values."""


class Analyzer(BaseModel):
    """A metric of a table. Subclasses are frozen values: equal arguments, equal analyzer.

    `unit` says what the number counts, `scope` what a check judges by default; `value` turns merged components into it
    (None: no value, nothing was measured)."""

    model_config = ConfigDict(
        frozen=True, extra="forbid", strict=True, populate_by_name=True, ignored_types=(Component, str)
    )

    name: ClassVar[str]
    unit: ClassVar[str] = "number"
    scope: ClassVar[str] = "delta"
    components: ClassVar[Mapping[str, Component]] = {}

    where: Predicate | None = Field(default=None, description="only rows for which this predicate is true")

    def value(self, state: Any) -> Value:
        raise NotImplementedError

    @classmethod
    def __pydantic_init_subclass__(cls, **_: Any) -> None:
        cls.components = {name: part for name, part in vars(cls).items() if isinstance(part, Component)}
        if ANALYZERS.setdefault(cls.name, cls).__qualname__ != cls.__qualname__:
            raise TypeError(f"an analyzer named {cls.name!r} exists already")

    def arguments(self) -> dict[str, Any]:
        """The arguments as plain data, defaults left out."""
        return self.model_dump(mode="json", exclude_defaults=True)

    @cached_property
    def identity(self) -> str:
        """16 hex digits that name this metric: equal for equal analyzer and arguments."""
        return fingerprint([self.name, self.arguments()])[:16]

    @property
    def columns_read(self) -> tuple[str, ...]:
        """The columns named in the arguments (not those of predicates)."""
        named = self.model_dump(include={"column", "columns"}).values()
        return tuple(column for given in named for column in ((given,) if isinstance(given, str) else given))

    @property
    def columns_named(self) -> tuple[str, ...]:
        """The columns of the arguments and of the predicates, each once."""
        texts = filter(None, (getattr(self, "predicate", None), self.where))
        named = (column for text in texts for column in predicates.parse(text, None).columns)
        return tuple(dict.fromkeys((*self.columns_read, *named)))

    @property
    def phrase(self) -> str:
        """The metric in words: 'completeness of status where country = 'DE''."""
        subject = ", ".join(self.columns_read) or getattr(self, "predicate", "")
        details = [f"{name} {given}" for name, given in self.arguments().items() if name not in _SUBJECTS]
        words = [self.name.replace("_", " "), *(["of", subject] if subject else []), *details]
        return " ".join(words) + (f" where {self.where}" if self.where else "")

    def bind(self, schema: Schema) -> "BoundAnalyzer":
        """This analyzer on a table of that schema. Raises Unbindable for a missing column or a type it cannot take."""
        where = predicates.parse(self.where, schema.names).sql if self.where else None
        return BoundAnalyzer(self, {name: self._bound(part, schema, where) for name, part in self.components.items()})

    def _bound(self, part: Component, schema: Schema, where: str | None) -> "BoundComponent":
        operands = tuple(self._checked(operand, part) for operand in self._operands(part, schema))
        return BoundComponent(part, operands, where)

    def _operands(self, part: Component, schema: Schema) -> Iterator[Operand]:
        if part.template == "{columns}":
            yield from (_operand(column, schema) for column in self.columns_read)
        elif part.template == "{column}":
            yield _operand(self.columns_read[0], schema)
        elif part.template == "{predicate}":
            yield Operand(predicates.parse(self.predicate, schema.names).sql, "boolean")  # type: ignore[attr-defined]

    def _checked(self, operand: Operand, part: Component) -> Operand:
        if operand.base_type not in part.accepts:
            raise Unbindable(f"{self.name} cannot be computed on {operand.sql}: its type is {operand.type}")
        return operand


def _operand(column: str, schema: Schema) -> Operand:
    found = schema.find(column)
    if found is None:
        raise Unbindable(f"the table has no column {predicates.quote_path(column)}")
    sql = predicates.quote(column) if schema.get(column) else predicates.quote_path(column)
    return Operand(sql, found.type)


@dataclass(frozen=True)
class BoundComponent:
    """A component with its typed SQL. `key` identifies it: equal keys are computed once and stored once."""

    component: Component
    operands: tuple[Operand, ...]
    where: str | None = None

    @cached_property
    def aggregates(self) -> tuple[str, ...]:
        """The SQL aggregates, filtered; for a grouping, its keys."""
        plain = self.component.aggregates(self.operands)
        filtered = self.where and not self.component.grouping
        return tuple(f"{sql} FILTER (WHERE {self.where})" for sql in plain) if filtered else plain

    @cached_property
    def key(self) -> str:
        """Kind, version, SQL and filter: readable, and the same on every machine."""
        sql = ", ".join(self.component.aggregates(self.operands))
        condition = f" where {self.where}" if self.where else ""
        return f"{self.component.kind}/{self.component.version} {sql}{condition}"

    def read(self, row: tuple[Any, ...]) -> Any:
        return self.component.read(row, self.operands)


@dataclass(frozen=True)
class BoundAnalyzer:
    """An analyzer on a table of a known schema: its components by their names on the class."""

    analyzer: Analyzer
    parts: Mapping[str, BoundComponent]

    def value(self, states: Mapping[str, Any]) -> Value:
        """The metric from the states by component key. Raises KeyError (the key) where a state is missing."""
        return self.analyzer.value(SimpleNamespace(**{name: states[part.key] for name, part in self.parts.items()}))
