"""Sample violating rows of arrived data for the failed checks of a run, after evaluation."""

import logging
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import timedelta

from treaty.contracts.errors import ContractError
from treaty.engine.checks.bound_check import BoundChecks
from treaty.engine.core.errors import EngineError
from treaty.engine.core.results import RunResult
from treaty.engine.evaluation.violation_samples import sampled_checks
from treaty.engine.protocol.engine import Engine
from treaty.engine.protocol.row_requests import SampleRequest
from treaty.registry.validation.plan import ValidationPlan, ValidationTarget

log = logging.getLogger("treaty.worker")


@dataclass(frozen=True)
class SamplingPolicy:
    """Number of rows stored per failed check, and their retention.

    `rows`: 0 stores none."""

    rows: int = 0
    lasts: timedelta = timedelta()


def sampled(engine: Engine, request: SampleRequest, checks: BoundChecks, result: RunResult) -> RunResult:
    """Return the run with samples of violating rows; unchanged if none can be read."""
    failed_checks = sampled_checks(checks, result.results)
    try:
        samples = engine.sample(replace(request, failed_checks=failed_checks)) if failed_checks else ()
    except (EngineError, ContractError) as error:
        log.warning("no samples of violating rows could be read: %s", error)
        return result
    return result.model_copy(update={"samples": samples})


def request(
    plan: ValidationPlan, promise: ValidationTarget, limit: int, delta: Mapping[str, str], version: int | None = None
) -> SampleRequest:
    """Return the request for rows of the arrived partitions at the version that was evaluated.

    `delta`: arrived partitions with their fingerprints."""
    arrivals = delta if plan.arrivals and not plan.source.partition_by else {}
    return SampleRequest(
        source=replace(plan.source, version=version),
        contract=promise.contract.source,
        object=promise.object.name,
        failed_checks={},
        partitions=() if arrivals else tuple(name for name in delta if name),
        limit=limit,
        datasets=promise.datasets,
        arrivals=arrivals,
        classifying=plan.classifying,
    )
