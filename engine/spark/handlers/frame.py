"""Read a frame of the caller's own session: states, whole-table states and reference values."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from treaty.contracts.document.computed_partitions import partition_columns
from treaty.contracts.document.model import Contract
from treaty.engine.checks.binding import bind
from treaty.engine.checks.bound_check import BoundChecks
from treaty.engine.checks.dataset_limits import ReferenceValue
from treaty.engine.core.hash_key import HashKey
from treaty.engine.core.results import ExactValue, MetricKey
from treaty.engine.evaluation.exact_evaluation import UncertainChecks
from treaty.engine.spark.scan import exact_metrics, separate_statements
from treaty.engine.spark.scan.footer_statistics import FooterCounts, scan_remaining, stated
from treaty.engine.spark.scan.separate_statements import OtherDatasets
from treaty.engine.spark.sources.readers import schema_of
from treaty.engine.states.bag import StateBag


@dataclass(frozen=True, kw_only=True)
class FrameReading:
    """The states and reference values read from a frame.

    `checks`: the checks bound to the frame's schema. `states`: by partition. `whole_table_states`: states over all
    rows; None if no check needs them. `referents`: reference values of bounds that refer to other datasets.
    `partition_by`: the partition columns."""

    checks: BoundChecks
    states: dict[str, StateBag]
    whole_table_states: StateBag | None
    referents: dict[str, ReferenceValue]
    partition_by: tuple[str, ...] = ()


def read_frame(  # noqa: PLR0913
    frame: Any,
    contract: Contract,
    object_name: str,
    *,
    partition_by: Sequence[str] | None = None,
    other_datasets: Mapping[str, Any] | None = None,
    statistics: str | None = None,
    key: HashKey | None = None,
) -> FrameReading:
    """Read everything that the checks of an object need from the frame.

    `partition_by`: partition columns; None means those of the contract that the frame has. `other_datasets`: frames
    of other
    datasets by name. `statistics`: the Parquet folder that the frame reads without changes; its footers then answer
    what they can. `key`: key that hashes classified values. Raises ContractError and UnreadableTable."""
    checks, frames = bind(contract.object(object_name), schema_of(frame)), OtherDatasets(other_datasets or {})
    partition_columns_of_frame = partition_columns(checks.object, partition_by, checks.schema)
    plan, schema = replace(checks.plan, key=key), checks.schema
    footers = (
        stated(plan, statistics, schema, partition_by=partition_columns_of_frame) if statistics else FooterCounts(plan)
    )
    states = scan_remaining(frame, plan, footers, partition_by=partition_columns_of_frame, other_datasets=frames)
    whole = separate_statements.whole_table_states(frame, plan, frames)
    referents = separate_statements.referents(checks.object, frames)
    by = tuple(partition_columns_of_frame)
    return FrameReading(checks=checks, states=states, whole_table_states=whole, referents=referents, partition_by=by)


def exact_values(
    frame: Any, reading: FrameReading, uncertain: UncertainChecks, *, complete: bool
) -> dict[MetricKey, ExactValue]:
    """Compute the metrics of uncertain checks exactly; those without an exact form are left out.

    `complete`: the frame has all rows that checks of all partitions cover; otherwise these are left out, too. Raises
    UnreadableTable."""
    covered = {
        check_id: [name for name in names if complete or name is not None] for check_id, names in uncertain.items()
    }
    return exact_metrics.exact_values(frame, reading.checks, covered, reading.partition_by)
