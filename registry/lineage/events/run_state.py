"""A run folded from its events: whatever their order and however often they come, the same state."""

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
# Other facets of runs and jobs carry environments and configurations, which may hold secrets.
RUN_FACETS = frozenset({"parent", "parentRun", "nominalTime", "processing_engine"})
JOB_FACETS = frozenset({"jobType", "sql", "lineage", "ownership"})
# What follows these words in a statement may hold values or secrets; what comes before names tables and partitions.
_TELLING = re.compile(
    r"\b(select|with|values)\b|\b(set|where|on|when|options|\w*properties|comment)\b|--|/\*", re.IGNORECASE
)
_LONGEST_STATEMENT = 2000


class LineageRunKey(NamedTuple):
    """What makes events belong to one run."""

    job_namespace: str
    job_name: str
    run_id: str


class FoldState(BaseModel):
    model_config = ConfigDict(frozen=True)


class FacetValue(FoldState):
    """What was last told, and when."""

    at: datetime
    value: dict[str, Any]


Facets = dict[str, FacetValue]


class FoldedDataset(FoldState):
    """A dataset of a run, with the latest value of each facet; `own` are its input or output facets."""

    namespace: str
    name: str
    facets: Facets = {}
    own: Facets = {}

    @classmethod
    def of(cls, namespace: str, name: str, facets: Mapping[str, Any], at: datetime) -> "FoldedDataset":
        """The dataset as an event of its own tells it."""
        return cls(namespace=namespace, name=name, facets=_facet_values(facets, at))

    @property
    def identity(self) -> LineageName:
        return LineageName(self.namespace, self.name)

    def facet(self, name: str) -> Mapping[str, Any]:
        """The facet's latest value; empty where it was never told, or deleted."""
        return _value(self.facets, name)

    def own_facet(self, name: str) -> Mapping[str, Any]:
        """The same for the facets that the dataset has only as input or output."""
        return _value(self.own, name)


class FoldedRun(FoldState):
    """All that the events seen so far tell of one run."""

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
        """Whether any event told of a failure; no later event takes it back."""
        return not FAILURES.isdisjoint(self.types)

    @property
    def completed(self) -> bool:
        return "COMPLETE" in self.types

    @property
    def processing_type(self) -> str:
        """BATCH, STREAMING or SERVICE; BATCH where the producer did not say."""
        return str(_value(self.job_facets, "jobType").get("processingType") or "BATCH").upper()

    def job_facet(self, name: str) -> Mapping[str, Any]:
        """The latest value of the job's facet; empty where it was never told, or deleted."""
        return _value(self.job_facets, name)

    @property
    def statement(self) -> str:
        """The beginning of the SQL statement that the job is, up to where it could hold values; '' where it is none."""
        return str(_value(self.job_facets, "sql").get("query") or "")

    @property
    def writes(self) -> bool:
        """Whether it has written, as far as it told."""
        return bool(self.outputs)

    @property
    def parent_id(self) -> str | None:
        """The id of the run that it is a part of; None where it told of none."""
        return _run_id(self.parent)

    @property
    def root_id(self) -> str | None:
        """The id of the run that all belongs to, as far as it told; None where it told of none but its parent."""
        return _run_id(self.parent.get("root"))

    @property
    def parent(self) -> Mapping[str, Any]:
        """The parent facet; empty for a run without parent."""
        return _value(self.run_facets, "parent") or _value(self.run_facets, "parentRun")


def run_key(event: RunEvent) -> LineageRunKey:
    """The run that an event belongs to."""
    return LineageRunKey(event.job.namespace, event.job.name, event.run.id)


def state_of_event(event: LineageEvent) -> FoldedRun:
    """What one run event tells. Raises ValueError for an event of another kind."""
    if (told := event.run) is None:
        raise ValueError("only run events are folded")
    at = event.event_time
    return FoldedRun(
        **run_key(told)._asdict(),
        types=(told.type,) if told.type else (),
        producers=(told.producer,) if told.producer else (),
        started=at if told.type == "START" else None,
        ended=at if told.type in TERMINAL else None,
        run_facets=_facet_values(told.run.facets, at, RUN_FACETS),
        job_facets=_facet_values(_telling(told.job.facets), at, JOB_FACETS),
        inputs=_datasets(_dataset(each, each.input_facets, at) for each in told.inputs),
        outputs=_datasets(_dataset(each, each.output_facets, at) for each in told.outputs),
    )


def join(one: FoldedRun, other: FoldedRun) -> FoldedRun:
    """What both tell together: commutative, associative, idempotent. Raises ValueError for two different runs."""
    if one.key != other.key:
        raise ValueError("states of different runs cannot be joined")
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
    """The facets, of a statement only what tells which tables and partitions it is about."""
    told = facets.get("sql", {})
    query, dialect = (word if isinstance(word := told.get(name), str) else None for name in ("query", "dialect"))
    writes = sql_statements.writes(query, dialect) if query else ()
    kept = {"query": _beginning(query), "writes": [dict(each) for each in writes]} if query else {}
    return {**facets, "sql": {name: each for name, each in kept.items() if each}}


def _beginning(statement: str) -> str:
    cut = _TELLING.search(statement)
    kept = statement if cut is None else statement[: cut.end() if cut[1] else cut.start()]
    return kept[:_LONGEST_STATEMENT]


def _dataset(dataset: OpenLineageDataset, own: Mapping[str, Any], at: datetime) -> FoldedDataset:
    return FoldedDataset(
        namespace=dataset.namespace,
        name=dataset.name,
        facets=_facet_values(dataset.facets, at),
        own=_facet_values(own, at),
    )


def _datasets(datasets: Iterable[FoldedDataset]) -> tuple[FoldedDataset, ...]:
    """One entry a dataset, in the order of their names: producers list the same dataset twice."""
    found: dict[LineageName, FoldedDataset] = {}
    for each in datasets:
        found[each.identity] = _join_datasets(found.get(each.identity, each), each)
    return tuple(found[name] for name in sorted(found))


def _join_datasets(one: FoldedDataset, other: FoldedDataset) -> FoldedDataset:
    update = {"facets": _latest(one.facets, other.facets), "own": _latest(one.own, other.own)}
    return one.model_copy(update=update)


def _facet_values(facets: Mapping[str, Any], at: datetime, wanted: frozenset[str] | None = None) -> Facets:
    """The facets as told now. An empty one tells nothing, and so never erases an earlier one."""
    return {
        name: FacetValue(at=at, value=value)
        for name, value in facets.items()
        if value and (not wanted or name in wanted)
    }


def _latest(one: Facets, other: Facets) -> Facets:
    return {
        name: max(_known_values(one.get(name), other.get(name)), key=_age) for name in sorted(one.keys() | other.keys())
    }


def _age(told: FacetValue) -> tuple[datetime, bytes]:
    """The order of what was told. Of two values of one moment the greater text wins: any fixed choice will do."""
    return told.at, canonical(told.value)


def _value(facets: Facets, name: str) -> Mapping[str, Any]:
    told = facets.get(name)
    return told.value if told and not told.value.get("_deleted") else {}


def _union(one: Iterable[str], other: Iterable[str]) -> tuple[str, ...]:
    return tuple(sorted({*one, *other}))


def _known_values(*values: T | None) -> list[T]:
    return [value for value in values if value is not None]


def _run_id(told: Any) -> str | None:
    run = told.get("run") if isinstance(told, Mapping) else None
    found = run.get("runId") if isinstance(run, dict) else None
    return found if isinstance(found, str) and found else None
