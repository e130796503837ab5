"""Rows that fail, in a session of your own: a frame with the checks that each row breaks, good and bad rows apart.

bad = flagged(orders, contract).where("size(broken_checks) > 0")
done = quarantine(orders, contract, Quarantine("/data/orders-checked"))
assert done.bad == 0, done.broken
"""

from collections.abc import Mapping, Sequence
from typing import Any

from treaty.contracts.document.computed_partitions import partition_columns
from treaty.contracts.document.model import Contract
from treaty.engine.checks.binding import bind
from treaty.engine.checks.bound_check import BoundChecks
from treaty.engine.core.results import RunResult, ViolationSample
from treaty.engine.evaluation.violation_samples import sampled_checks
from treaty.engine.protocol.requests import QuarantineResult, QuarantineTarget

__all__ = ["QuarantineResult", "QuarantineTarget", "flag_rows", "quarantine", "samples"]
Frames = Mapping[str, Any]


def flag_rows(
    frame: Any,
    contract: Contract,
    *,
    object_name: str | None = None,
    partition_by: Sequence[str] | None = None,
    others: Frames | None = None,
) -> Any:
    """The Spark frame, row for row, with two more columns: the ids of the checks that a row breaks (`broken_checks`)
    and of those that cannot be evaluated on it (`unevaluated_checks`), in the contract's order and never null.

    `object_name` None: the contract's first object. `partition_by` None: the partition columns that it names, where the
    frame has them. `others`: frames of other datasets by name. Raises ContractError for faults of the contract,
    EngineError where the frame has such columns already."""
    from treaty.engine.spark.scan import violating_rows
    from treaty.engine.spark.scan.separate_statements import OtherDatasets

    checks, by = _bound(frame, contract, object_name, partition_by)
    return violating_rows.flag_rows(frame, checks, others=OtherDatasets(others or {}), partition_by=by)


def quarantine(
    frame: Any,
    contract: Contract,
    into: QuarantineTarget | str,
    *,
    object_name: str | None = None,
    partition_by: Sequence[str] | None = None,
    others: Frames | None = None,
) -> QuarantineResult:
    """Writes good and bad rows of the Spark frame apart, in one pass; see `QuarantineTarget` for where and which are
    bad.

    `into`: a folder's name stands for `QuarantineTarget` with that folder. The other arguments are those of
    `flagged`. Raises ContractError, and EngineError where nothing could be written."""
    from treaty.engine.spark.scan.quarantine import quarantine as written
    from treaty.engine.spark.scan.separate_statements import OtherDatasets

    checks, by = _bound(frame, contract, object_name, partition_by)
    target = QuarantineTarget(into) if isinstance(into, str) else into
    return written(frame, checks, target, others=OtherDatasets(others or {}), partition_by=by)


def samples(
    frame: Any,
    contract: Contract,
    run: RunResult,
    *,
    limit: int = 5,
    partition_by: Sequence[str] | None = None,
    others: Frames | None = None,
) -> tuple[ViolationSample, ...]:
    """Rows of the Spark frame that break the run's failed checks, as text, masked where the contract classifies them.

    One more reading of the frame, however many checks; () where no failed check is broken by single rows. Raises
    Unreadable where Spark cannot read them."""
    from treaty.engine.spark.scan import violating_rows
    from treaty.engine.spark.scan.separate_statements import OtherDatasets

    checks, by = _bound(frame, contract, run.object, partition_by)
    only = sampled_checks(checks, run.results)
    return (
        violating_rows.sample(frame, checks, only, limit=limit, others=OtherDatasets(others or {}), partition_by=by)
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
    others: Frames | None = None,
) -> RunResult:
    """The run with `samples` of its failed checks; as it is where none are asked for."""
    if not limit:
        return run
    found = samples(frame, contract, run, limit=limit, partition_by=partition_by, others=others)
    return run.model_copy(update={"samples": found})


def _bound(
    frame: Any, contract: Contract, object_name: str | None, partition_by: Sequence[str] | None
) -> tuple[BoundChecks, list[str]]:
    from treaty.engine.spark.sources.readers import schema_of

    checks = bind(contract.object(object_name or contract.objects[0].name), schema_of(frame))
    return checks, partition_columns(checks.object, partition_by, checks.schema)
