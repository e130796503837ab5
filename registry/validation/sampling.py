"""Samples of a run: rows of what arrived that break its failed checks, read once it is judged."""

import logging
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import timedelta

from treaty.contracts.errors import ContractError
from treaty.engine.checks.bound_check import BoundChecks
from treaty.engine.core.errors import EngineError
from treaty.engine.core.results import RunResult
from treaty.engine.evaluation.violation_samples import sampled_checks
from treaty.engine.protocol.requests import Engine, SampleRequest
from treaty.registry.validation.plan import ValidationPlan, ValidationTarget

log = logging.getLogger("treaty.worker")


@dataclass(frozen=True)
class SamplingPolicy:
    """How many rows are kept of each failed check, 0: none, and for how long."""

    rows: int = 0
    lasts: timedelta = timedelta()


def sampled(engine: Engine, request: SampleRequest, checks: BoundChecks, result: RunResult) -> RunResult:
    """The run with rows of what arrived that break failed checks; without them where none can be read."""
    only = sampled_checks(checks, result.results)
    try:
        shown = engine.sample(replace(request, failed_checks=only)) if only else ()
    except (EngineError, ContractError) as error:
        log.warning("a run has no samples: %s", error)
        return result
    return result.model_copy(update={"samples": shown})


def request(
    asked: ValidationPlan, promise: ValidationTarget, limit: int, delta: Mapping[str, str], version: int | None = None
) -> SampleRequest:
    """What to ask for rows of the partitions that arrived, which are there with their fingerprints, at the version that
    was judged."""
    came = delta if asked.arrivals and not asked.source.partition_by else {}
    return SampleRequest(
        source=replace(asked.source, version=version),
        contract=promise.contract.source,
        object=promise.object.name,
        failed_checks={},
        partitions=() if came else tuple(name for name in delta if name),
        limit=limit,
        datasets=promise.datasets,
        arrivals=came,
        classifying=asked.classifying,
    )
