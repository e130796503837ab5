"""Find columns that may be keys, the likeliest by name first: their sketches allow all values to be distinct.

Deequ (VLDB 2018, section 3.3) suggests a unique constraint for a model probability of one half and more; its rule
treats a column as unique if the estimate is within 8 % of the rows, and so even columns in which one value in twelve
occurs twice. Here the bounds are the sketch's own, and candidates are counted exactly before they are suggested."""

from dataclasses import dataclass, field

from treaty.engine.components.sketches import DistinctSketch
from treaty.engine.profile.table_profile import ColumnProfile, TableProfile
from treaty.engine.states.bag import StateBag
from treaty.engine.suggestions.keys.model import KeyNameModel, shipped
from treaty.engine.suggestions.keys.name_features import SchemaColumnName


@dataclass(frozen=True)
class LikelyKey:
    """A column with its probability of being a key, by names alone: between 0 and 1.

    `suggested`: the probability reaches the model's threshold."""

    column: ColumnProfile
    probability: float
    suggested: bool


@dataclass(frozen=True)
class KeyNames:
    """A table's name, and the model that predicts its keys from names."""

    table: str
    model: KeyNameModel = field(default_factory=shipped)

    def likely(self, column: ColumnProfile, history: TableProfile) -> LikelyKey:
        """Return the column's probability of being a key, by names alone."""
        names = tuple(each.column.name for each in history.columns)
        probability = self.model.probability(
            SchemaColumnName(self.table, column.column.name, column.column.base_type, names)
        )
        return LikelyKey(column, probability, probability >= self.model.threshold)


def key_suggestions(history: TableProfile, names: KeyNames) -> list[LikelyKey]:
    """Return the columns that may be keys of the table, the likeliest by name first.

    Empty for a table without rows. Each is complete, and the merged sketch of all partitions allows all values to be
    distinct; this is still to be counted. (Single sketches of many partitions would by chance exclude a true key.)"""
    if not sum(history.rows):
        return []
    possible = [each for each in history.columns if may_be_unique(each, history.whole)]
    return sorted((names.likely(each, history) for each in possible), key=lambda each: -each.probability)


def may_be_unique(column: ColumnProfile, bag: StateBag) -> bool:
    """Return True if the column is complete and, by its sketch, may be distinct."""
    measured = column.metrics.get("approx_count_distinct")
    state = bag.values.get(measured.parts["distinct"].key) if measured else None
    return column.value("completeness", bag) == 1 and bag.rows <= DistinctSketch.bounded(state).high
