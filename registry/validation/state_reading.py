"""Read changed partitions of a dataset in batches, and the states that others lack."""

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
    """Scanned data: newly read states together with the stored ones.

    `stored_fingerprints`: fingerprint by partition before the scan."""

    measured: MeasureResult
    stored: Mapping[str, bytes] = field(default_factory=dict)
    stored_fingerprints: Mapping[str, str] = field(default_factory=dict)

    @property
    def vanished(self) -> tuple[str, ...]:
        """Return the stored partitions that no longer exist."""
        return tuple(sorted(self.stored_fingerprints.keys() - self.measured.fingerprints.keys()))

    def arrived(self, since: Mapping[str, str] | None) -> tuple[str, ...]:
        """Return the partitions that changed; `since` None returns all.

        Days whose states remain merged are left out, because they cannot be evaluated individually."""
        now = self.measured.fingerprints.items()
        new = {name for name, mark in now if since is None or mark.startswith(UNREAD) or since.get(name) != mark}
        return tuple(sorted(new - merged_days.merged(self.stored)))

    def lost(self, since: Mapping[str, str] | None) -> tuple[str, ...]:
        """Return the partitions of `since` that no longer exist; None means all stored partitions."""
        return tuple(
            sorted((self.stored_fingerprints if since is None else since).keys() - self.measured.fingerprints.keys())
        )


@dataclass
class ReadProgress:
    """Progress of reading a table in batches.

    `parts`: states read so far, including checkpoints. `broken`: partitions that cannot be read. `transient_states`:
    states used for evaluation and never stored. `read_partitions`: partitions read since this validation began;
    those from earlier checkpoints have no transient states."""

    parts: dict[str, CheckpointedPartition]
    broken: frozenset[str] = frozenset()
    transient_states: dict[str, bytes] = field(default_factory=dict)
    read_partitions: frozenset[str] = frozenset()

    def take(self, measured: MeasureResult) -> dict[str, CheckpointedPartition]:
        """Add the result of a batch and return its new parts."""
        new = {
            name: CheckpointedPartition(measured.fingerprints[name], packed) for name, packed in measured.states.items()
        }
        self.parts |= new
        self.transient_states |= measured.transient_states
        self.read_partitions |= new.keys()
        self.broken |= {name for name, part in new.items() if part.fingerprint.startswith(UNREAD)}
        return new


def read(
    plan: ValidationPlan,
    tools: ValidationDeps,
    stored_fingerprints: Mapping[str, str],
    checkpoints: Mapping[str, CheckpointedPartition],
) -> ReadResult:
    """Read what changed, and the states that stored partitions lack; damaged ones entirely.

    `stored_fingerprints`: stored fingerprints by partition; empty reads everything. `checkpoints`: checkpoints of an
    earlier attempt, which are not read again unless they changed."""
    stored, progress = _stored(plan, tools) if stored_fingerprints else {}, ReadProgress(dict(checkpoints))
    stored = merged_days.unmerged_states(stored, progress.parts)
    while True:
        measured = _portion(plan, tools, stored_fingerprints, stored, progress)
        new = progress.take(measured)
        vanished = merged_days.lost(stored, progress.parts, measured.fingerprints)
        stored = merged_days.unmerged_states(stored, progress.parts, measured.fingerprints)
        if not measured.remaining and not vanished:
            return _of_columns(plan, tools, _whole(plan, measured, stored, progress, stored_fingerprints))
        done = len(progress.parts)
        tools.parts.keep(new, f"{done} of {done + max(measured.remaining, len(vanished))} partitions read")


def _portion(
    plan: ValidationPlan,
    tools: ValidationDeps,
    stored_fingerprints: Mapping[str, str],
    stored: Mapping[str, bytes],
    progress: ReadProgress,
) -> MeasureResult:
    """Read the next batch; added states are merged into stored ones."""
    packed = {**stored, **{name: part.states for name, part in progress.parts.items()}}
    fingerprints = {**stored_fingerprints, **{name: part.fingerprint for name, part in progress.parts.items()}}
    stored_keys = merged_days.stored_keys(partial(_lacking, plan, tools, progress), fingerprints, packed)
    request = MeasureRequest(
        source=plan.source,
        contract=plan.primary.contract.source,
        object=plan.primary.object.name,
        stored_fingerprints=fingerprints,
        stored_keys=stored_keys,
        skipped_partitions=progress.broken,
        reread_whole=plan.afresh or bool(progress.parts),
        portion=tools.portion,
        state_url=tools.state_url,
        datasets=plan.datasets,
        key=_key(plan, tools),
        arrivals=plan.stored_fingerprints if plan.arrivals else None,
        extra_documents=tuple((each.contract.source, each.object.name) for each in plan.secondary),
        classifying=plan.classifying,
        hints=_look(plan, progress),
        columns=plan.declared_columns == (),
    )
    return _completed(tools.engine.measure(request), packed, stored_keys)


def _look(plan: ValidationPlan, progress: ReadProgress) -> ChangeHints:
    """Return the change hints; after the first batch without limits, since more is due than was hinted."""
    hints = plan.hints
    return replace(hints, hint=replace(hints.hint, partitions=None), newest_count=None) if progress.parts else hints


def _lacking(
    plan: ValidationPlan, tools: ValidationDeps, progress: ReadProgress, stored: Mapping[str, bytes]
) -> dict[str, frozenset[str]]:
    """Return, by partition, the stored state keys of bags that lack states the checks need.

    States that are never stored must be read once for each partition that is evaluated; merged days are not
    evaluated individually."""
    objects = [each.object for each in plan.secondary]
    lacking = partial(
        tools.missing_states, plan.primary.contract, plan.primary.object.name, key=_key(plan, tools), also=objects
    )
    evaluated = {name for name in stored if name in plan.due or name in progress.parts} - progress.read_partitions
    unmerged = {name for name in evaluated if months.members(name) == (name,)}
    unread, remaining = ({name: stored[name] for name in some} for some in (unmerged, stored.keys() - unmerged))
    return {**lacking(unread, afresh=True), **lacking(remaining, afresh=False)}


def _key(plan: ValidationPlan, tools: ValidationDeps) -> HashKey | None:
    return tools.key.of(str(plan.dataset_id)) if tools.key else None


def _whole(
    plan: ValidationPlan,
    measured: MeasureResult,
    stored: Mapping[str, bytes],
    progress: ReadProgress,
    stored_fingerprints: Mapping[str, str],
) -> ReadResult:
    """Combine all parts that match the current files."""
    now = measured.fingerprints
    read = {name: part for name, part in progress.parts.items() if now.get(name) == part.fingerprint}
    transient = {name: packed for name, packed in progress.transient_states.items() if name in read}
    fingerprints = {name: part.fingerprint for name, part in read.items()}
    changed = [
        name for name, mark in fingerprints.items() if mark.startswith(UNREAD) or stored_fingerprints.get(name) != mark
    ]
    combined = replace(measured, states={name: part.states for name, part in read.items()}, transient_states=transient)
    return ReadResult(
        replace(combined, schema=_schema(combined, changed if plan.merged else ())), stored, plan.stored_fingerprints
    )


def _of_columns(plan: ValidationPlan, tools: ValidationDeps, result: ReadResult) -> ReadResult:
    """Keep the stored schema if only unchanged days were read again.

    That happens if other days of their merged month vanished."""
    if result.arrived(plan.stored_fingerprints) or not (plan.merged and result.measured.states):
        return result
    with read_session(tools.database) as session:
        schema = state_store.schema(session, plan.dataset_id)
    return replace(result, measured=replace(result.measured, schema=schema))


def _schema(measured: MeasureResult, changed: Collection[str]) -> Schema:
    """Return the schema of the changed partitions, or of all partitions read."""
    if measured.schema.columns and len(changed) in (0, len(measured.states)):
        return measured.schema
    of = changed or measured.states
    schemas = (_columns(packed) for name, packed in sorted(measured.states.items(), reverse=True) if name in of)
    return next((schema for schema in schemas if schema.columns), measured.schema)


def _columns(packed: bytes) -> Schema:
    """Return the columns of a bag; none if it is damaged, which the evaluation reports."""
    try:
        return inventory.describe_bag(packed)[0]
    except StateError:
        return Schema(())


def _stored(plan: ValidationPlan, tools: ValidationDeps) -> Mapping[str, bytes]:
    with read_session(tools.database) as session:
        return state_store.load(session, plan.dataset_id)


def _completed(
    measured: MeasureResult, stored: Mapping[str, bytes], stored_components: Mapping[str, frozenset[str]]
) -> MeasureResult:
    """Merge added states into the stored bags; unusable bags are replaced."""
    combined = {
        name: bags.combine_readings(stored[name], packed, keys=stored_components[name])
        if stored_components[name]
        else packed
        for name, packed in measured.added.items()
    }
    return replace(measured, states={**measured.states, **combined}, added={})
