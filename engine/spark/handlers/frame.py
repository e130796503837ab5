"""Everything that judging needs of a frame in the caller's own session: states, what is read of all rows, limits."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from treaty.contracts.document.computed_partitions import partition_columns
from treaty.contracts.document.model import Contract
from treaty.engine.checks.binding import bind
from treaty.engine.checks.bound_check import BoundChecks
from treaty.engine.checks.dataset_limits import ReferenceValue
from treaty.engine.core.hash_key import HashKey
from treaty.engine.spark.scan import separate_statements
from treaty.engine.spark.scan.footer_statistics import FooterCounts, scan_remaining, stated
from treaty.engine.spark.scan.separate_statements import OtherDatasets
from treaty.engine.spark.sources.readers import schema_of
from treaty.engine.states.bag import StateBag


@dataclass(frozen=True)
class FrameReading:
    """What was read of a frame: the bag of each partition, that of all rows at once, and limits that refer.

    `checks` are those that it was read for, on the frame's schema."""

    checks: BoundChecks
    states: dict[str, StateBag]
    whole_table_states: StateBag | None
    referents: dict[str, ReferenceValue]


def read_frame(  # noqa: PLR0913
    frame: Any,
    contract: Contract,
    object_name: str,
    *,
    partition_by: Sequence[str] | None = None,
    others: Mapping[str, Any] | None = None,
    statistics: str | None = None,
    key: HashKey | None = None,
) -> FrameReading:
    """What the checks of an object need of the frame; `others` are the frames of other datasets by name.

    `partition_by` None: the contract's partition columns, where the frame has them. `statistics`: the folder of Parquet
    that the frame is a plain reading of. `key`: what classified values are hashed with. Raises ContractError and
    Unreadable."""
    checks, frames = bind(contract.object(object_name), schema_of(frame)), OtherDatasets(others or {})
    known = partition_columns(checks.object, partition_by, checks.schema)
    plan, schema = replace(checks.plan, key=key), checks.schema
    told = stated(plan, statistics, schema, partition_by=known) if statistics else FooterCounts(plan)
    states = scan_remaining(frame, plan, told, partition_by=known, others=frames)
    whole = separate_statements.whole_table_states(frame, plan, frames)
    return FrameReading(checks, states, whole, separate_statements.referents(checks.object, frames))
