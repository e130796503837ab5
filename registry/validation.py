"""Validating one object of a contract: what to read, what was found, and how it is kept.

The reading takes minutes and no transaction is open meanwhile; `keep` writes everything it found at once."""

import logging
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any, Protocol
from uuid import UUID

from sqlalchemy import Engine as Database
from sqlmodel import Session, col, select

from contracts.document import Contract, DataObject
from contracts.errors import ContractError
from contracts.fingerprint import fingerprint
from contracts.logical_types import Schema
from contracts.reading import read
from engine.checks import BoundChecks, bind
from engine.references import Referent
from engine.requests import Engine, EngineError, Measured, MeasureRequest, SampleRequest, Source
from engine.results import RunResult
from engine.samples import discreet, wanted
from engine.states import StateError
from registry import references, runs, samples, states
from registry.database import reading
from registry.errors import RegistryError
from registry.lineage import debounce, names
from registry.lineage.debounce import Subject
from registry.runs import Origin
from registry.tables import Contract as ContractRow
from registry.tables import ContractVersion, Dataset, Task
from registry.words import VersionState

log = logging.getLogger("treaty.worker")
Ids = Callable[[], UUID]
NOTHING_CHANGED = "nothing changed"


class Unworkable(RegistryError):
    """This task cannot be done, now or later."""


class Judge(Protocol):
    """What the worker needs of `engine.verify.judge`."""

    def __call__(  # noqa: PLR0913 - the engine's own signature
        self,
        contract: Contract,
        object_name: str,
        *,
        schema: Schema,
        states: Mapping[str, bytes],
        delta: tuple[str, ...],
        started: datetime,
        finished: datetime,
        whole: bytes | None,
        references: Mapping[str, Referent],
    ) -> RunResult: ...


# Whether stored states answer every check of a contract's object: `engine.verify.suffices`.
Suffices = Callable[[Contract, str, bytes], bool]


@dataclass(frozen=True)
class Sampling:
    """How many rows are kept of each failed check, 0: none, and for how long."""

    rows: int = 0
    lasts: timedelta = timedelta()


@dataclass(frozen=True)
class Tools:
    """What a validation works with: where states are, who reads and who judges the data, the time."""

    database: Database
    engine: Engine
    judge: Judge
    suffices: Suffices
    clock: Callable[[], datetime]
    state_url: str | None = None
    sampling: Sampling = Sampling()


@dataclass(frozen=True)
class Order:
    """A validation to be done: the version in force, the data, and what is known of it.

    `afresh`: this version never judged this data, so everything is read. `covers`: the triggers counted so far.
    `others`: where the other datasets are that its checks read."""

    contract: Contract
    object: DataObject
    dataset_id: UUID
    source: Source
    known: Mapping[str, str]
    afresh: bool
    covers: int
    task_id: UUID
    lineage_run_id: UUID | None = None
    others: Mapping[str, Source] = field(default_factory=dict)


@dataclass(frozen=True)
class Finding:
    """What a validation found. `result` None: there was nothing to judge. `measured` None: no data was read.

    `samples_until`: how long the result's samples are kept; None: they are not."""

    result: RunResult | None
    measured: Measured | None = None
    vanished: tuple[str, ...] = ()
    reason: str | None = None
    samples_until: datetime | None = None


@dataclass(frozen=True)
class Reading:
    """The data as read: the states of what had to be read, the partitions that arrived, those that are gone."""

    measured: Measured
    delta: tuple[str, ...] = ()
    vanished: tuple[str, ...] = ()


def order(session: Session, task: Task) -> Order:
    """What the task asks for. Raises Unworkable where no version is in force or nobody knows where the data lies."""
    contract_id, name = task.payload["contract_id"], task.payload["object"]
    contract = _in_force(session, contract_id)
    found = next((each for each in contract.objects if each.name == name), None)
    if found is None:
        raise Unworkable(f"version {contract.version} of contract {contract_id} has no object {name}")
    dataset = _dataset(session, contract_id, name)
    version = contract.version
    return Order(
        contract=contract,
        object=found,
        dataset_id=dataset.id,
        source=_source(dataset, found),
        known=states.known(session, dataset.id),
        afresh=bool(task.payload.get("all"))
        or not runs.judged(session, contract_id, version, object_name=name, dataset_id=dataset.id),
        covers=debounce.sequence(session, contract_id, name),
        task_id=task.id,
        lineage_run_id=UUID(run) if (run := task.payload.get("lineage_run_id")) else None,
        others=references.sources(session, contract, found),
    )


def examine(asked: Order, tools: Tools) -> Finding:
    """Reads what changed and judges it. A contract that does not fit the table is a finding; EngineError is raised."""
    started = tools.clock()
    try:
        return _examined(asked, tools, started)
    except (ContractError, StateError) as error:
        return unevaluated(asked, str(error), started=started, finished=tools.clock())


def unevaluated(asked: Order, reason: str, *, started: datetime, finished: datetime) -> Finding:
    """The finding that no check could be evaluated, and why."""
    result = runs.unevaluated(asked.contract, asked.object.name, reason, started=started, finished=finished)
    return Finding(result, reason=reason)


def keep(session: Session, asked: Order, finding: Finding, *, now: datetime, ids: Ids) -> dict[str, Any]:
    """Stores states, run, results and measurements. Returns the task's result.

    Raises states.Overtaken: another validation of the same data came first, so this one has to be done again."""
    _claim_data(session, asked)
    if finding.measured is not None:
        states.save(session, asked.dataset_id, finding.measured, now=now, ids=ids)
    states.forget(session, asked.dataset_id, finding.vanished)
    if finding.result is None:
        return {"note": NOTHING_CHANGED}
    run_id = ids()
    marker = fingerprint(states.known(session, asked.dataset_id)) if finding.measured is not None else None
    origin = Origin(asked.dataset_id, asked.task_id, asked.lineage_run_id, marker=marker, reason=finding.reason)
    run = runs.record(session, run_id, finding.result, origin, now=now)
    samples.keep(session, run_id, finding.result.samples, until=finding.samples_until or now, now=now)
    return {"run_id": str(run_id), "verdict": run.verdict.value, "partitions": len(run.partitions)}


def give_up(session: Session, task: Task, reason: str, *, now: datetime, ids: Ids) -> None:
    """Records that the data could not be judged, as a run, and lets later triggers of the object begin anew."""
    settle(session, task, None, now=now, ids=ids)
    with suppress(Unworkable, ContractError):
        asked = order(session, task)
        keep(session, asked, unevaluated(asked, reason, started=now, finished=now), now=now, ids=ids)


def settle(session: Session, task: Task, covers: int | None, *, now: datetime, ids: Ids) -> None:
    """Ends what the task's trigger began: what was triggered since is enqueued once. None: what the task was made for.

    Tasks that no trigger made leave the count alone."""
    made_for = task.payload.get("seq")
    if made_for is None:
        return
    subject = Subject(task.payload["contract_id"], task.payload["object"], f"after/{task.id}")
    debounce.settle(session, subject, made_for if covers is None else covers, now=now, task_id=ids())


def _in_force(session: Session, contract_id: str) -> Contract:
    query = select(ContractVersion.body).join(ContractRow, col(ContractRow.id) == ContractVersion.contract_id)
    active = query.where(ContractVersion.contract_id == contract_id, ContractVersion.state == VersionState.ACTIVE)
    body = session.exec(active.where(ContractRow.active_version == ContractVersion.version)).first()
    if body is None:
        raise Unworkable(f"no version of contract {contract_id} is in force")
    return read(body)


def _dataset(session: Session, contract_id: str, name: str) -> Dataset:
    """The dataset whose states are the object's memory: of several, the oldest with a location."""
    query = select(Dataset).where(Dataset.contract_id == contract_id, Dataset.object == name)
    found = session.exec(query.order_by(col(Dataset.location).is_(None), col(Dataset.id)).limit(1)).first()
    if found is None:
        raise Unworkable(f"nobody knows where the data of {name} lies: name its dataset in the contract's aliases")
    return found


def _source(dataset: Dataset, described: DataObject) -> Source:
    lies = dataset.location or names.location(dataset.namespace, dataset.name)
    return Source(lies, dataset.format, tuple(dataset.partition_by) or described.partition_columns)


def _examined(asked: Order, tools: Tools, started: datetime) -> Finding:
    found = _read(asked, tools, {} if asked.afresh else _usable(asked, tools))
    if not found.delta and not found.vanished:
        return _unchanged(asked, found, started, tools.clock())
    try:
        return _judged(asked, tools, found, started)
    except StateError:
        # A stored state is damaged. Its remedy is to compute it again, and with it all others of the table.
        again = _read(asked, tools, {})
        return _judged(asked, tools, replace(again, delta=found.delta), started)


def _usable(asked: Order, tools: Tools) -> Mapping[str, str]:
    """The known partitions; none where a state cannot answer (damaged, of an older version): all are read again."""
    with reading(tools.database) as session:
        stored = states.load(session, asked.dataset_id)
    answer = (tools.suffices(asked.contract, asked.object.name, stored.get(name, b"")) for name in asked.known)
    return asked.known if all(answer) else {}


def _read(asked: Order, tools: Tools, known: Mapping[str, str]) -> Reading:
    request = MeasureRequest(
        source=asked.source,
        contract=asked.contract.source,
        object=asked.object.name,
        known=known,
        state_url=tools.state_url,
        others=asked.others,
    )
    measured = tools.engine.measure(request)
    vanished = tuple(sorted(asked.known.keys() - measured.fingerprints.keys()))
    arrived = (name for name in measured.states if asked.afresh or _arrived(name, measured, asked.known, known))
    return Reading(measured, tuple(sorted(arrived)), vanished)


def _arrived(name: str, measured: Measured, stored: Mapping[str, str], known: Mapping[str, str]) -> bool:
    """Whether a partition that was read has changed; not where only its states had to be computed again."""
    return name in known or stored.get(name) != measured.fingerprints[name]


def _unchanged(asked: Order, found: Reading, started: datetime, finished: datetime) -> Finding:
    if asked.afresh:
        return unevaluated(asked, "the table holds no data yet", started=started, finished=finished)
    return Finding(None, found.measured)


def _judged(asked: Order, tools: Tools, found: Reading, started: datetime) -> Finding:
    whole, schema = _remembered(asked, tools, found)
    reason = _loss(found.vanished)
    if not whole:
        result = unevaluated(asked, f"{reason}; nothing is left", started=started, finished=tools.clock()).result
    else:
        result = tools.judge(
            asked.contract,
            asked.object.name,
            schema=schema,
            states=whole,
            delta=found.delta,
            started=started,
            finished=tools.clock(),
            whole=found.measured.whole,
            references=_referents(asked, tools),
        )
        checks = bind(asked.object, schema)
        result = _sampled(asked, tools, found, checks, discreet(checks, result))
    return Finding(result, found.measured, found.vanished, reason, tools.clock() + tools.sampling.lasts)


def _referents(asked: Order, tools: Tools) -> Mapping[str, Referent]:
    with reading(tools.database) as session:
        return references.referents(session, asked.contract, asked.object)


def _sampled(asked: Order, tools: Tools, found: Reading, checks: BoundChecks, result: RunResult) -> RunResult:
    """The run with rows of what arrived that break failed checks; without them where none can be read."""
    if not tools.sampling.rows or not found.delta:
        return result
    only = wanted(checks, result.results)
    try:
        shown = tools.engine.sample(_sampling(asked, tools, found, only)) if only else ()
    except (EngineError, ContractError) as error:
        log.warning("a run has no samples: %s", error)
        return result
    return result.model_copy(update={"samples": shown})


def _sampling(asked: Order, tools: Tools, found: Reading, only: Mapping[str, tuple[str, ...]]) -> SampleRequest:
    return SampleRequest(
        source=asked.source,
        contract=asked.contract.source,
        object=asked.object.name,
        only=only,
        partitions=tuple(name for name in found.delta if name),
        limit=tools.sampling.rows,
        others=asked.others,
    )


def _remembered(asked: Order, tools: Tools, found: Reading) -> tuple[dict[str, bytes], Schema]:
    """The states of every partition there is, and the schema: that of what arrived, else as last stored."""
    with reading(tools.database) as session:
        stored = states.load(session, asked.dataset_id)
        schema = found.measured.schema if found.delta else states.schema(session, asked.dataset_id)
    current = found.measured.fingerprints
    whole = {name: packed for name, packed in (stored | dict(found.measured.states)).items() if name in current}
    return whole, schema


def _loss(vanished: tuple[str, ...]) -> str | None:
    if not vanished:
        return None
    named = [name or "the table as a whole" for name in vanished[:5]]
    shown = ", ".join(named) + (", ..." if len(vanished) > 5 else "")
    return f"{len(vanished)} known partition(s) vanished: {shown}"


def _claim_data(session: Session, asked: Order) -> None:
    """Locks the dataset, and makes sure that its states are still those that the judgement was built on."""
    session.get_one(Dataset, asked.dataset_id, with_for_update=True, populate_existing=True)
    if states.known(session, asked.dataset_id) != asked.known:
        raise states.Overtaken
