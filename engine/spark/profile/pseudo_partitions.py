"""Tables without partitions, split by a hash of their rows: what is learned on some parts is judged on another.

The hash is of the columns that tell rows apart: who reads a few columns of a part reads those beside them, not all."""

from dataclasses import replace
from typing import Any

from treaty.contracts.predicates.parser import quote
from treaty.engine.components.operands import NUMERIC, TEMPORAL, TEXT
from treaty.engine.profile.table_profile import TableProfile
from treaty.engine.protocol.requests import DraftRequest
from treaty.engine.spark.profile import glance
from treaty.engine.spark.profile.profiler import ProfiledTable

PART = "treaty_part"
# Two are learned on, one is judged: rows that are alike lie together, so no part knows another's.
PARTS = 3


def split(table: ProfiledTable, request: DraftRequest) -> tuple[ProfiledTable, DraftRequest]:
    """The table with its part in a column, and the request to profile each part; both as they are where partitions
    are known, or where no column can be hashed."""
    hashed = [each.name for each in table.schema if each.base_type in NUMERIC | TEMPORAL | TEXT | {"boolean"}]
    if request.source.partition_by or not hashed or PART in table.schema.names:
        return table, request
    parted = replace(request, source=replace(request.source, partition_by=(PART,)))
    return replace(table, frame=_parted(table.frame, glance.telling(table.frame, hashed)), names=()), parted


def _parted(frame: Any, hashed: list[str]) -> Any:
    from pyspark.sql import functions

    columns = [frame[quote(name)] for name in hashed]
    return frame.withColumn(PART, functions.pmod(functions.xxhash64(*columns), functions.lit(PARTS)).cast("int"))


def as_one(found: TableProfile) -> TableProfile:
    """The history with all its parts as the one table that they are."""
    return replace(found, partitions=(("", found.whole),) if found.partitions else ())
