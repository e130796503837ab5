"""Samples of a run: rows of what arrived that break its failed checks, read once it is judged."""

import logging
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta

from contracts.errors import ContractError
from engine.checks import BoundChecks
from engine.requests import Engine, EngineError, SampleRequest
from engine.results import RunResult
from engine.samples import wanted
from registry.orders import Order

log = logging.getLogger("treaty.worker")


@dataclass(frozen=True)
class Sampling:
    """How many rows are kept of each failed check, 0: none, and for how long."""

    rows: int = 0
    lasts: timedelta = timedelta()


def sampled(
    asked: Order, engine: Engine, limit: int, checks: BoundChecks, result: RunResult, *, delta: Mapping[str, str]
) -> RunResult:
    """The run with rows of what arrived that break failed checks; without them where none can be read.

    `delta` are the partitions that arrived, with their fingerprints."""
    if not limit or not delta:
        return result
    only = wanted(checks, result.results)
    try:
        shown = engine.sample(_request(asked, limit, only, delta)) if only else ()
    except (EngineError, ContractError) as error:
        log.warning("a run has no samples: %s", error)
        return result
    return result.model_copy(update={"samples": shown})


def _request(asked: Order, limit: int, only: Mapping[str, tuple[str, ...]], delta: Mapping[str, str]) -> SampleRequest:
    came = delta if asked.object.arrivals and not asked.source.partition_by else {}
    return SampleRequest(
        source=asked.source,
        contract=asked.contract.source,
        object=asked.object.name,
        only=only,
        partitions=() if came else tuple(name for name in delta if name),
        limit=limit,
        others=asked.others,
        arrivals=came,
    )
