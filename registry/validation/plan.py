"""Plan a validation: its targets, the location of the data, and its stored states."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from uuid import UUID

from sqlmodel import Session

from treaty.contracts.document.classification import classifies
from treaty.contracts.document.model import Contract, DataObject
from treaty.contracts.document.reader import read
from treaty.contracts.errors import ContractError
from treaty.contracts.fingerprint import fingerprint
from treaty.engine.core.partitions.months import members
from treaty.engine.protocol.requests import TableSource
from treaty.engine.protocol.write_hints import ChangeHints
from treaty.registry.contracts import in_force
from treaty.registry.contracts.in_force import ObjectInForce
from treaty.registry.core.errors import RegistryError
from treaty.registry.datasets import contract_datasets, names, related_datasets
from treaty.registry.datasets.contract_datasets import ContractObject
from treaty.registry.measurements.runs import recording
from treaty.registry.measurements.states import state_store
from treaty.registry.queue import coalescing, pending_triggers
from treaty.registry.review.consumers import consumer_checks
from treaty.registry.review.consumers.consumer_checks import ConsumerDocument
from treaty.registry.tables import DatasetRow, TaskRow
from treaty.registry.validation import change_hints

# Returns the checks of a contract object's consumers, one document per consumer.
Consumers = Callable[[Session, str, str], Iterable[ConsumerDocument]]
Documents = tuple[tuple[bytes, str], ...]


class ImpossibleTask(RegistryError):
    """The task cannot be done, now or later."""


@dataclass(frozen=True, kw_only=True)
class ValidationTarget:
    """An object of a contract version in force, or a consumer's checks on it; evaluated separately.

    `contract_object`: the contract's object, or the one that the consumer subscribed to. `validated_fingerprints`:
    fingerprint by partition at its last evaluation; None evaluates everything. `covered_sequence`: number of
    triggers counted so far. `datasets`: locations of the other datasets that its checks read. `subscription_id`: the
    consumer's subscription; None for a contract."""

    contract: Contract
    object: DataObject
    contract_object: ContractObject
    validated_fingerprints: Mapping[str, str] | None
    covered_sequence: int = 0
    datasets: Mapping[str, TableSource] = field(default_factory=dict)
    subscription_id: UUID | None = None


@dataclass(frozen=True, kw_only=True)
class ValidationPlan:
    """A validation to run: its targets and the stored facts about the dataset.

    `stored_fingerprints`: fingerprint by partition as last stored. `force_reread`: read everything again. `merged`:
    names of merged partitions, each with the states of several days. `publishing`: a gate is publishing to the
    table. `arrivals`: what arrived since the last scan is a partition of its own. `classifying`: documents and
    objects that classify columns of the table. `hints`: change hints for the scan. `already_covered`: the last scan
    found all the writes that triggered the task. `declared_columns`: new columns of the table, by name and type; ()
    if they were not named; None if the schema did not change."""

    primary: ValidationTarget
    dataset_id: UUID
    source: TableSource
    stored_fingerprints: Mapping[str, str]
    force_reread: bool
    task_id: UUID
    secondary: tuple[ValidationTarget, ...] = ()
    lineage_run_id: UUID | None = None
    merged: frozenset[str] = frozenset()
    publishing: bool = False
    arrivals: bool = False
    classifying: Documents = ()
    hints: ChangeHints = field(default_factory=ChangeHints)
    already_covered: bool = False
    declared_columns: tuple[tuple[str, str], ...] | None = None

    @property
    def promises(self) -> tuple[ValidationTarget, ...]:
        """Return all targets, the task's own first."""
        return (self.primary, *self.secondary)

    @property
    def alone(self) -> "ValidationPlan":
        """Return the plan with the task's own target only."""
        return replace(self, secondary=())

    @property
    def datasets(self) -> dict[str, TableSource]:
        """Return the locations of the other datasets that checks read.

        If two targets use one name, the location of the first is returned."""
        return {name: source for each in reversed(self.promises) for name, source in each.datasets.items()}

    @property
    def due(self) -> frozenset[str]:
        """Return the stored partitions that some target has not evaluated in their current state.

        Days of merged partitions are left out, because they cannot be evaluated individually."""
        validated = (each.validated_fingerprints for each in self.promises)
        return frozenset(
            name
            for since in validated
            for name, mark in self.stored_fingerprints.items()
            if since is None or since.get(name) != mark
        ) - {day for name in self.merged for day in members(name)}

    @property
    def afresh(self) -> bool:
        """Return whether some target needs an evaluation even if the data has not changed."""
        validated = (each.validated_fingerprints for each in self.promises)
        return self.declared_columns is not None or any(since != self.stored_fingerprints for since in validated)


def plan_validation(
    session: Session, task: TaskRow, consumers: Consumers = consumer_checks.documents
) -> ValidationPlan:
    """Return the plan of the task.

    Raises ImpossibleTask if no version is in force or the location of the data is unknown."""
    about = ContractObject(task.payload["contract_id"], task.payload["object"])
    dataset = _dataset(session, about)
    in_force_objects = _in_force(session, dataset, about)
    builder = _PlanBuilder(
        session,
        dataset.id,
        state_store.stored_fingerprints(session, dataset.id),
        state_store.merged_names(session, dataset.id),
    )
    # Triggers are counted before their payloads are read: a trigger in between causes one more validation instead of
    # being lost.
    primary, *secondary = [builder.promise(each) for each in in_force_objects]
    force_reread, source = bool(task.payload.get("all")), _source(dataset, primary.object)
    written = change_hints.written(session, task)
    hints = change_hints.begun(task, dataset, written, primary.contract.terms.lineage, source.partition_by)
    return ValidationPlan(
        primary=replace(primary, validated_fingerprints=None) if force_reread else primary,
        secondary=(*secondary, *builder.of_consumers(in_force_objects, consumers)),
        dataset_id=dataset.id,
        source=source,
        stored_fingerprints=builder.stored_fingerprints,
        force_reread=force_reread,
        task_id=task.id,
        lineage_run_id=UUID(run) if (run := task.payload.get("lineage_run_id")) else None,
        merged=builder.merged,
        publishing=dataset.publishing_version is not None,
        arrivals=any(each.object.arrivals for each in in_force_objects),
        classifying=tuple(
            (each.contract.source, each.object.name) for each in in_force_objects if classifies(each.object)
        ),
        hints=hints,
        already_covered=change_hints.is_past(dataset, written, hints),
        declared_columns=_redefined(session, task),
    )


@dataclass(frozen=True)
class _PlanBuilder:
    """Build the targets of a plan from the dataset's stored states."""

    session: Session
    dataset_id: UUID
    stored_fingerprints: Mapping[str, str]
    merged: frozenset[str]

    def promise(self, object_in_force: ObjectInForce) -> ValidationTarget:
        """Return the target of a version in force."""
        run_key = recording.RunSeriesKey(
            object_in_force.about.contract_id, object_in_force.about.object, object_in_force.contract.fingerprint
        )
        return ValidationTarget(
            contract=object_in_force.contract,
            object=object_in_force.object,
            contract_object=object_in_force.about,
            validated_fingerprints=self._since(run_key),
            covered_sequence=coalescing.sequence(self.session, *object_in_force.about),
            datasets=related_datasets.sources(self.session, object_in_force.contract, object_in_force.object),
        )

    def of_consumers(
        self, objects_in_force: Sequence[ObjectInForce], consumers: Consumers
    ) -> Iterator[ValidationTarget]:
        """Yield the targets of all consumers of these objects; unreadable documents are left out."""
        for about, classifying_objects in {
            each.about: each.object.classifying_objects for each in objects_in_force
        }.items():
            for each in consumers(self.session, *about):
                try:
                    yield self._of_consumer(about, each.subscription_id, read(each.body), classifying_objects)
                except (ContractError, KeyError):
                    continue

    def _of_consumer(
        self, about: ContractObject, subscription_id: UUID, document: Contract, data_objects: tuple[DataObject, ...]
    ) -> ValidationTarget:
        name = about.object if len(document.objects) > 1 else document.objects[0].name
        described = in_force.with_classifications(ObjectInForce(document, document.object(name)), data_objects)
        since = self._since(recording.RunSeriesKey(*about, document.fingerprint, subscription_id))
        sources = related_datasets.sources(self.session, replace(document, id=about.contract_id), described.object)
        contract = replace(described.contract, id=about.contract_id)
        return ValidationTarget(
            contract=contract,
            object=described.object,
            contract_object=about,
            validated_fingerprints=since,
            covered_sequence=0,
            datasets=sources,
            subscription_id=subscription_id,
        )

    def _since(self, series_key: recording.RunSeriesKey) -> Mapping[str, str] | None:
        run = recording.last(self.session, series_key, self.dataset_id)
        if run is None:
            return None
        if run.states_version is None or run.dataset_fingerprint == fingerprint(self.stored_fingerprints):
            return self.stored_fingerprints
        then = state_store.stored_fingerprints(self.session, self.dataset_id, version=run.states_version)
        # Merged days are no longer evaluated individually.
        merged_days = {day for name in self.merged for day in members(name)}
        return {**then, **{name: mark for name, mark in self.stored_fingerprints.items() if name in merged_days}}


def _in_force(session: Session, dataset: DatasetRow, about: ContractObject) -> list[ObjectInForce]:
    """Return the objects in force about the dataset, the task's own first.

    Raises ImpossibleTask if there is none for the task."""
    objects = in_force.all_about(session, dataset.id)
    mine = [each for each in objects if each.about == about]
    if not mine:
        raise ImpossibleTask(in_force.missing_reason(session, about) or f"{about} is about a different dataset")
    return [*mine, *(each for each in objects if each.about != about)]


def _redefined(session: Session, task: TaskRow) -> tuple[tuple[str, str], ...] | None:
    """Return the new columns that the triggers reported, by name and type.

    () if they were not named; None if no trigger reported a schema change."""
    if task.payload.get("seq") is None:
        return None
    columns = pending_triggers.columns(coalescing.pending(session, task.payload["contract_id"], task.payload["object"]))
    return None if columns is None else tuple(columns)


def _dataset(session: Session, about: ContractObject) -> DatasetRow:
    dataset = contract_datasets.dataset_of(session, *about)
    if dataset is None:
        unknown_location = f"the location of {about.object} is unknown: add its dataset to the aliases of the contract"
        raise ImpossibleTask(in_force.missing_reason(session, about) or unknown_location)
    return dataset


def _source(dataset: DatasetRow, described: DataObject) -> TableSource:
    table_location = dataset.location or names.location(dataset.namespace, dataset.name)
    return TableSource(table_location, dataset.format, tuple(dataset.partition_by) or described.partition_by)
