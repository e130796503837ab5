"""Which columns of a table have no value that the key of another dataset lacks: counted exactly, of few pairs."""

from typing import Any

from contracts.predicates import quote
from engine.analyzers.quoting import TEXT
from engine.profile import referring
from engine.profile.holding import Held
from engine.profile.measured import Part
from engine.profile.profile import ColumnProfile, History
from engine.progress import Tell
from engine.requests import DraftRequest, EngineError, KeyOf
from engine.spark.profile import Opened
from engine.spark.sources import read, schema_of

MOST_PAIRS = 20


def references(session: Any, table: Opened, found: History, request: DraftRequest, tell: Tell) -> list[Held]:
    """What the table's columns are seen to refer to; nothing where rows were drawn. A dataset that cannot be read is
    left out."""
    if found.sampled < 1 or not request.keys:
        return []
    part = Part.of(found)
    likely = list(referring.pairs(part, request.keys))[:MOST_PAIRS]
    if likely:
        tell(f"looking for what {len(likely)} columns refer to")
    return [referring.held(column, key, part) for column, key in likely if _is_within(session, table, column, key)]


def _is_within(session: Any, table: Opened, column: ColumnProfile, key: KeyOf) -> bool:
    try:
        other = read(session, key.source)
        kinds = {each.name: each.base_type in TEXT for each in schema_of(other)}
        if kinds.get(key.column) is not (column.column.base_type in TEXT):
            return False
        ours = table.frame.selectExpr(f"{quote(column.column.name)} as k").where("k is not null").distinct()
        theirs = other.selectExpr(f"{quote(key.column)} as k")
        return bool(ours.join(theirs, "k", "left_anti").isEmpty())
    except EngineError:
        return False
