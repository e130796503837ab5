"""Query metrics of several partitions from stored states, without Spark and without rows.

A metric is written as `completeness:column=status`: its analyzer, then its arguments, separated by `;`. A value that
is valid JSON is parsed (`values=["a", "b"]`); any other value is taken as text (`where=amount > 0`)."""

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
from treaty.engine.states.bag import ALL, StateBag, StateFileStore
from treaty.engine.states.missing_states import SENTENCES, MissingState

EXAMPLE = "use completeness:column=status"
NO_PARTITION = "no partition is selected"
MEASURE, AGAIN = "add a check that measures it", "validate them again"


@dataclass(frozen=True)
class MetricQuery:
    """A metric bound to a schema; `bound` is None if states cannot answer it, for the `reason`."""

    analyzer: Analyzer
    bound: BoundAnalyzer | None = None
    reason: str | None = None

    @property
    def keys(self) -> frozenset[str]:
        """Return the keys of the states that it reads."""
        return frozenset(part.key for part in self.bound.parts.values()) if self.bound else frozenset()

    @property
    def files(self) -> frozenset[str]:
        """Return the keys of those states that may be stored in files."""
        parts = self.bound.parts.values() if self.bound else ()
        return frozenset(part.key for part in parts if part.component.grouping)

    def missing(self, stored: Mapping[str, frozenset[str]]) -> tuple[str, ...]:
        """Return the partitions that lack one of its states.

        `stored`: keys of the stored states, by partition."""
        required = self.keys
        return tuple(name for name, keys in stored.items() if not required <= keys)


@dataclass(frozen=True, kw_only=True)
class MetricAnswer:
    """The value of a metric over partitions.

    `reading`: the value over `merged` partitions; None without one, for the `reason`. `missing`: selected partitions
    that lack a state; then there is no reading of the others either."""

    query: MetricQuery
    merged: int = 0
    missing: tuple[str, ...] = ()
    reading: MetricValue | None = None
    reason: str | None = None


def metric(text: str) -> Analyzer:
    """Parse a metric from text. Raises ContractError if the analyzer or its arguments are invalid."""
    name, _, rest = text.partition(":")
    kind = ANALYZERS.get(name.strip())
    if kind is None:
        raise _refused("unknown analyzer", suggest_nearest(name.strip(), ANALYZERS) or EXAMPLE)
    try:
        return kind.model_validate(_arguments(rest))
    except ValidationError as invalid:
        details = "; ".join(f"argument{place} {message}" for place, message in messages(invalid))
        raise _refused(details, f"{kind.name} accepts {', '.join(kind.model_fields)}") from None


def _refused(message: str, remedy: str) -> ContractError:
    return ContractError([Fault(code="metric", where="metric", message=message, remedy=remedy)])


def _arguments(text: str) -> dict[str, Any]:
    pairs = [each.partition("=") for each in text.split(";") if each.strip()]
    if any(not sign for _, sign, _ in pairs):
        raise _refused("an argument has no value", EXAMPLE)
    return {name.strip(): _plain(value.strip()) for name, _, value in pairs}


def _plain(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return text


def bind_metric(analyzer: Analyzer, schema: Schema) -> MetricQuery:
    """Bind the metric to a table with that schema."""
    try:
        return _askable(MetricQuery(analyzer, analyzer.bind(schema)))
    except NotApplicableToTable as unbindable:
        return MetricQuery(analyzer, reason=str(unbindable))
    except ContractError as predicate:
        return MetricQuery(analyzer, reason="; ".join(fault.message for fault in predicate.faults))


def of_checks(checks: BoundChecks) -> tuple[MetricQuery, ...]:
    """Return the metrics of the checks, each once, in the order of the checks."""
    queries = [MetricQuery(each.analyzer, each.bound, each.reason) for each in checks.checks if each.analyzer]
    return tuple({each.analyzer.identity: _askable(each) for each in queries}.values())


def _askable(query: MetricQuery) -> MetricQuery:
    """Return the query, unbound with a reason if merged states cannot answer it."""
    parts = query.bound.parts.values() if query.bound else ()
    return (
        MetricQuery(query.analyzer, reason=NOT_OF_VIEWS)
        if any(part.component.needs_own_statement for part in parts)
        else query
    )


def answers(
    queries: Sequence[MetricQuery],
    packed: Iterable[tuple[str, bytes]],
    *,
    files: StateFileStore | None = None,
    now: datetime | None = None,
) -> tuple[MetricAnswer, ...]:
    """Answer each metric from the merged states of the partitions.

    Damaged states raise no error: their partitions count as lacking them."""
    keys = frozenset(key for each in queries for key in each.keys)
    filed = frozenset(key for each in queries for key in each.files)
    stored_keys: dict[str, frozenset[str]] = {}
    schemas: dict[str, Schema] = {}

    def loaded() -> Iterator[StateBag]:
        for name, states in packed:
            bag = _loaded(states, keys, filed, files)
            stored_keys[name], schemas[name] = frozenset(bag.entries), bag.schema
            yield bag

    merged = bags.merge(loaded())
    # A partition that lacks the columns adds nothing, so a state of the merged bag is missing in none.
    common_keys = frozenset(merged.entries) if merged else frozenset[str]()
    stored_keys = {name: partition_keys | common_keys for name, partition_keys in stored_keys.items()}
    several = schema_evolution.of_several(schemas)
    return tuple(with_schema_note(_answer(each, stored_keys, merged, now), several) for each in queries)


def covered_keys(query: MetricQuery, keys: Collection[str], schema: Schema) -> frozenset[str]:
    """Return the partition's keys, and those of the metric that do not apply to it.

    A state does not apply if the partition's schema has none of its columns."""
    parts = query.bound.parts.values() if query.bound else ()
    return frozenset(keys) | {
        each.key for each in parts if schema_evolution.is_of_none(each.component, each.key, schema)
    }


def with_schema_note(answer: MetricAnswer, schemas: Mapping[str, Schema]) -> MetricAnswer:
    """Add to the reason which partitions have different columns.

    `schemas`: schemas by partition; empty if all are equal."""
    paths = answer.query.analyzer.columns_named if answer.query.bound and schemas else ()
    note = (
        schema_evolution.differing_columns_text(paths, schemas)
        if answer.reading is None
        else schema_evolution.missing_columns_text(paths, schemas)
    )
    return replace(answer, reason=f"{answer.reason}; {note}" if answer.reason else note) if note else answer


def _loaded(packed: bytes, keys: frozenset[str], filed: frozenset[str], files: StateFileStore | None) -> StateBag:
    """Unpack the states of these keys; a lost file does not make the other states unreadable."""
    try:
        plain = bags.unpack(packed, keys=keys - filed)
    except StateError as error:
        return StateBag({}, failures={ALL: str(error)})
    try:
        return plain.union(bags.unpack(packed, files, keys=filed)) if filed else plain
    except StateError as error:
        return replace(plain, failures={**plain.failures, **dict.fromkeys(filed, str(error))})


def prospect(query: MetricQuery, stored: Mapping[str, frozenset[str]], refusal: str | None = None) -> MetricAnswer:
    """Return the answer without its value: how many partitions can be merged, and which lack states.

    `stored`: keys of the stored states, by partition. `refusal`: why states are missing; None means unknown."""
    if query.bound is None or not stored:
        return MetricAnswer(query=query, reason=query.reason if stored else NO_PARTITION)
    missing = query.missing(stored)
    if not missing:
        return MetricAnswer(query=query, merged=len(stored))
    lack = f"{len(missing)} of {len(stored)} partitions have no state of it"
    classified = any(part.is_transient for part in query.bound.parts.values())
    refusal = refusal or (SENTENCES[MissingState.CLASSIFIED] if classified else None)
    remedy = MEASURE if len(missing) == len(stored) else AGAIN
    return MetricAnswer(query=query, missing=missing, reason=f"{lack}: {refusal or remedy}")


def _answer(
    query: MetricQuery, stored: Mapping[str, frozenset[str]], bag: StateBag | None, now: datetime | None
) -> MetricAnswer:
    if bag is not None and query.bound and query.keys <= bag.entries.keys():
        answer = MetricAnswer(query=query, merged=len(stored))
    else:
        answer = prospect(query, stored, _failure(bag, query.keys) if bag else None)
    if answer.reason or query.bound is None or bag is None:
        return answer
    try:
        reading = query.bound.read(bag.values, now=now)
    except KeyError as unlike:
        return replace(answer, merged=0, reason=bag.failure(str(unlike.args[0])))
    if reading.unfiltered:
        return replace(answer, reason=UNFILTERED.format(reading.unfiltered))
    return replace(
        answer, reading=reading, reason=query.bound.analyzer.no_value_reason if reading.value is None else None
    )


def _failure(bag: StateBag, keys: Iterable[str]) -> str | None:
    return next((reason for key in sorted(keys) if (reason := bag.failure(key))), None)
