"""Assign each check of a contract to its executor: Treaty, another engine, or people."""

from dataclasses import dataclass

from treaty.contracts.document.model import ContractCheck, DataObject
from treaty.contracts.errors import ContractError
from treaty.contracts.schema import Schema
from treaty.engine.analyzers.base import Analyzer
from treaty.engine.checks.binding import bind
from treaty.engine.checks.bound_check import BoundCheck
from treaty.engine.core.results import Runner


@dataclass(frozen=True, kw_only=True)
class CheckAssignment:
    """A check with its sentence and its executor.

    `reason`: why Treaty does not evaluate it; None if it does. `analyzer`: set only for checks that Treaty
    evaluates."""

    check: ContractCheck
    sentence: str
    runner: Runner
    scope: str = "delta"
    column: str | None = None
    reason: str | None = None
    analyzer: Analyzer | None = None


def checks_with_runners(described: DataObject) -> tuple[CheckAssignment, ...]:
    """Return all checks of the object with their executors, derived checks first, without a table.

    If the contract's checks have faults, all of them except texts are listed by name and assigned elsewhere."""
    texts = tuple(_of_people(each) for each in described.checks if each.kind == "text")
    try:
        return (*map(_of_engine, bind(described, Schema(())).checks), *texts)
    except ContractError as error:
        reason = "; ".join(fault.message for fault in error.faults)
        faulty = (each for each in described.checks if each.kind != "text")
        return (
            *(
                CheckAssignment(check=each, sentence=each.name, runner=Runner.ELSEWHERE, reason=reason)
                for each in faulty
            ),
            *texts,
        )


def _of_engine(bound: BoundCheck) -> CheckAssignment:
    executable = bound.analyzer is not None
    return CheckAssignment(
        check=bound.check,
        sentence=bound.sentence,
        runner=Runner.HERE if executable else Runner.ELSEWHERE,
        scope=bound.scope,
        column=bound.column,
        reason=None if executable else bound.reason,
        analyzer=bound.analyzer,
    )


def _of_people(check: ContractCheck) -> CheckAssignment:
    return CheckAssignment(
        check=check,
        sentence=check.name,
        runner=Runner.PEOPLE,
        column=check.column,
        reason="text checks are not evaluated automatically",
    )
