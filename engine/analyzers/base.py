"""What an analyzer is: a declaration over components. Everything else about a metric is derived from that class.

class Mean(Analyzer):
    '''Arithmetic mean of the non-null values.'''
    name = "mean"
    column: ColumnName
    total = Sum("{column}")
    count = Count("{column}")

    def value(self, state): return state.total / state.count if state.count else None
"""

import re
from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property
from typing import Any, ClassVar

from pydantic import BaseModel, ConfigDict, Field

from treaty.contracts.assertions import Assertion
from treaty.contracts.fingerprint import short_fingerprint
from treaty.contracts.predicates import parser
from treaty.contracts.schema import Schema
from treaty.engine.analyzers.arguments import ArgumentRole, Predicate
from treaty.engine.analyzers.bound import BoundAnalyzer, BoundComponent, Operands
from treaty.engine.analyzers.violating_rows import ViolatingRows
from treaty.engine.components.base import Component, CountComponent, CountIfComponent, Retention
from treaty.engine.components.operands import Operand
from treaty.engine.core.results import Value

ANALYZERS: "dict[str, type[Analyzer]]" = {}


_WHOLE = re.compile(r"\{(\w+)\}")


class NotApplicableToTable(Exception):
    """The analyzer cannot be computed on this table. The message says why, without data values."""


class Analyzer(BaseModel):
    """A metric of a table. Subclasses are frozen values: equal arguments, equal analyzer.

    `unit` says what the number counts, `scope` what a check judges by default, `value_template` how a value is put in
    words (of `phrase`, `subject`, `value`, `counted` and the arguments), `violation_phrase` what the rows that break a
    check do.

    `value`, `counted`, `broken` and `details` are given the merged components by their names on the class, and beside
    them `rows` (that the filter admits), `now` (the moment of judgement) and `schema` (of what was read).
    `defined_on_empty` says that a filter which admits no row gives a value all the same. One that `needs_previous` is
    given the state of the partition before, too, as `before` (None: there is none). `no_value_reason`: why there is no
    value."""

    model_config = ConfigDict(
        frozen=True, extra="forbid", strict=True, populate_by_name=True, ignored_types=(Component, str)
    )

    name: ClassVar[str]
    unit: ClassVar[str] = "number"
    scope: ClassVar[str] = "delta"
    defined_on_empty: ClassVar[bool] = False
    needs_previous: ClassVar[bool] = False
    no_value_reason: ClassVar[str] = "there was nothing to measure: no matching row has a value"
    value_template: ClassVar[str] = "{phrase} is {value}"
    violation_phrase: ClassVar[str] = "rows break it"
    components: ClassVar[Mapping[str, Component]] = {}
    roles: ClassVar[Mapping[ArgumentRole, tuple[str, ...]]] = {}

    where: Predicate | None = Field(default=None, description="only rows for which this predicate is true")

    def value(self, state: Any) -> Value:
        """The metric; None: no value, nothing was measured."""
        raise NotImplementedError

    def counted(self, state: Any) -> int | None:
        """On how many rows the value was measured: by default all that the filter admits."""
        return int(state.rows)

    def broken(self, state: Any) -> int | None:
        """How many rows break a promise of wholeness (a share of 1); None where rows do not break it one by one."""
        return None

    def details(self, state: Any) -> Mapping[str, Any] | None:
        """The distribution behind the value as plain data; None where there is none."""
        return None

    @property
    def judged_segments(self) -> int:
        """How many segments, at most, of those in its details are judged beside their pasts; 0: it has none."""
        return 0

    @property
    def of_absent(self) -> float | None:
        """The metric of a segment without rows; None: it has none."""
        return None

    def breaking(self, operands: Operands, assertion: Assertion) -> ViolatingRows | None:
        """Which rows break a check of this analyzer, in SQL; None where no single row does. `where` is added to it."""
        return None

    @classmethod
    def __pydantic_init_subclass__(cls, **_: Any) -> None:
        declared = (each for kind in reversed(cls.__mro__) for each in vars(kind).items())
        cls.components = {name: part for name, part in declared if isinstance(part, Component)}
        fields = cls.model_fields.items()
        cls.roles = {role: tuple(name for name, field in fields if role in field.metadata) for role in ArgumentRole}
        # A class without a name is what several analyzers have in common, no analyzer.
        if "name" in vars(cls) and ANALYZERS.setdefault(cls.name, cls).__qualname__ != cls.__qualname__:
            raise TypeError(f"an analyzer named {cls.name!r} exists already")

    def arguments(self) -> dict[str, Any]:
        """The arguments as plain data, defaults left out."""
        return self.model_dump(mode="json", exclude_defaults=True)

    @cached_property
    def identity(self) -> str:
        """16 hex digits that name this metric: equal for equal analyzer and arguments."""
        return short_fingerprint([self.name, self.arguments()])

    def _named(self, role: ArgumentRole) -> dict[str, tuple[str, ...]]:
        """The arguments of a role that were given, as tuples."""
        given = {name: getattr(self, name) for name in self.roles[role]}
        return {name: (each,) if isinstance(each, str) else each for name, each in given.items() if each}

    @cached_property
    def columns_read(self) -> tuple[str, ...]:
        """The columns named in the arguments (not those of predicates)."""
        return tuple(column for given in self._named(ArgumentRole.COLUMN).values() for column in given)

    @cached_property
    def columns_named(self) -> tuple[str, ...]:
        """The columns of the arguments and of the predicates, each once."""
        texts = [*(text for given in self._named(ArgumentRole.PREDICATE).values() for text in given), self.where]
        named = (column for text in filter(None, texts) for column in parser.parse(text, None).columns)
        return tuple(dict.fromkeys((*self.columns_read, *named)))

    @property
    def phrase(self) -> str:
        """The metric in words: 'completeness of status where country = 'DE''."""
        subject = ", ".join(self.columns_read) or getattr(self, "predicate", "")
        said = {*self._named(ArgumentRole.COLUMN), *self._named(ArgumentRole.PREDICATE), "where"}
        details = [f"{name} {given}" for name, given in self.arguments().items() if name not in said]
        words = [self.name.replace("_", " "), *(["of", subject] if subject else []), *details]
        return " ".join(words) + (f" where {self.where}" if self.where else "")

    def parts(self) -> Mapping[str, Component]:
        """The components by name: those of the class, unless the arguments ask for others."""
        return self.components

    def operands(self, schema: Schema) -> Operands:
        """What templates may name: by default each argument that is a column, columns or a predicate.

        Raises Unbindable for a column that the table does not have, PredicateError for a predicate."""
        columns = self._named(ArgumentRole.COLUMN).items()
        texts = self._named(ArgumentRole.PREDICATE).items()
        return {
            **{name: tuple(operand_of(column, schema) for column in given) for name, given in columns},
            **{name: tuple(condition_of(text, schema) for text in given) for name, given in texts},
        }

    def bind(self, schema: Schema) -> BoundAnalyzer:
        """This analyzer on a table of that schema. Raises Unbindable for a missing column or a type it cannot take."""
        where = condition_of(self.where, schema) if self.where else None
        named = self.operands(schema)
        parts = {
            name: self._bound(part, named, where) for name, part in {"rows": CountComponent(), **self.parts()}.items()
        }
        return BoundAnalyzer(
            analyzer=self, parts={**parts, **_unevaluated(named, where)}, schema=schema, operands=named, where=where
        )

    def _bound(self, part: Component, named: Operands, where: Operand | None) -> BoundComponent:
        operands = tuple(each for template in part.templates for each in self._rendered(template, part, named))
        classified = any(each.classified for given in named.values() for each in given)
        keeps = part.keeps_of(operands) if classified else Retention.NOTHING
        if keeps is Retention.HASHES:
            operands = tuple(replace(each, is_hashed=each.classified) for each in operands)
        return BoundComponent(part, operands, where.sql if where else None, is_transient=keeps is Retention.VALUES)

    def _rendered(self, template: str, part: Component, named: Operands) -> tuple[Operand, ...]:
        """The operands of a template: those of `{name}` as they are, or an expression over them, of `part.type`."""
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
    """The column as an operand. Raises Unbindable where the table has none of that name or path."""
    found = schema.find(column)
    if found is None:
        raise NotApplicableToTable(f"the table has no column {parser.quote_path(column)}")
    sql = parser.quote(column) if schema.get(column) else parser.quote_path(column)
    return Operand(sql=sql, type=found.type, classified=schema.names_along(column) in schema.classified)


def condition_of(text: str, schema: Schema) -> Operand:
    """The predicate as a boolean operand. Raises PredicateError."""
    found = parser.parse(text, schema=schema)
    return Operand(sql=found.sql, type="boolean", errs=found.errs)


def _unevaluated(named: Operands, where: Operand | None) -> Mapping[str, BoundComponent]:
    """The parts that count the rows whose conditions cannot be evaluated: none where all always can.

    `unevaluated`: rows that the analyzer's own conditions leave open; `unfiltered`: rows of which the filter cannot
    say whether they count."""
    errs = [each.errs for given in named.values() for each in given if each.errs]
    own = {"unevaluated": _counting(" OR ".join(f"({each})" for each in errs), where)} if errs else {}
    return {**own, "unfiltered": _counting(where.errs, None)} if where and where.errs else own


def _counting(condition: str, where: Operand | None) -> BoundComponent:
    return BoundComponent(
        CountIfComponent("{errs}"), (Operand(sql=condition, type="boolean"),), where.sql if where else None
    )
