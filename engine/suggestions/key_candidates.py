"""Which columns may be keys: those whose sketches admit that no value occurs twice, the likeliest by name first.

Deequ (VLDB 2018, section 3.3) suggests a unique constraint for what its model gives one half and more; its rule takes
a column for unique whose estimate is within 8 % of the rows, and so columns of which one value in twelve occurs twice.
Here the bounds are the sketch's own, and what they admit is counted exactly before it is suggested."""

from dataclasses import dataclass

from treaty.engine.components.sketches import DistinctSketch
from treaty.engine.profile.table_profile import ColumnProfile, TableProfile
from treaty.engine.states.bag import StateBag
from treaty.engine.suggestions import key_name_model
from treaty.engine.suggestions.key_name_model import SchemaColumnName


@dataclass(frozen=True)
class LikelyKey:
    """A column with the chance, by names alone, that it is meant to be a key: between 0 and 1."""

    column: ColumnProfile
    probability: float

    @property
    def suggested(self) -> bool:
        """Whether names promise it: that chance is the model's threshold, one half, or more."""
        return self.probability >= key_name_model.model().threshold


def likely_key(column: ColumnProfile, history: TableProfile, table: str) -> LikelyKey:
    """What the names of the table and of its columns promise of the column, whatever its values are."""
    names = tuple(each.column.name for each in history.columns)
    named = SchemaColumnName(table, column.column.name, column.column.base_type, names)
    return LikelyKey(column, key_name_model.probability(named))


def key_suggestions(history: TableProfile, table: str) -> list[LikelyKey]:
    """The columns that may be keys of the whole table, the likeliest by name first; [] for a table without rows.

    Each is complete, and the sketch of all partitions together admits that no value occurs twice: that none does is
    still to be counted. (The sketches of many partitions, each asked alone, would by chance refuse a true key.)"""
    if not sum(history.rows):
        return []
    found = [each for each in history.columns if may_be_unique(each, history.whole)]
    return sorted((likely_key(each, history, table) for each in found), key=lambda each: -each.probability)


def may_be_unique(column: ColumnProfile, bag: StateBag) -> bool:
    """Whether the column is complete in these states and its sketch admits as many distinct values as rows."""
    measured = column.metrics.get("approx_count_distinct")
    state = bag.values.get(measured.parts["distinct"].key) if measured else None
    return column.value("completeness", bag) == 1 and bag.rows <= DistinctSketch.bounded(state).high
