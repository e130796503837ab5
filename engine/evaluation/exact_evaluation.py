"""Evaluate a contract where the rows are at hand: uncertain checks are computed exactly."""

import logging
from collections.abc import Callable, Mapping
from dataclasses import replace

from treaty.contracts.errors import ContractError
from treaty.engine.core.errors import EngineError
from treaty.engine.core.results import MetricKey, Outcome, RunResult, Value
from treaty.engine.evaluation.evaluator import evaluate
from treaty.engine.evaluation.request import EvaluationRequest

log = logging.getLogger("treaty.engine")
# By check id, the partitions on which the check is uncertain; None means all rows.
UncertainChecks = Mapping[str, tuple[str | None, ...]]
ComputeExactly = Callable[[UncertainChecks], Mapping[MetricKey, Value]]


def evaluate_exactly(
    request: EvaluationRequest,
    compute: ComputeExactly,
    evaluate: Callable[[EvaluationRequest], RunResult] = evaluate,
) -> RunResult:
    """Evaluate the request, with exact values of the checks that estimates leave uncertain.

    `compute`: reads the rows; it is called only if there are such checks. Checks without an exact value, and all of
    them if the rows cannot be read, stay uncertain. Raises as `evaluate`."""
    run = evaluate(replace(request, has_rows=True))
    uncertain = uncertain_checks(run)
    if not uncertain:
        return run
    try:
        values = compute(uncertain)
    except (EngineError, ContractError) as error:
        log.warning("uncertain checks could not be computed exactly: %s", error)
        values = {}
    return evaluate(replace(request, exact_values=values))


def uncertain_checks(run: RunResult) -> dict[str, tuple[str | None, ...]]:
    """Return the uncertain checks of a run by id, with their partitions."""
    uncertain: dict[str, tuple[str | None, ...]] = {}
    for result in run.results:
        if result.outcome is Outcome.UNCERTAIN:
            uncertain[result.check_id] = (*uncertain.get(result.check_id, ()), result.partition)
    return uncertain
