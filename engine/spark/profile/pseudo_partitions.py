"""Split a table without partitions into parts by a hash of its rows.

Suggestions are learned on some parts and tested on another. The hash is of the columns that distinguish rows best, so
a scan of a few columns does not have to read all others."""

from dataclasses import replace
from typing import Any

from treaty.contracts.predicates.parser import quote
from treaty.engine.components.operands import NUMERIC, TEMPORAL, TEXT
from treaty.engine.profile.table_profile import TableProfile
from treaty.engine.protocol.requests import DraftRequest
from treaty.engine.spark.profile import glance
from treaty.engine.spark.profile.profiler import ProfiledTable

PART = "treaty_part"
# Two parts are used for learning and one for testing; equal rows fall into one part, so parts are independent.
PARTS = 3


def split(table: ProfiledTable, request: DraftRequest) -> tuple[ProfiledTable, DraftRequest]:
    """Return the table with a part column and the request to profile each part.

    Both are returned unchanged if partitions are known or no column can be hashed."""
    hashed = [each.name for each in table.schema if each.base_type in NUMERIC | TEMPORAL | TEXT | {"boolean"}]
    if request.source.partition_by or not hashed or PART in table.schema.names:
        return table, request
    parted = replace(request, source=replace(request.source, partition_by=(PART,)))
    return replace(table, frame=_parted(table.frame, glance.telling(table.frame, hashed)), names=()), parted


def _parted(frame: Any, hashed: list[str]) -> Any:
    from pyspark.sql import functions

    columns = [frame[quote(name)] for name in hashed]
    return frame.withColumn(PART, functions.pmod(functions.xxhash64(*columns), functions.lit(PARTS)).cast("int"))


def as_one(profile: TableProfile) -> TableProfile:
    """Merge the parts of the profile into one table."""
    return replace(profile, partitions=(("", profile.whole),) if profile.partitions else ())
