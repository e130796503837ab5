"""Flag violating rows of a Spark frame, and separate good rows from bad ones.

bad = flag_rows(orders, contract).where("size(broken_checks) > 0")
result = quarantine(orders, contract, QuarantineTarget("/data/orders-checked"))
assert result.bad == 0, result.violating_rows"""

from collections.abc import Mapping, Sequence
from typing import Any

from treaty.contracts.document.computed_partitions import partition_columns
from treaty.contracts.document.model import Contract
from treaty.engine.checks.binding import bind
from treaty.engine.checks.bound_check import BoundChecks
from treaty.engine.core.results import RunResult, ViolationSample
from treaty.engine.evaluation.violation_samples import sampled_checks
from treaty.engine.protocol.row_requests import QuarantineResult, QuarantineTarget

__all__ = ["QuarantineResult", "QuarantineTarget", "flag_rows", "quarantine", "samples"]
Frames = Mapping[str, Any]


def flag_rows(
    frame: Any,
    contract: Contract,
    *,
    object_name: str | None = None,
    partition_by: Sequence[str] | None = None,
    other_datasets: Frames | None = None,
) -> Any:
    """Add two columns to the Spark frame: `broken_checks` and `unevaluated_checks`.

    They contain the ids of the checks that a row violates and of those that cannot be evaluated on it, in the
    contract's order and never null. `object_name`: None means the contract's first object. `partition_by`: None
    means the object's partition columns that the frame has. `other_datasets`: frames of other datasets by name. Raises
    ContractError for faults of the contract, EngineError if the frame already has such columns."""
    from treaty.engine.spark.scan import violating_rows
    from treaty.engine.spark.scan.separate_statements import OtherDatasets

    checks, by = _bound(frame, contract, object_name, partition_by)
    return violating_rows.flag_rows(frame, checks, other_datasets=OtherDatasets(other_datasets or {}), partition_by=by)


def quarantine(
    frame: Any,
    contract: Contract,
    output: QuarantineTarget | str,
    *,
    object_name: str | None = None,
    partition_by: Sequence[str] | None = None,
    other_datasets: Frames | None = None,
) -> QuarantineResult:
    """Write good and bad rows of the Spark frame to separate folders in one pass.

    `output`: target and definition of bad rows; a string means `QuarantineTarget` with that folder. The other
    arguments are those of `flag_rows`. Raises ContractError, and EngineError if nothing could be written."""
    from treaty.engine.spark.scan.quarantine import quarantine as written
    from treaty.engine.spark.scan.separate_statements import OtherDatasets

    checks, by = _bound(frame, contract, object_name, partition_by)
    target = QuarantineTarget(output) if isinstance(output, str) else output
    return written(frame, checks, target, other_datasets=OtherDatasets(other_datasets or {}), partition_by=by)


def samples(
    frame: Any,
    contract: Contract,
    run: RunResult,
    *,
    limit: int = 5,
    partition_by: Sequence[str] | None = None,
    other_datasets: Frames | None = None,
) -> tuple[ViolationSample, ...]:
    """Return violating rows of the run's failed checks, as text, with masks for classified columns.

    Needs one more scan of the frame for any number of checks. Empty if no failed check has violating rows. Raises
    UnreadableTable if Spark cannot read the rows."""
    from treaty.engine.spark.scan import violating_rows
    from treaty.engine.spark.scan.separate_statements import OtherDatasets

    checks, by = _bound(frame, contract, run.object, partition_by)
    only = sampled_checks(checks, run.results)
    return (
        violating_rows.sample(
            frame, checks, only, limit=limit, other_datasets=OtherDatasets(other_datasets or {}), partition_by=by
        )
        if only
        else ()
    )


def with_samples(
    frame: Any,
    contract: Contract,
    run: RunResult,
    *,
    limit: int,
    partition_by: Sequence[str] | None = None,
    other_datasets: Frames | None = None,
) -> RunResult:
    """Add `samples` of the failed checks to the run; unchanged if `limit` is 0."""
    if not limit:
        return run
    rows = samples(frame, contract, run, limit=limit, partition_by=partition_by, other_datasets=other_datasets)
    return run.model_copy(update={"samples": rows})


def _bound(
    frame: Any, contract: Contract, object_name: str | None, partition_by: Sequence[str] | None
) -> tuple[BoundChecks, list[str]]:
    from treaty.engine.spark.sources.readers import schema_of

    checks = bind(contract.object(object_name or contract.objects[0].name), schema_of(frame))
    return checks, partition_columns(checks.object, partition_by, checks.schema)
