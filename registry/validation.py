"""Validating one object of a contract as its task orders: what to read, what was found, and how it is kept.

The reading takes minutes and no transaction is open meanwhile; `keep` writes everything it found at once."""

from collections.abc import Callable, Collection, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import partial
from typing import Any, Protocol
from uuid import UUID

from sqlalchemy import Engine as Database
from sqlmodel import Session

from contracts.document import Contract
from contracts.errors import ContractError
from contracts.fingerprint import fingerprint
from contracts.logical_types import Schema
from engine import months
from engine import states as bags
from engine.analyzers.frequencies import Spectrum
from engine.checks import bind
from engine.keying import Key
from engine.references import Referent
from engine.requests import UNREAD, Engine, Measured, MeasureRequest, SpectraRequest
from engine.results import RunResult
from engine.samples import discreet
from engine.states import StateError
from registry import orders, portions, references, remeasuring, runs, samples, states
from registry.database import reading
from registry.lineage import debounce
from registry.lineage.debounce import Subject
from registry.orders import Order, Unworkable
from registry.portions import Part, Parts
from registry.runs import Origin
from registry.sampling import Sampling, sampled
from registry.tables import Dataset, Task

Ids = Callable[[], UUID]
NOTHING_CHANGED = "nothing changed"
PUBLISHING = (
    "a publication to the table was begun and not ended: recover it where the table lies (treaty gate --recover)"
)


class Judge(Protocol):
    """What the worker needs of `engine.judging.judge`."""

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
        spectra: Mapping[str, Spectrum],
    ) -> RunResult: ...


class Lacking(Protocol):
    """What stored bags have, where the checks of a contract's object need more: `engine.judging.lacking`."""

    def __call__(
        self, contract: Contract, object_name: str, stored: Mapping[str, bytes], *, key: Key | None, afresh: bool
    ) -> Mapping[str, frozenset[str]]: ...


# The files of frequencies that this process does not merge itself, by component key: `engine.large.large`.
Large = Callable[[Contract, str, Schema, Mapping[str, bytes]], Mapping[str, tuple[str, ...]]]


@dataclass(frozen=True)
class Tools:
    """What a validation works with: where states are, who reads and who judges the data, the time.

    `parts` keeps what was read of a table of which a `portion` of partitions is read at a time. `key`: what the keys
    of datasets are made of; None: hashes of classified values are not stored."""

    database: Database
    engine: Engine
    judge: Judge
    lacking: Lacking
    large: Large
    clock: Callable[[], datetime]
    state_url: str | None
    sampling: Sampling
    parts: Parts
    portion: int
    key: Key | None = None


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
    """The data as read: the states of what had to be read, beside those that were stored; the partitions that arrived,
    those that are gone."""

    measured: Measured
    stored: Mapping[str, bytes] = field(default_factory=dict)
    delta: tuple[str, ...] = ()
    vanished: tuple[str, ...] = ()


def examine(asked: Order, tools: Tools) -> Finding:
    """Reads what changed and judges it. A contract that does not fit the table is a finding; EngineError is raised,
    and states.Overtaken while a publication is open, when the table may be other than its states say."""
    if asked.publishing:
        raise states.Overtaken(PUBLISHING)
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
    portions.drop(session, asked.task_id)
    version = states.save(session, asked.dataset_id, finding.measured, vanished=finding.vanished, now=now, ids=ids)
    if finding.result is None:
        return {"note": NOTHING_CHANGED}
    run_id = ids()
    marker = fingerprint(states.known(session, asked.dataset_id)) if finding.measured is not None else None
    judged = version if marker else None
    origin = Origin(asked.dataset_id, asked.task_id, asked.lineage_run_id, marker, judged, reason=finding.reason)
    run = runs.record(session, run_id, finding.result, origin, now=now)
    samples.keep(session, run_id, finding.result.samples, until=finding.samples_until or now, now=now)
    return {"run_id": str(run_id), "verdict": run.verdict.value, "partitions": len(run.partitions)}


def give_up(session: Session, task: Task, reason: str, *, now: datetime, ids: Ids) -> None:
    """Records that the data could not be judged, as a run, and lets later triggers of the object begin anew."""
    settle(session, task, None, now=now, ids=ids)
    portions.drop(session, task.id)
    with suppress(Unworkable, ContractError):
        asked = orders.order(session, task)
        keep(session, asked, unevaluated(asked, reason, started=now, finished=now), now=now, ids=ids)


def settle(session: Session, task: Task, covers: int | None, *, now: datetime, ids: Ids) -> None:
    """Ends what the task's trigger began: what was triggered since is enqueued once. None: what the task was made for.

    Tasks that no trigger made leave the count alone."""
    made_for = task.payload.get("seq")
    if made_for is None:
        return
    subject = Subject(task.payload["contract_id"], task.payload["object"], f"after/{task.id}")
    debounce.settle(session, subject, made_for if covers is None else covers, now=now, task_id=ids())


def _examined(asked: Order, tools: Tools, started: datetime) -> Finding:
    found = _read(asked, tools, {} if asked.again else asked.known, tools.parts.load())
    judged_anew = asked.afresh and found.measured.fingerprints
    if not (found.delta or found.vanished or judged_anew):
        return _unchanged(asked, found, started, tools.clock())
    try:
        return _judged(asked, tools, found, started)
    except StateError:
        # A stored state is damaged. Its remedy is to compute it again, and with it all others of the table.
        again = _read(asked, tools, {}, {})
        return _judged(asked, tools, replace(again, delta=found.delta), started)


@dataclass
class Progress:
    """What was read of a table so far: `parts` of it, those that cannot be read, what is judged by and never kept.

    `seen`: what was read since this validation began; of parts that were kept before, nothing else is left."""

    parts: dict[str, Part]
    broken: frozenset[str] = frozenset()
    passing: dict[str, bytes] = field(default_factory=dict)
    seen: frozenset[str] = frozenset()

    def take(self, measured: Measured) -> dict[str, Part]:
        """Adds what a portion brought, and says which parts are new."""
        new = {name: Part(measured.fingerprints[name], packed) for name, packed in measured.states.items()}
        self.parts |= new
        self.passing |= measured.passing
        self.seen |= new.keys()
        self.broken |= {name for name, part in new.items() if part.fingerprint.startswith(UNREAD)}
        return new


def _read(asked: Order, tools: Tools, known: Mapping[str, str], kept: Mapping[str, Part]) -> Reading:
    """What changed is read, and of the known partitions what their states lack: all of it where they are damaged.

    `kept` are parts that were read already; what they are of and did not change since is not read again."""
    stored, progress = _stored(asked, tools) if known else {}, Progress(dict(kept))
    stored = remeasuring.whole(stored, progress.parts)
    while True:
        measured = _portion(asked, tools, known, stored, progress)
        new = progress.take(measured)
        lost = remeasuring.lost(stored, progress.parts, measured.fingerprints)
        stored = remeasuring.whole(stored, progress.parts, measured.fingerprints)
        if not measured.left and not lost:
            return _of_columns(asked, tools, _whole(asked, measured, stored, progress, known))
        done = len(progress.parts)
        tools.parts.keep(new, f"{done} of {done + max(measured.left, len(lost))} partitions read")


def _portion(
    asked: Order, tools: Tools, known: Mapping[str, str], stored: Mapping[str, bytes], progress: Progress
) -> Measured:
    """What the next portion brings, states that were added put beside those that there were."""
    packed = {**stored, **{name: part.states for name, part in progress.parts.items()}}
    here = {**known, **{name: part.fingerprint for name, part in progress.parts.items()}}
    held = remeasuring.held(partial(_lacking, asked, tools, progress), here, packed)
    request = MeasureRequest(
        source=asked.source,
        contract=asked.contract.source,
        object=asked.object.name,
        known=here,
        held=held,
        passed=progress.broken,
        afresh=asked.afresh or bool(progress.parts),
        portion=tools.portion,
        state_url=tools.state_url,
        others=asked.others,
        key=_key(asked, tools),
        arrivals=asked.known if asked.object.arrivals else None,
    )
    return _completed(tools.engine.measure(request), packed, held)


def _lacking(asked: Order, tools: Tools, progress: Progress, stored: Mapping[str, bytes]) -> dict[str, frozenset[str]]:
    """What stored bags have, where the checks need more.

    What is never stored must be there, once, of each partition that is judged; merged days are not one by one."""
    lacking = partial(tools.lacking, asked.contract, asked.object.name, key=_key(asked, tools))
    judged = {name for name in stored if asked.afresh or name in progress.parts} - progress.seen
    once = {name for name in judged if months.members(name) == (name,)}
    again, others = ({name: stored[name] for name in some} for some in (once, stored.keys() - once))
    return {**lacking(again, afresh=True), **lacking(others, afresh=False)}


def _key(asked: Order, tools: Tools) -> Key | None:
    return tools.key.of(str(asked.dataset_id)) if tools.key else None


def _whole(
    asked: Order, measured: Measured, stored: Mapping[str, bytes], progress: Progress, known: Mapping[str, str]
) -> Reading:
    """All parts together, as far as they are of the files that there are now."""
    now = measured.fingerprints
    read = {name: part for name, part in progress.parts.items() if now.get(name) == part.fingerprint}
    passing = {name: packed for name, packed in progress.passing.items() if name in read}
    marks = {name: part.fingerprint for name, part in read.items()}
    changed = [name for name, mark in marks.items() if mark.startswith(UNREAD) or known.get(name) != mark]
    vanished = tuple(sorted(asked.known.keys() - now.keys()))
    whole = replace(measured, states={name: part.states for name, part in read.items()}, passing=passing)
    # Days whose states stay merged cannot be judged one by one.
    arrived = now.keys() - remeasuring.merged(stored) if asked.afresh else changed
    return Reading(
        replace(whole, schema=_schema(whole, changed if asked.merged else ())), stored, tuple(sorted(arrived)), vanished
    )


def _of_columns(asked: Order, tools: Tools, found: Reading) -> Reading:
    """Days that were only read again, for others of their month are gone, say nothing new of the table's columns."""
    if found.delta or not (asked.merged and found.measured.states):
        return found
    with reading(tools.database) as session:
        schema = states.schema(session, asked.dataset_id)
    return replace(found, measured=replace(found.measured, schema=schema))


def _schema(measured: Measured, changed: Collection[str]) -> Schema:
    """The schema of what was read, by whatever portion: of what changed, where other days were read again with it."""
    if measured.schema.columns and len(changed) in (0, len(measured.states)):
        return measured.schema
    of = changed or measured.states
    found = (_columns(packed) for name, packed in sorted(measured.states.items(), reverse=True) if name in of)
    return next((schema for schema in found if schema.columns), measured.schema)


def _columns(packed: bytes) -> Schema:
    """The columns that a bag was read with; none of one that cannot be opened: judging says so."""
    try:
        return bags.described(packed)[0]
    except StateError:
        return Schema(())


def _stored(asked: Order, tools: Tools) -> Mapping[str, bytes]:
    with reading(tools.database) as session:
        return states.load(session, asked.dataset_id)


def _completed(measured: Measured, stored: Mapping[str, bytes], held: Mapping[str, frozenset[str]]) -> Measured:
    """The states that were added put beside those that are stored; where none of these can be used, in their place."""
    whole = {
        name: bags.joined(stored[name], packed, keys=held[name]) if held[name] else packed
        for name, packed in measured.added.items()
    }
    return replace(measured, states={**measured.states, **whole}, added={})


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
            spectra=_spectra(asked, tools, whole, schema),
        )
        checks = bind(asked.object, schema)
        delta = {name: found.measured.fingerprints[name] for name in found.delta}
        result = sampled(asked, tools.engine, tools.sampling.rows, checks, discreet(checks, result), delta=delta)
    return Finding(result, found.measured, found.vanished, reason, tools.clock() + tools.sampling.lasts)


def _spectra(asked: Order, tools: Tools, states: Mapping[str, bytes], schema: Schema) -> Mapping[str, Spectrum]:
    """What Spark tells of stored frequencies that are too many for this process."""
    files = tools.large(asked.contract, asked.object.name, schema, states)
    return tools.engine.spectra(SpectraRequest(tools.state_url or "", files)) if files else {}


def _referents(asked: Order, tools: Tools) -> Mapping[str, Referent]:
    with reading(tools.database) as session:
        return references.referents(session, asked.contract, asked.object)


def _remembered(asked: Order, tools: Tools, found: Reading) -> tuple[dict[str, bytes], Schema]:
    """The states of every partition there is, and the schema: that of what arrived, else as last stored."""
    current, read = found.measured.fingerprints, found.measured.states
    there = {name: packed for name, packed in found.stored.items() if current.keys() >= set(months.members(name))}
    whole = dict(sorted({**there, **{name: packed for name, packed in read.items() if name in current}}.items()))
    if read:
        return found.measured.judged(whole), found.measured.schema
    with reading(tools.database) as session:
        return found.measured.judged(whole), states.schema(session, asked.dataset_id)


def _loss(vanished: tuple[str, ...]) -> str | None:
    if not vanished:
        return None
    named = [name or "the table as a whole" for name in vanished[:5]]
    shown = ", ".join(named) + (", ..." if len(vanished) > 5 else "")
    return f"{len(vanished)} known partition(s) vanished: {shown}"


def _claim_data(session: Session, asked: Order) -> None:
    """Locks the dataset, and makes sure that its states are still those that the judgement was built on."""
    session.get_one(Dataset, asked.dataset_id, with_for_update=True, populate_existing=True)
    found = states.known(session, asked.dataset_id), states.merged(session, asked.dataset_id)
    if found != (asked.known, asked.merged):
        raise states.Overtaken
