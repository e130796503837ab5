"""Who judges each check of a contract: Treaty itself, another engine, or people, of whom a text asks."""

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
    """A check, its promise in words, who judges it, and why nobody does here (None where it is judged here).

    `analyzer` is what it means where it is judged here."""

    check: ContractCheck
    sentence: str
    runner: Runner
    scope: str = "delta"
    column: str | None = None
    reason: str | None = None
    analyzer: Analyzer | None = None


def checks_with_runners(described: DataObject) -> tuple[CheckAssignment, ...]:
    """All checks of the object, those that the words of its columns stand for first. Says nothing of a real table.

    Where the checks have faults of the contract's own, they are said by their names, and to be judged nowhere."""
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
    judged = bound.analyzer is not None
    return CheckAssignment(
        check=bound.check,
        sentence=bound.sentence,
        runner=Runner.HERE if judged else Runner.ELSEWHERE,
        scope=bound.scope,
        column=bound.column,
        reason=None if judged else bound.reason,
        analyzer=bound.analyzer,
    )


def _of_people(check: ContractCheck) -> CheckAssignment:
    return CheckAssignment(
        check=check,
        sentence=check.name,
        runner=Runner.PEOPLE,
        column=check.column,
        reason="a text is read by people alone",
    )
