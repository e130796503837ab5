"""Evaluate a contract where the rows are at hand: uncertain checks are computed exactly."""

import logging
from collections.abc import Callable, Mapping
from dataclasses import replace

from treaty.contracts.errors import ContractError
from treaty.engine.analyzers import ANALYZERS
from treaty.engine.core.errors import EngineError
from treaty.engine.core.results import ExactValue, MetricKey, Outcome, RunResult, Value
from treaty.engine.evaluation.evaluator import RunEvaluator, evaluate
from treaty.engine.evaluation.exact_states import ExactStates
from treaty.engine.evaluation.request import EvaluationRequest

# Analyzers that compare a partition with the previous one.
COMPARING = frozenset(name for name, analyzer in ANALYZERS.items() if analyzer.needs_previous)
log = logging.getLogger("treaty.engine")
# By check id, the partitions on which the check is uncertain; None means all rows.
UncertainChecks = Mapping[str, tuple[str | None, ...]]
# The arrived partition that a check compares a partition with, by check id and partition.
ComparedPartitions = Mapping[tuple[str, str | None], str]
ComputeExactly = Callable[[UncertainChecks], Mapping[MetricKey, ExactValue]]


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
    compared = _compared_partitions(request, run)
    try:
        values = compute(_with_compared(uncertain, compared))
    except (EngineError, ContractError) as error:
        log.warning("uncertain checks could not be computed exactly: %s", error)
        values = {}
    return evaluate(replace(request, exact_values=_of_uncertain(run, values, compared)))


def _compared_partitions(request: EvaluationRequest, run: RunResult) -> ComparedPartitions:
    """Return the partitions that uncertain checks compare with and whose rows are at hand."""
    comparing = {each.identity for each in run.measurements if each.analyzer in COMPARING}
    uncertain = {
        (each.check_id, each.partition)
        for each in run.results
        if each.outcome is Outcome.UNCERTAIN and each.measurement in comparing
    }
    evaluator, covered = RunEvaluator(request), frozenset(request.delta) - request.parts.keys()
    compared = {
        (check.check.id, name): evaluator.previous(check, name)
        for name in sorted({name for _, name in uncertain if name is not None})
        for check in evaluator.delta_checks(name)
        if (check.check.id, name) in uncertain
    }
    return {key: previous for key, previous in compared.items() if previous in covered}


def _with_compared(uncertain: UncertainChecks, compared: ComparedPartitions) -> UncertainChecks:
    """Add the partitions that uncertain checks compare with."""
    more: dict[str, list[str]] = {}
    for (check_id, _), previous in compared.items():
        more.setdefault(check_id, []).append(previous)
    return {each: tuple(dict.fromkeys([*names, *more.get(each, ())])) for each, names in uncertain.items()}


def _of_uncertain(
    run: RunResult, values: Mapping[MetricKey, ExactValue], compared: ComparedPartitions
) -> dict[MetricKey, Value | ExactStates]:
    """Return the exact values of the uncertain checks, or the states to compare."""
    exact: dict[MetricKey, Value | ExactStates] = {}
    for result in (each for each in run.results if each.outcome is Outcome.UNCERTAIN):
        identity = result.measurement or ""
        if (key := (identity, result.partition)) in values:
            previous = compared.get((result.check_id, result.partition))
            exact[key] = _paired(values[key], values.get((identity, previous)) if previous else None)
    return exact


def _paired(now: ExactValue, before: ExactValue) -> Value | ExactStates:
    return ExactStates(now, before if isinstance(before, bytes) else None) if isinstance(now, bytes) else now


def uncertain_checks(run: RunResult) -> dict[str, tuple[str | None, ...]]:
    """Return the uncertain checks of a run by id, with their partitions."""
    uncertain: dict[str, tuple[str | None, ...]] = {}
    for result in run.results:
        if result.outcome is Outcome.UNCERTAIN:
            uncertain[result.check_id] = (*uncertain.get(result.check_id, ()), result.partition)
    return uncertain
