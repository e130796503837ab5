"""Find columns that may be keys, the likeliest by name first: their sketches allow all values to be distinct.

Deequ (VLDB 2018, section 3.3) suggests a unique constraint for a model probability of one half and more; its rule
treats a column as unique if the estimate is within 8 % of the rows, and so even columns in which one value in twelve
occurs twice. Here the bounds are the sketch's own, and candidates are counted exactly before they are suggested."""

from dataclasses import dataclass

from treaty.engine.components.sketches import DistinctSketch
from treaty.engine.profile.table_profile import ColumnProfile, TableProfile
from treaty.engine.states.bag import StateBag
from treaty.engine.suggestions import key_name_model
from treaty.engine.suggestions.key_name_model import SchemaColumnName


@dataclass(frozen=True)
class LikelyKey:
    """A column with its probability of being a key, by names alone: between 0 and 1."""

    column: ColumnProfile
    probability: float

    @property
    def suggested(self) -> bool:
        """Return True if the probability reaches the model's threshold, one half."""
        return self.probability >= key_name_model.model().threshold


def likely_key(column: ColumnProfile, history: TableProfile, table: str) -> LikelyKey:
    """Return the column's probability of being a key, by names alone."""
    names = tuple(each.column.name for each in history.columns)
    named = SchemaColumnName(table, column.column.name, column.column.base_type, names)
    return LikelyKey(column, key_name_model.probability(named))


def key_suggestions(history: TableProfile, table: str) -> list[LikelyKey]:
    """Return the columns that may be keys of the table, the likeliest by name first.

    Empty for a table without rows. Each is complete, and the merged sketch of all partitions allows all values to be
    distinct; this is still to be counted. (Single sketches of many partitions would by chance exclude a true key.)"""
    if not sum(history.rows):
        return []
    possible = [each for each in history.columns if may_be_unique(each, history.whole)]
    return sorted((likely_key(each, history, table) for each in possible), key=lambda each: -each.probability)


def may_be_unique(column: ColumnProfile, bag: StateBag) -> bool:
    """Return True if the column is complete and, by its sketch, may be distinct."""
    measured = column.metrics.get("approx_count_distinct")
    state = bag.values.get(measured.parts["distinct"].key) if measured else None
    return column.value("completeness", bag) == 1 and bag.rows <= DistinctSketch.bounded(state).high
