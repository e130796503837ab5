"""The data as a validation reads them: portion by portion what changed, and what the states of the rest lack."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from functools import partial

from treaty.contracts.schema import Schema
from treaty.engine.core.errors import StateError
from treaty.engine.core.hash_key import HashKey
from treaty.engine.core.partitions import months
from treaty.engine.protocol.requests import UNREAD, MeasureRequest, MeasureResult
from treaty.engine.protocol.write_hints import ChangeHints
from treaty.engine.states import bag as bags
from treaty.engine.states import inventory
from treaty.registry.core.database import read_session
from treaty.registry.measurements.states import merged_days, state_store
from treaty.registry.measurements.states.checkpoints import CheckpointedPartition
from treaty.registry.validation.dependencies import ValidationDeps
from treaty.registry.validation.plan import ValidationPlan


@dataclass(frozen=True)
class ReadResult:
    """The data as read: the states of what had to be read, beside those that were stored, and what was known before."""

    measured: MeasureResult
    stored: Mapping[str, bytes] = field(default_factory=dict)
    stored_fingerprints: Mapping[str, str] = field(default_factory=dict)

    @property
    def vanished(self) -> tuple[str, ...]:
        """The known partitions that are gone."""
        return tuple(sorted(self.stored_fingerprints.keys() - self.measured.fingerprints.keys()))

    def arrived(self, since: Mapping[str, str] | None) -> tuple[str, ...]:
        """The partitions that are other than they were `since`; None: all. Days whose states stay merged cannot be
        judged one by one."""
        now = self.measured.fingerprints.items()
        new = {name for name, mark in now if since is None or mark.startswith(UNREAD) or since.get(name) != mark}
        return tuple(sorted(new - merged_days.merged(self.stored)))

    def lost(self, since: Mapping[str, str] | None) -> tuple[str, ...]:
        """Those that were there `since`, or are known, and are gone."""
        return tuple(
            sorted((self.stored_fingerprints if since is None else since).keys() - self.measured.fingerprints.keys())
        )


@dataclass
class ReadProgress:
    """What was read of a table so far: `parts` of it, those that cannot be read, what is judged by and never kept.

    `read_partitions`: what was read since this validation began; of parts that were kept before, nothing else is
    left."""

    parts: dict[str, CheckpointedPartition]
    broken: frozenset[str] = frozenset()
    transient_states: dict[str, bytes] = field(default_factory=dict)
    read_partitions: frozenset[str] = frozenset()

    def take(self, measured: MeasureResult) -> dict[str, CheckpointedPartition]:
        """Adds what a portion brought, and says which parts are new."""
        new = {
            name: CheckpointedPartition(measured.fingerprints[name], packed) for name, packed in measured.states.items()
        }
        self.parts |= new
        self.transient_states |= measured.transient_states
        self.read_partitions |= new.keys()
        self.broken |= {name for name, part in new.items() if part.fingerprint.startswith(UNREAD)}
        return new


def read(
    asked: ValidationPlan, tools: ValidationDeps, known: Mapping[str, str], kept: Mapping[str, CheckpointedPartition]
) -> ReadResult:
    """What changed is read, and of the known partitions what their states lack: all of it where they are damaged.

    `kept` are parts that were read already; what they are of and did not change since is not read again."""
    stored, progress = _stored(asked, tools) if known else {}, ReadProgress(dict(kept))
    stored = merged_days.unmerged_states(stored, progress.parts)
    while True:
        measured = _portion(asked, tools, known, stored, progress)
        new = progress.take(measured)
        lost = merged_days.lost(stored, progress.parts, measured.fingerprints)
        stored = merged_days.unmerged_states(stored, progress.parts, measured.fingerprints)
        if not measured.remaining and not lost:
            return _of_columns(asked, tools, _whole(asked, measured, stored, progress, known))
        done = len(progress.parts)
        tools.parts.keep(new, f"{done} of {done + max(measured.remaining, len(lost))} partitions read")


def _portion(
    asked: ValidationPlan,
    tools: ValidationDeps,
    known: Mapping[str, str],
    stored: Mapping[str, bytes],
    progress: ReadProgress,
) -> MeasureResult:
    """What the next portion brings, states that were added put beside those that there were."""
    packed = {**stored, **{name: part.states for name, part in progress.parts.items()}}
    here = {**known, **{name: part.fingerprint for name, part in progress.parts.items()}}
    held = merged_days.stored_keys(partial(_lacking, asked, tools, progress), here, packed)
    request = MeasureRequest(
        source=asked.source,
        contract=asked.primary.contract.source,
        object=asked.primary.object.name,
        stored_fingerprints=here,
        stored_keys=held,
        skipped_partitions=progress.broken,
        reread_whole=asked.afresh or bool(progress.parts),
        portion=tools.portion,
        state_url=tools.state_url,
        datasets=asked.datasets,
        key=_key(asked, tools),
        arrivals=asked.stored_fingerprints if asked.arrivals else None,
        extra_documents=tuple((each.contract.source, each.object.name) for each in asked.secondary),
        classifying=asked.classifying,
        hints=_look(asked, progress),
        columns=asked.declared_columns == (),
    )
    return _completed(tools.engine.measure(request), packed, held)


def _look(asked: ValidationPlan, progress: ReadProgress) -> ChangeHints:
    """What the look begins with; after the first portion no hint bounds it: more is due than was hinted at."""
    look = asked.hints
    return replace(look, hint=replace(look.hint, partitions=None), newest_count=None) if progress.parts else look


def _lacking(
    asked: ValidationPlan, tools: ValidationDeps, progress: ReadProgress, stored: Mapping[str, bytes]
) -> dict[str, frozenset[str]]:
    """What stored bags have, where the checks need more.

    What is never stored must be there, once, of each partition that is judged; merged days are not one by one."""
    also = [each.object for each in asked.secondary]
    lacking = partial(
        tools.missing_states, asked.primary.contract, asked.primary.object.name, key=_key(asked, tools), also=also
    )
    judged = {name for name in stored if name in asked.due or name in progress.parts} - progress.read_partitions
    once = {name for name in judged if months.members(name) == (name,)}
    again, others = ({name: stored[name] for name in some} for some in (once, stored.keys() - once))
    return {**lacking(again, afresh=True), **lacking(others, afresh=False)}


def _key(asked: ValidationPlan, tools: ValidationDeps) -> HashKey | None:
    return tools.key.of(str(asked.dataset_id)) if tools.key else None


def _whole(
    asked: ValidationPlan,
    measured: MeasureResult,
    stored: Mapping[str, bytes],
    progress: ReadProgress,
    known: Mapping[str, str],
) -> ReadResult:
    """All parts together, as far as they are of the files that there are now."""
    now = measured.fingerprints
    read = {name: part for name, part in progress.parts.items() if now.get(name) == part.fingerprint}
    passing = {name: packed for name, packed in progress.transient_states.items() if name in read}
    marks = {name: part.fingerprint for name, part in read.items()}
    changed = [name for name, mark in marks.items() if mark.startswith(UNREAD) or known.get(name) != mark]
    whole = replace(measured, states={name: part.states for name, part in read.items()}, transient_states=passing)
    return ReadResult(
        replace(whole, schema=_schema(whole, changed if asked.merged else ())), stored, asked.stored_fingerprints
    )


def _of_columns(asked: ValidationPlan, tools: ValidationDeps, found: ReadResult) -> ReadResult:
    """Days that were only read again, for others of their month are gone, say nothing new of the table's columns."""
    if found.arrived(asked.stored_fingerprints) or not (asked.merged and found.measured.states):
        return found
    with read_session(tools.database) as session:
        schema = state_store.schema(session, asked.dataset_id)
    return replace(found, measured=replace(found.measured, schema=schema))


def _schema(measured: MeasureResult, changed: Collection[str]) -> Schema:
    """The schema of what was read, by whatever portion: of what changed, where other days were read again with it."""
    if measured.schema.columns and len(changed) in (0, len(measured.states)):
        return measured.schema
    of = changed or measured.states
    found = (_columns(packed) for name, packed in sorted(measured.states.items(), reverse=True) if name in of)
    return next((schema for schema in found if schema.columns), measured.schema)


def _columns(packed: bytes) -> Schema:
    """The columns that a bag was read with; none of one that cannot be opened: judging says so."""
    try:
        return inventory.describe_bag(packed)[0]
    except StateError:
        return Schema(())


def _stored(asked: ValidationPlan, tools: ValidationDeps) -> Mapping[str, bytes]:
    with read_session(tools.database) as session:
        return state_store.load(session, asked.dataset_id)


def _completed(
    measured: MeasureResult, stored: Mapping[str, bytes], held: Mapping[str, frozenset[str]]
) -> MeasureResult:
    """The states that were added put beside those that are stored; where none of these can be used, in their place."""
    whole = {
        name: bags.combine_readings(stored[name], packed, keys=held[name]) if held[name] else packed
        for name, packed in measured.added.items()
    }
    return replace(measured, states={**measured.states, **whole}, added={})
