"""Questions asked of stored states: metrics of several partitions together, without Spark and without rows.

A metric is named as `completeness:column=status`: its analyzer, then its arguments with a `;` between two of them. A
value is read as JSON where it is JSON (`values=["a", "b"]`), else it is the text as it stands (`where=amount > 0`)."""

import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from pydantic import ValidationError

from treaty.contracts.errors import ContractError, Fault, suggest_nearest
from treaty.contracts.schema import Schema
from treaty.engine.analyzers import ANALYZERS
from treaty.engine.analyzers.base import Analyzer, NotApplicableToTable
from treaty.engine.analyzers.bound import BoundAnalyzer, MetricValue
from treaty.engine.checks.binding import NOT_OF_VIEWS, messages
from treaty.engine.checks.bound_check import BoundChecks
from treaty.engine.core.errors import StateError
from treaty.engine.evaluation.metric_values import UNFILTERED
from treaty.engine.states import bag as bags
from treaty.engine.states import schema_evolution
from treaty.engine.states.bag import ALL, CLASSIFIED, StateBag, StateFileStore

EXAMPLE = "write completeness:column=status"
NO_PARTITION = "no partition is chosen"
MEASURE, AGAIN = "let a check of the contract measure it", "validate them again"


@dataclass(frozen=True)
class MetricQuery:
    """A metric on a table of a known schema; `bound` None: states cannot answer it, for the `reason`."""

    analyzer: Analyzer
    bound: BoundAnalyzer | None = None
    reason: str | None = None

    @property
    def keys(self) -> frozenset[str]:
        """The states that it is read from."""
        return frozenset(part.key for part in self.bound.parts.values()) if self.bound else frozenset()

    @property
    def files(self) -> frozenset[str]:
        """Those of them that may lie in files."""
        parts = self.bound.parts.values() if self.bound else ()
        return frozenset(part.key for part in parts if part.component.grouping)

    def missing(self, held: Mapping[str, frozenset[str]]) -> tuple[str, ...]:
        """The partitions that lack one of its states, of those whose held states are given by their keys."""
        wanted = self.keys
        return tuple(name for name, keys in held.items() if not wanted <= keys)


@dataclass(frozen=True, kw_only=True)
class MetricAnswer:
    """What states say of a metric: the `reading` of `merged` partitions together, or the `reason` why it has no value.

    `missing` are the chosen partitions that lack a state of it: then nothing is said of the others alone."""

    query: MetricQuery
    merged: int = 0
    missing: tuple[str, ...] = ()
    reading: MetricValue | None = None
    reason: str | None = None


def metric(text: str) -> Analyzer:
    """The analyzer with the arguments that the text names. Raises ContractError for one that there is not."""
    name, _, rest = text.partition(":")
    kind = ANALYZERS.get(name.strip())
    if kind is None:
        raise _refused("names no analyzer that there is", suggest_nearest(name.strip(), ANALYZERS) or EXAMPLE)
    try:
        return kind.model_validate(_arguments(rest))
    except ValidationError as invalid:
        told = "; ".join(f"argument{place} {message}" for place, message in messages(invalid))
        raise _refused(told, f"{kind.name} takes {', '.join(kind.model_fields)}") from None


def _refused(message: str, remedy: str) -> ContractError:
    return ContractError([Fault(code="metric", where="metric", message=message, remedy=remedy)])


def _arguments(text: str) -> dict[str, Any]:
    pairs = [each.partition("=") for each in text.split(";") if each.strip()]
    if any(not sign for _, sign, _ in pairs):
        raise _refused("has an argument without a value", EXAMPLE)
    return {name.strip(): _plain(value.strip()) for name, _, value in pairs}


def _plain(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return text


def bind_metric(analyzer: Analyzer, schema: Schema) -> MetricQuery:
    """The metric on a table of that schema."""
    try:
        return _askable(MetricQuery(analyzer, analyzer.bind(schema)))
    except NotApplicableToTable as unbindable:
        return MetricQuery(analyzer, reason=str(unbindable))
    except ContractError as predicate:
        return MetricQuery(analyzer, reason="; ".join(fault.message for fault in predicate.faults))


def of_checks(checks: BoundChecks) -> tuple[MetricQuery, ...]:
    """The metrics that the checks measure, each once, in the order of the checks."""
    found = [MetricQuery(each.analyzer, each.bound, each.reason) for each in checks.checks if each.analyzer]
    return tuple({each.analyzer.identity: _askable(each) for each in found}.values())


def _askable(given: MetricQuery) -> MetricQuery:
    """The metric, without what is bound where merged states say nothing of it."""
    parts = given.bound.parts.values() if given.bound else ()
    return (
        MetricQuery(given.analyzer, reason=NOT_OF_VIEWS)
        if any(part.component.needs_own_statement for part in parts)
        else given
    )


def answers(
    given: Sequence[MetricQuery],
    packed: Iterable[tuple[str, bytes]],
    *,
    files: StateFileStore | None = None,
    now: datetime | None = None,
) -> tuple[MetricAnswer, ...]:
    """What the packed states of these partitions say together, metric by metric.

    Raises nothing for damaged states: their partitions lack what cannot be read."""
    keys = frozenset(key for each in given for key in each.keys)
    filed = frozenset(key for each in given for key in each.files)
    held: dict[str, frozenset[str]] = {}
    schemas: dict[str, Schema] = {}

    def loaded() -> Iterator[StateBag]:
        for name, states in packed:
            bag = _loaded(states, keys, filed, files)
            held[name], schemas[name] = frozenset(bag.entries), bag.schema
            yield bag

    together = bags.merge(loaded())
    # What all together have, none lacks: a partition without the columns adds nothing to it.
    known = frozenset(together.entries) if together else frozenset[str]()
    held = {name: found | known for name, found in held.items()}
    several = schema_evolution.of_several(schemas)
    return tuple(with_schema_note(_answer(each, held, together, now), several) for each in given)


def covered_keys(asked: MetricQuery, keys: Collection[str], schema: Schema) -> frozenset[str]:
    """The keys that a partition has states of, and those of the metric's that say nothing of it: it was read on that
    schema, and has none of their columns."""
    parts = asked.bound.parts.values() if asked.bound else ()
    return frozenset(keys) | {
        each.key for each in parts if schema_evolution.is_of_none(each.component, each.key, schema)
    }


def with_schema_note(answer: MetricAnswer, schemas: Mapping[str, Schema]) -> MetricAnswer:
    """The answer that also says in which partitions its columns are otherwise than in others. `schemas` are none where
    all are alike."""
    paths = answer.query.analyzer.columns_named if answer.query.bound and schemas else ()
    told = (
        schema_evolution.differing_columns_text(paths, schemas)
        if answer.reading is None
        else schema_evolution.missing_columns_text(paths, schemas)
    )
    return replace(answer, reason=f"{answer.reason}; {told}" if answer.reason else told) if told else answer


def _loaded(packed: bytes, keys: frozenset[str], filed: frozenset[str], files: StateFileStore | None) -> StateBag:
    """The states of these keys that can be read; those that lie in files apart, for a lost file is no damaged bag."""
    try:
        plain = bags.unpack(packed, keys=keys - filed)
    except StateError as error:
        return StateBag({}, failures={ALL: str(error)})
    try:
        return plain.union(bags.unpack(packed, files, keys=filed)) if filed else plain
    except StateError as error:
        return replace(plain, failures={**plain.failures, **dict.fromkeys(filed, str(error))})


def prospect(given: MetricQuery, held: Mapping[str, frozenset[str]], told: str | None = None) -> MetricAnswer:
    """What an answer would merge of partitions whose held states are given by their keys, and what it lacks.

    `told` says why something is lacking."""
    if given.bound is None or not held:
        return MetricAnswer(query=given, reason=given.reason if held else NO_PARTITION)
    missing = given.missing(held)
    if not missing:
        return MetricAnswer(query=given, merged=len(held))
    lack = f"{len(missing)} of {len(held)} partitions have no state of it"
    told = told or (CLASSIFIED if any(part.is_transient for part in given.bound.parts.values()) else None)
    remedy = MEASURE if len(missing) == len(held) else AGAIN
    return MetricAnswer(query=given, missing=missing, reason=f"{lack}: {told or remedy}")


def _answer(
    given: MetricQuery, held: Mapping[str, frozenset[str]], together: StateBag | None, now: datetime | None
) -> MetricAnswer:
    if together is not None and given.bound and given.keys <= together.entries.keys():
        found = MetricAnswer(query=given, merged=len(held))
    else:
        found = prospect(given, held, _failure(together, given.keys) if together else None)
    if found.reason or given.bound is None or together is None:
        return found
    try:
        reading = given.bound.read(together.values, now=now)
    except KeyError as unlike:
        return replace(found, merged=0, reason=together.failure(str(unlike.args[0])))
    if reading.unfiltered:
        return replace(found, reason=UNFILTERED.format(reading.unfiltered))
    return replace(
        found, reading=reading, reason=given.bound.analyzer.no_value_reason if reading.value is None else None
    )


def _failure(bag: StateBag, keys: Iterable[str]) -> str | None:
    return next((told for key in sorted(keys) if (told := bag.failure(key))), None)
