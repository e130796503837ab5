"""Validating one object of a contract as its task orders: what to read, what was found, and how it is kept.

The reading takes minutes and no transaction is open meanwhile; `keep` writes everything it found at once."""

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any
from uuid import UUID

from sqlmodel import Session

from contracts.errors import ContractError
from contracts.fingerprint import fingerprint
from contracts.logical_types import Schema
from engine import months
from engine.analyzers.frequencies import Spectrum
from engine.checks import bind
from engine.references import Referent
from engine.requests import Measured, SpectraRequest
from engine.results import RunResult
from engine.samples import discreet
from engine.states import StateError
from registry import orders, portions, readings, references, runs, samples, states
from registry.database import reading
from registry.lineage import debounce
from registry.lineage.debounce import Subject
from registry.orders import Order, Unworkable
from registry.readings import Reading
from registry.runs import Origin
from registry.sampling import sampled
from registry.tables import Dataset, Task
from registry.tools import Tools

Ids = Callable[[], UUID]
NOTHING_CHANGED = "nothing changed"
PUBLISHING = (
    "a publication to the table was begun and not ended: recover it where the table lies (treaty gate --recover)"
)


@dataclass(frozen=True)
class Finding:
    """What a validation found. `result` None: there was nothing to judge. `measured` None: no data was read.

    `samples_until`: how long the result's samples are kept; None: they are not."""

    result: RunResult | None
    measured: Measured | None = None
    vanished: tuple[str, ...] = ()
    reason: str | None = None
    samples_until: datetime | None = None


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
    found = readings.read(asked, tools, {} if asked.again else asked.known, tools.parts.load())
    judged_anew = asked.afresh and found.measured.fingerprints
    if not (found.delta or found.vanished or judged_anew):
        return _unchanged(asked, found, started, tools.clock())
    try:
        return _judged(asked, tools, found, started)
    except StateError:
        # A stored state is damaged. Its remedy is to compute it again, and with it all others of the table.
        again = readings.read(asked, tools, {}, {})
        return _judged(asked, tools, replace(again, delta=found.delta), started)


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
