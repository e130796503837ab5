"""Define facts: the single values that a profile reports for a column. A new fact is one entry in FACTS.

A fact is left out if it does not fit the column's type, or would show values of a classified column."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from treaty.contracts.predicates.parser import PredicateError, parse, quote
from treaty.contracts.schema import Column, Schema
from treaty.engine.analyzers.base import Analyzer, NotApplicableToTable
from treaty.engine.analyzers.bound import BoundAnalyzer, BoundComponent
from treaty.engine.analyzers.distinct import ApproxCountDistinct
from treaty.engine.analyzers.nulls import Completeness
from treaty.engine.analyzers.numbers import Maximum, Mean, Minimum, StandardDeviation
from treaty.engine.analyzers.quantiles import ApproxQuantile
from treaty.engine.analyzers.text import MaximumLength, MeanLength, MinimumLength
from treaty.engine.components.operands import TEXT

Bound = Mapping[str, BoundAnalyzer]


@dataclass(frozen=True)
class Fact:
    """A single value reported for a column.

    `analyzer`: creates the analyzer for a column name. `words`: display name. `of_values`: it describes ordered
    values; for texts it is measured only if they parse as another type, on the parsed values."""

    analyzer: Callable[[str], Analyzer]
    words: str
    of_values: bool = False


def _quantile(share: float, words: str) -> Fact:
    return Fact(lambda column: ApproxQuantile(column=column, quantile=share), words, of_values=True)


FACTS: Mapping[str, Fact] = {
    "completeness": Fact(lambda column: Completeness(column=column), "completeness"),
    "approx_count_distinct": Fact(lambda column: ApproxCountDistinct(column=column), "distinct values (approx.)"),
    "minimum": Fact(lambda column: Minimum(column=column), "min", of_values=True),
    "maximum": Fact(lambda column: Maximum(column=column), "max", of_values=True),
    "mean": Fact(lambda column: Mean(column=column), "mean", of_values=True),
    "standard_deviation": Fact(lambda column: StandardDeviation(column=column), "standard deviation", of_values=True),
    "q01": _quantile(0.01, "1st percentile (approx.)"),
    "q25": _quantile(0.25, "25th percentile (approx.)"),
    "median": _quantile(0.5, "median (approx.)"),
    "q75": _quantile(0.75, "75th percentile (approx.)"),
    "q99": _quantile(0.99, "99th percentile (approx.)"),
    "minimum_length": Fact(lambda column: MinimumLength(column=column), "min length"),
    "maximum_length": Fact(lambda column: MaximumLength(column=column), "max length"),
    "mean_length": Fact(lambda column: MeanLength(column=column), "mean length"),
}


def facts_of(column: Column, schema: Schema) -> Bound:
    """Return the facts of the column, by name, bound to it."""
    # In Spark, minimum and maximum of texts cost more than all their other facts together.
    facts = {name: fact for name, fact in FACTS.items() if not (fact.of_values and column.base_type in TEXT)}
    bound_facts = {name: bound(fact.analyzer(column.name), schema) for name, fact in facts.items()}
    return {name: each for name, each in bound_facts.items() if each and not _shows_values(each)}


def facts_read_as(column: Column, type_: str, sql: str, schema: Schema) -> Bound:
    """Return the facts of a text column parsed as another type by `sql`; null counts as missing."""
    schema_as_read = replace(schema, columns=(Column(column.name, type_),))
    bound_facts = {
        name: bound(fact.analyzer(column.name), schema_as_read) for name, fact in FACTS.items() if fact.of_values
    }
    return {name: _through(each, column, sql) for name, each in bound_facts.items() if each and not _shows_values(each)}


def bound(analyzer: Analyzer, schema: Schema) -> BoundAnalyzer | None:
    """Bind the analyzer to a table with that schema; None if it does not fit the column's type."""
    try:
        return analyzer.bind(schema)
    except NotApplicableToTable:
        return None


def is_valid_predicate(predicate: str) -> bool:
    """Return whether a contract may contain the predicate.

    Names that Spark would replace and very long lists are rejected."""
    try:
        parse(predicate, None)
    except PredicateError:
        return False
    return True


def _through(each: BoundAnalyzer, column: Column, sql: str) -> BoundAnalyzer:
    return replace(each, parts={name: _part(part, quote(column.name), sql) for name, part in each.parts.items()})


def _part(part: BoundComponent, column: str, sql: str) -> BoundComponent:
    operands = tuple(replace(each, sql=sql) if each.sql == column else each for each in part.operands)
    return replace(part, operands=operands)


def _shows_values(each: BoundAnalyzer) -> bool:
    return any(part.is_transient for part in each.parts.values())
