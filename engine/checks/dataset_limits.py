"""Find the other datasets that checks read, and resolve limits that refer to them."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from math import isfinite
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
    """The resolved value of a limit that refers to another dataset.

    `value`: None means unknown, for the `reason`. `origin`: source of the value (run, time) as JSON-compatible data."""

    value: Value = None
    reason: str | None = None
    origin: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class ReferencedMetric:
    """A metric of another dataset that a limit refers to."""

    dataset: str
    analyzer: Analyzer


def referenced_metrics(data_object: DataObject) -> dict[str, ReferencedMetric]:
    """Return the metrics that the object's limits refer to, by the limit's text.

    Limits with an unknown analyzer or invalid arguments are left out; `bind` reports them."""
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
    """Return the other datasets whose rows the checks read, each once, in order."""
    return tuple(dict.fromkeys(name for check in data_object.checks for name in _read(check)))


def _read(check: ContractCheck) -> Iterator[str]:
    kind = ANALYZERS.get(check.analyzer) if check.kind == "treaty" else None
    for name, argument in (kind.model_fields if kind else {}).items():
        argument_value = check.arguments.get(name)
        if ArgumentRole.DATASET in argument.metadata and isinstance(argument_value, str):
            yield argument_value


def promise(assertion: Assertion, reference_values: Mapping[str, ReferenceValue]) -> Assertion | str:
    """Resolve every limit that refers to another dataset; return the reason if one has no value."""
    for words in map(str, assertion.references):
        reference = reference_values.get(words, ReferenceValue())
        if reference.value is None:
            return f"{words} is unknown: {reference.reason or 'no value was provided'}"
        if isinstance(reference.value, float) and not isfinite(reference.value):
            return f"{words} is not a finite number"
    return assertion.resolved({words: reference.value for words, reference in reference_values.items()})


def bound_of(assertion: Assertion) -> Any:
    """Return the limit as JSON-compatible data: a scalar, a list of two, or None if it refers to another dataset."""
    if assertion.references:
        return None
    return list(assertion.limit) if assertion.operator in PAIRED else assertion.limit


def sources(assertion: Assertion, reference_values: Mapping[str, ReferenceValue]) -> dict[str, Any] | None:
    """Return value and origin of each limit that refers to another dataset, by its text; None without any."""
    references = {
        str(each): reference_values[str(each)] for each in assertion.references if str(each) in reference_values
    }
    return {words: {"value": each.value, **each.origin} for words, each in references.items()} or None
