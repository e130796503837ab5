"""Define `Analyzer`: a metric declared over mergeable components.

Everything else about a metric (SQL, state keys, documentation) is derived from its class:

class Mean(Analyzer):
    '''Arithmetic mean of the non-null values.'''
    name = "mean"
    column: ColumnName
    total = Sum("{column}")
    count = Count("{column}")

    def value(self, state): return state.total / state.count if state.count else None"""

import re
from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property
from typing import Any, ClassVar

from pydantic import BaseModel, ConfigDict, Field

from treaty.contracts.assertions import Assertion
from treaty.contracts.comparison.threshold_order import ANY, NumericDomain
from treaty.contracts.fingerprint import short_fingerprint
from treaty.contracts.predicates import parser
from treaty.contracts.schema import Schema
from treaty.engine.analyzers.arguments import ArgumentRole, Predicate
from treaty.engine.analyzers.bound import BoundAnalyzer, BoundComponent, Operands
from treaty.engine.analyzers.exact import ExactMetric
from treaty.engine.analyzers.violating_rows import ViolatingRows
from treaty.engine.components.base import Component, CountComponent, CountIfComponent, Retention
from treaty.engine.components.operands import Operand
from treaty.engine.core.results import Value

ANALYZERS: "dict[str, type[Analyzer]]" = {}


# By unit, the values that a metric can have.
DOMAINS = {
    "share": NumericDomain(0, 1),
    "coefficient": NumericDomain(-1, 1),
    "rows": NumericDomain(0, whole=True),
    "columns": NumericDomain(0, whole=True),
    "characters": NumericDomain(0),
    "values": NumericDomain(0),
    "bins": NumericDomain(0),
    "nats": NumericDomain(0),
    "distance": NumericDomain(0),
}
PERCENT = NumericDomain(0, 100)
_WHOLE = re.compile(r"\{(\w+)\}")


class NotApplicableToTable(Exception):
    """The analyzer cannot be computed on this table; the message gives the reason without data values."""


class Analyzer(BaseModel):
    """A metric of a table. Subclasses are frozen values: equal arguments make equal analyzers.

    Class attributes:
    - `unit`: what the number counts.
    - `scope`: what a check evaluates by default: `delta` (the partitions that arrived) or `dataset` (the whole table).
    - `value_template`: format of a value for people, over `phrase`, `subject`, `value`, `counted` and the arguments.
    - `requirement`: what a check for a share of 100 % requires; '' for the words of `value_template`.
    - `violation_phrase`: what the rows that violate a check do, for example "rows have none".
    - `defined_on_empty`: the metric has a value even if no row matches `where`.
    - `needs_previous`: the metric also reads the state of the previous partition.
    - `no_value_reason`: why the metric has no value.

    `value`, `counted`, `broken` and `details` receive the merged components by their names on the class, and also
    `rows` (the number of rows that match `where`), `now` (the evaluation time), `schema` (of the rows that were
    read) and `before` (the state of the previous partition; None means there is none)."""

    model_config = ConfigDict(
        frozen=True, extra="forbid", strict=True, populate_by_name=True, ignored_types=(Component, str)
    )

    name: ClassVar[str]
    unit: ClassVar[str] = "number"
    scope: ClassVar[str] = "delta"
    defined_on_empty: ClassVar[bool] = False
    needs_previous: ClassVar[bool] = False
    no_value_reason: ClassVar[str] = "nothing to measure: no matching row has a value"
    value_template: ClassVar[str] = "{phrase} is {value}"
    requirement: ClassVar[str] = ""
    violation_phrase: ClassVar[str] = "rows violate it"
    components: ClassVar[Mapping[str, Component]] = {}
    roles: ClassVar[Mapping[ArgumentRole, tuple[str, ...]]] = {}

    where: Predicate | None = Field(
        default=None, description="SQL condition; only rows for which it is true are measured"
    )

    def value(self, state: Any) -> Value:
        """Return the metric; None means that there was nothing to measure."""
        raise NotImplementedError

    def bounds(self, state: Any) -> tuple[float, float] | None:
        """Return the bounds of the exact metric; None if the value is exact or has none.

        Sketches give bounds that hold at least 95 % of the time."""
        return None

    def exact(self, operands: Operands) -> ExactMetric | None:
        """Return how one statement computes an estimate, or the state behind it, exactly.

        None if the value is exact anyway, or if that would cost too much."""
        return None

    def counted(self, state: Any) -> int | None:
        """Return the number of rows that the value was measured on; by default all rows that match `where`."""
        return int(state.rows)

    def broken(self, state: Any) -> int | None:
        """Return the number of rows that violate a check for a share of 1.

        None means that the metric does not attribute violations to single rows."""
        return None

    def details(self, state: Any) -> Mapping[str, Any] | None:
        """Return the distribution behind the value as plain data; None if the metric has none."""
        return None

    @property
    def domain(self) -> NumericDomain:
        """Return the values that the metric can have."""
        return PERCENT if getattr(self, "count_in", "rows") == "percent" else DOMAINS.get(self.unit, ANY)

    @property
    def detected_domain(self) -> NumericDomain:
        """Return the values that a detector of the metric evaluates."""
        return self.domain

    @property
    def judged_segments(self) -> int:
        """Return the maximum number of segments that are evaluated against their own history.

        0 means that the metric has no segments."""
        return 0

    @property
    def of_absent(self) -> float | None:
        """Return the metric of a segment without rows; None means that it has none."""
        return None

    def breaking(self, operands: Operands, assertion: Assertion) -> ViolatingRows | None:
        """Return the rows that violate a check of this analyzer, as SQL.

        `where` is added by the caller. None means that violations cannot be attributed to single rows."""
        return None

    @classmethod
    def __pydantic_init_subclass__(cls, **_: Any) -> None:
        declared = (each for kind in reversed(cls.__mro__) for each in vars(kind).items())
        cls.components = {name: part for name, part in declared if isinstance(part, Component)}
        fields = cls.model_fields.items()
        cls.roles = {role: tuple(name for name, field in fields if role in field.metadata) for role in ArgumentRole}
        # A class without a name is a shared base class, not an analyzer.
        if "name" in vars(cls) and ANALYZERS.setdefault(cls.name, cls).__qualname__ != cls.__qualname__:
            raise TypeError(f"an analyzer named {cls.name!r} already exists")

    def arguments(self) -> dict[str, Any]:
        """Return the arguments as plain data, without those that equal their defaults."""
        return self.model_dump(mode="json", exclude_defaults=True)

    @cached_property
    def identity(self) -> str:
        """Return 16 hex digits that identify this metric: equal for an equal analyzer and equal arguments."""
        return short_fingerprint([self.name, self.arguments()])

    def _named(self, role: ArgumentRole) -> dict[str, tuple[str, ...]]:
        """Return the arguments of a role that are set, as tuples."""
        values = {name: getattr(self, name) for name in self.roles[role]}
        return {name: (each,) if isinstance(each, str) else each for name, each in values.items() if each}

    @cached_property
    def columns_read(self) -> tuple[str, ...]:
        """Return the columns named in the arguments, without those named in predicates."""
        return tuple(column for columns in self._named(ArgumentRole.COLUMN).values() for column in columns)

    @cached_property
    def columns_named(self) -> tuple[str, ...]:
        """Return the columns of the arguments and of the predicates, each once."""
        texts = [
            *(text for predicates in self._named(ArgumentRole.PREDICATE).values() for text in predicates),
            self.where,
        ]
        columns = (column for text in filter(None, texts) for column in parser.parse(text, None).columns)
        return tuple(dict.fromkeys((*self.columns_read, *columns)))

    @property
    def phrase(self) -> str:
        """Return the metric in words: "completeness of status where country = 'DE'"."""
        subject = ", ".join(self.columns_read) or getattr(self, "predicate", "")
        covered = {*self._named(ArgumentRole.COLUMN), *self._named(ArgumentRole.PREDICATE), "where"}
        details = [f"{name} {value}" for name, value in self.arguments().items() if name not in covered]
        words = [self.name.replace("_", " "), *(["of", subject] if subject else []), *details]
        return " ".join(words) + (f" where {self.where}" if self.where else "")

    def parts(self) -> Mapping[str, Component]:
        """Return the components by name: those of the class, unless the arguments need others."""
        return self.components

    def operands(self, schema: Schema) -> Operands:
        """Return the operands that templates may name: by default each column, list of columns or predicate argument.

        Raises NotApplicableToTable for a column that the table does not have, PredicateError for an invalid
        predicate."""
        columns = self._named(ArgumentRole.COLUMN).items()
        texts = self._named(ArgumentRole.PREDICATE).items()
        return {
            **{name: tuple(operand_of(column, schema) for column in names) for name, names in columns},
            **{name: tuple(condition_of(text, schema) for text in names) for name, names in texts},
        }

    def bind(self, schema: Schema) -> BoundAnalyzer:
        """Bind this analyzer to a table of that schema.

        Raises NotApplicableToTable for a missing column or an unsupported type, PredicateError for an invalid
        predicate."""
        row_filter = condition_of(self.where, schema) if self.where else None
        operands = self.operands(schema)
        parts = {
            name: self._bound(part, operands, row_filter)
            for name, part in {"rows": CountComponent(), **self.parts()}.items()
        }
        return BoundAnalyzer(
            analyzer=self,
            parts={**parts, **_unevaluated(operands, row_filter)},
            schema=schema,
            operands=operands,
            where=row_filter,
        )

    def _bound(self, part: Component, named: Operands, where: Operand | None) -> BoundComponent:
        operands = tuple(each for template in part.templates for each in self._rendered(template, part, named))
        classified = any(each.classified for group in named.values() for each in group)
        retention = part.keeps_of(operands) if classified else Retention.NOTHING
        if retention is Retention.HASHES:
            operands = tuple(replace(each, is_hashed=each.classified) for each in operands)
        return BoundComponent(part, operands, where.sql if where else None, is_transient=retention is Retention.VALUES)

    def _rendered(self, template: str, part: Component, named: Operands) -> tuple[Operand, ...]:
        """Return the operands of a template: those of `{name}` unchanged, or one expression over them, of type
        `part.type`."""
        used = [name for name in _WHOLE.findall(template) if name in named]
        for operand in (each for name in used for each in named[name]):
            if operand.base_type not in (part.takes or part.accepts):
                raise NotApplicableToTable(
                    f"{self.name} cannot be computed on {operand.sql}: its type is {operand.type}"
                )
        if _WHOLE.fullmatch(template):
            return named[used[0]]
        sql = template.format_map({name: named[name][0].sql for name in used})
        classified = any(each.classified for name in used for each in named[name])
        return (Operand(sql=sql, type=part.type or named[used[0]][0].type, classified=classified),)


def operand_of(column: str, schema: Schema) -> Operand:
    """Return the column as an operand.

    Raises NotApplicableToTable if the table has no column or field of that name or path."""
    column_type = schema.find(column)
    if column_type is None:
        raise NotApplicableToTable(f"the table has no column {parser.quote_path(column)}")
    sql = parser.quote(column) if schema.get(column) else parser.quote_path(column)
    return Operand(sql=sql, type=column_type.type, classified=schema.names_along(column) in schema.classified)


def condition_of(text: str, schema: Schema) -> Operand:
    """Return the predicate as a boolean operand. Raises PredicateError if it is invalid."""
    predicate = parser.parse(text, schema=schema)
    return Operand(sql=predicate.sql, type="boolean", errs=predicate.errs)


def _unevaluated(named: Operands, where: Operand | None) -> Mapping[str, BoundComponent]:
    """Return the components that count rows whose conditions cannot be evaluated; empty if all always can.

    `unevaluated`: rows for which one of the analyzer's own conditions fails; `unfiltered`: rows for which `where`
    fails."""
    errs = [each.errs for group in named.values() for each in group if each.errs]
    own = {"unevaluated": _counting(" OR ".join(f"({each})" for each in errs), where)} if errs else {}
    return {**own, "unfiltered": _counting(where.errs, None)} if where and where.errs else own


def _counting(condition: str, where: Operand | None) -> BoundComponent:
    return BoundComponent(
        CountIfComponent("{errs}"), (Operand(sql=condition, type="boolean"),), where.sql if where else None
    )
