"""Fold the events of a run into its state, independent of their order and repetition."""

import re
from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any, NamedTuple, TypeVar

from pydantic import BaseModel, ConfigDict

from treaty.contracts.fingerprint import canonical
from treaty.registry.datasets.names import LineageName
from treaty.registry.lineage.events import sql_statements
from treaty.registry.lineage.events.model import LineageEvent, OpenLineageDataset, RunEvent

T = TypeVar("T")
FAILURES = frozenset({"FAIL", "ABORT"})
TERMINAL = FAILURES | {"COMPLETE"}
# Other facets of runs and jobs contain environments and configurations, which may include secrets.
RUN_FACETS = frozenset({"parent", "parentRun", "nominalTime", "processing_engine"})
JOB_FACETS = frozenset({"jobType", "sql", "lineage", "ownership"})
# Text after these keywords may contain values or secrets; text before them names tables and partitions.
_TELLING = re.compile(
    r"\b(select|with|values)\b|\b(set|where|on|when|options|\w*properties|comment)\b|--|/\*", re.IGNORECASE
)
_LONGEST_STATEMENT = 2000


class LineageRunKey(NamedTuple):
    """The identity of a run: events with the same key belong together."""

    job_namespace: str
    job_name: str
    run_id: str


class FoldState(BaseModel):
    model_config = ConfigDict(frozen=True)


class FacetValue(FoldState):
    """The latest value of a facet, with the time of its event."""

    at: datetime
    value: dict[str, Any]


Facets = dict[str, FacetValue]


class FoldedDataset(FoldState):
    """A dataset of a run, with the latest value of each facet. `own`: its input or output facets."""

    namespace: str
    name: str
    facets: Facets = {}
    own: Facets = {}

    @classmethod
    def of(cls, namespace: str, name: str, facets: Mapping[str, Any], at: datetime) -> "FoldedDataset":
        """Return the dataset of a dataset event."""
        return cls(namespace=namespace, name=name, facets=_facet_values(facets, at))

    @property
    def identity(self) -> LineageName:
        return LineageName(self.namespace, self.name)

    def facet(self, name: str) -> Mapping[str, Any]:
        """Return the facet's latest value; empty if it was never reported, or deleted."""
        return _value(self.facets, name)

    def own_facet(self, name: str) -> Mapping[str, Any]:
        """Return the latest value of an input or output facet; empty if it was never reported, or deleted."""
        return _value(self.own, name)


class FoldedRun(FoldState):
    """The state of a run, folded from the events received so far."""

    job_namespace: str
    job_name: str
    run_id: str
    types: tuple[str, ...] = ()
    producers: tuple[str, ...] = ()
    started: datetime | None = None
    ended: datetime | None = None
    run_facets: Facets = {}
    job_facets: Facets = {}
    inputs: tuple[FoldedDataset, ...] = ()
    outputs: tuple[FoldedDataset, ...] = ()

    @property
    def key(self) -> LineageRunKey:
        return LineageRunKey(self.job_namespace, self.job_name, self.run_id)

    @property
    def failed(self) -> bool:
        """Return whether any event reported a failure. No later event reverts it."""
        return not FAILURES.isdisjoint(self.types)

    @property
    def completed(self) -> bool:
        return "COMPLETE" in self.types

    @property
    def processing_type(self) -> str:
        """Return BATCH, STREAMING or SERVICE; BATCH if the producer reports none."""
        return str(_value(self.job_facets, "jobType").get("processingType") or "BATCH").upper()

    def job_facet(self, name: str) -> Mapping[str, Any]:
        """Return the latest value of the job's facet; empty if it was never reported, or deleted."""
        return _value(self.job_facets, name)

    @property
    def statement(self) -> str:
        """Return the start of the job's SQL statement, up to where values may follow; '' if there is none."""
        return str(_value(self.job_facets, "sql").get("query") or "")

    @property
    def writes(self) -> bool:
        """Return whether the run has reported an output."""
        return bool(self.outputs)

    @property
    def parent_id(self) -> str | None:
        """Return the id of the parent run; None if none was reported."""
        return _run_id(self.parent)

    @property
    def root_id(self) -> str | None:
        """Return the id of the root run; None if none was reported."""
        return _run_id(self.parent.get("root"))

    @property
    def parent(self) -> Mapping[str, Any]:
        """Return the parent facet; empty for a run without a parent."""
        return _value(self.run_facets, "parent") or _value(self.run_facets, "parentRun")


def run_key(event: RunEvent) -> LineageRunKey:
    """Return the key of the event's run."""
    return LineageRunKey(event.job.namespace, event.job.name, event.run.id)


def state_of_event(event: LineageEvent) -> FoldedRun:
    """Return the run state of a single run event. Raises ValueError for an event of another kind."""
    if (content := event.run) is None:
        raise ValueError("only run events can be folded")
    at = event.event_time
    return FoldedRun(
        **run_key(content)._asdict(),
        types=(content.type,) if content.type else (),
        producers=(content.producer,) if content.producer else (),
        started=at if content.type == "START" else None,
        ended=at if content.type in TERMINAL else None,
        run_facets=_facet_values(content.run.facets, at, RUN_FACETS),
        job_facets=_facet_values(_telling(content.job.facets), at, JOB_FACETS),
        inputs=_datasets(_dataset(each, each.input_facets, at) for each in content.inputs),
        outputs=_datasets(_dataset(each, each.output_facets, at) for each in content.outputs),
    )


def join(one: FoldedRun, other: FoldedRun) -> FoldedRun:
    """Merge two states of one run. Raises ValueError if they belong to different runs.

    The merge is commutative, associative and idempotent."""
    if one.key != other.key:
        raise ValueError("cannot merge states of different runs")
    return FoldedRun(
        **one.key._asdict(),
        types=_union(one.types, other.types),
        producers=_union(one.producers, other.producers),
        started=min(_known_values(one.started, other.started), default=None),
        ended=max(_known_values(one.ended, other.ended), default=None),
        run_facets=_latest(one.run_facets, other.run_facets),
        job_facets=_latest(one.job_facets, other.job_facets),
        inputs=_datasets((*one.inputs, *other.inputs)),
        outputs=_datasets((*one.outputs, *other.outputs)),
    )


def _telling(facets: Mapping[str, Any]) -> Mapping[str, Any]:
    """Reduce the facets' SQL statement to the parts that name tables and partitions."""
    facet = facets.get("sql", {})
    query, dialect = (word if isinstance(word := facet.get(name), str) else None for name in ("query", "dialect"))
    writes = sql_statements.writes(query, dialect) if query else ()
    reduced = {"query": _beginning(query), "writes": [dict(each) for each in writes]} if query else {}
    return {**facets, "sql": {name: each for name, each in reduced.items() if each}}


def _beginning(statement: str) -> str:
    cut = _TELLING.search(statement)
    start = statement if cut is None else statement[: cut.end() if cut[1] else cut.start()]
    return start[:_LONGEST_STATEMENT]


def _dataset(dataset: OpenLineageDataset, own: Mapping[str, Any], at: datetime) -> FoldedDataset:
    return FoldedDataset(
        namespace=dataset.namespace,
        name=dataset.name,
        facets=_facet_values(dataset.facets, at),
        own=_facet_values(own, at),
    )


def _datasets(datasets: Iterable[FoldedDataset]) -> tuple[FoldedDataset, ...]:
    """Merge entries of the same dataset, which producers may repeat, and sort them by name."""
    by_name: dict[LineageName, FoldedDataset] = {}
    for each in datasets:
        by_name[each.identity] = _join_datasets(by_name.get(each.identity, each), each)
    return tuple(by_name[name] for name in sorted(by_name))


def _join_datasets(one: FoldedDataset, other: FoldedDataset) -> FoldedDataset:
    update = {"facets": _latest(one.facets, other.facets), "own": _latest(one.own, other.own)}
    return one.model_copy(update=update)


def _facet_values(facets: Mapping[str, Any], at: datetime, names: frozenset[str] | None = None) -> Facets:
    """Return the facets with their time. Empty facets are ignored, so they never erase an earlier value."""
    return {
        name: FacetValue(at=at, value=value) for name, value in facets.items() if value and (not names or name in names)
    }


def _latest(one: Facets, other: Facets) -> Facets:
    return {
        name: max(_known_values(one.get(name), other.get(name)), key=_age) for name in sorted(one.keys() | other.keys())
    }


def _age(value: FacetValue) -> tuple[datetime, bytes]:
    """Return the sort key of a value. Ties are broken by the canonical text, which keeps the merge deterministic."""
    return value.at, canonical(value.value)


def _value(facets: Facets, name: str) -> Mapping[str, Any]:
    latest = facets.get(name)
    return latest.value if latest and not latest.value.get("_deleted") else {}


def _union(one: Iterable[str], other: Iterable[str]) -> tuple[str, ...]:
    return tuple(sorted({*one, *other}))


def _known_values(*values: T | None) -> list[T]:
    return [value for value in values if value is not None]


def _run_id(facet: Any) -> str | None:
    run = facet.get("run") if isinstance(facet, Mapping) else None
    value = run.get("runId") if isinstance(run, dict) else None
    return value if isinstance(value, str) and value else None
