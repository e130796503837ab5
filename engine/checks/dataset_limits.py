"""What a contract says of other datasets: which ones its checks read, and what the limits that refer to them are."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from pydantic import ValidationError

from treaty.contracts.assertions import PAIRED, Assertion, ReferenceLimit
from treaty.contracts.document.model import ContractCheck, DataObject
from treaty.engine.analyzers import ANALYZERS
from treaty.engine.analyzers.arguments import ArgumentRole
from treaty.engine.analyzers.base import Analyzer
from treaty.engine.core.results import Value


@dataclass(frozen=True)
class ReferenceValue:
    """What a limit that refers was found to be. `value` None: it is not known, for the `reason`.

    `origin` says where the value comes from (the run, its time), as plain data."""

    value: Value = None
    reason: str | None = None
    origin: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class ReferencedMetric:
    """A metric of another dataset that a limit refers to."""

    dataset: str
    analyzer: Analyzer


def referenced_metrics(data_object: DataObject) -> dict[str, ReferencedMetric]:
    """The metrics that the object's limits refer to, by their words; without those that are no metrics (`bind` says
    so)."""
    limits = [(limit, _analyzer(limit)) for check in data_object.checks for limit in _limits(check)]
    return {str(limit): ReferencedMetric(limit.dataset, analyzer) for limit, analyzer in limits if analyzer}


def _analyzer(limit: ReferenceLimit) -> Analyzer | None:
    kind = ANALYZERS.get(limit.analyzer)
    try:
        return kind.model_validate(dict(limit.arguments)) if kind else None
    except ValidationError:
        return None


def _limits(check: ContractCheck) -> tuple[ReferenceLimit, ...]:
    return check.assertion.references if check.kind == "treaty" and check.assertion else ()


def datasets(data_object: DataObject) -> tuple[str, ...]:
    """The other datasets whose rows the object's checks read, each once, in the order of the checks."""
    return tuple(dict.fromkeys(name for check in data_object.checks for name in _read(check)))


def _read(check: ContractCheck) -> Iterator[str]:
    kind = ANALYZERS.get(check.analyzer) if check.kind == "treaty" else None
    for name, argument in (kind.model_fields if kind else {}).items():
        given = check.arguments.get(name)
        if ArgumentRole.DATASET in argument.metadata and isinstance(given, str):
            yield given


def promise(assertion: Assertion, known: Mapping[str, ReferenceValue]) -> Assertion | str:
    """The assertion with the value of every limit that refers; where one has none, in words why."""
    for words in map(str, assertion.references):
        found = known.get(words, ReferenceValue())
        if found.value is None:
            return f"{words} is not known: {found.reason or 'nobody handed it in'}"
    return assertion.resolved({words: found.value for words, found in known.items()})


def bound_of(assertion: Assertion) -> Any:
    """The limit as plain data: a scalar, a list of two, None for one that refers and has no value."""
    if assertion.references:
        return None
    return list(assertion.limit) if assertion.operator in PAIRED else assertion.limit


def sources(assertion: Assertion, known: Mapping[str, ReferenceValue]) -> dict[str, Any] | None:
    """The value of each limit that refers, by its words, with where it comes from; None where none refers."""
    found = {str(each): known[str(each)] for each in assertion.references if str(each) in known}
    return {words: {"value": each.value, **each.origin} for words, each in found.items()} or None
