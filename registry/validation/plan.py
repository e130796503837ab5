"""What a validation's task asks for: all that is promised of the data, where they lie, and what is known of them."""

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

# The checks of a contract object's consumers, a document for each.
Consumers = Callable[[Session, str, str], Iterable[ConsumerDocument]]
Documents = tuple[tuple[bytes, str], ...]


class ImpossibleTask(RegistryError):
    """This task cannot be done, now or later."""


@dataclass(frozen=True, kw_only=True)
class ValidationTarget:
    """An object of a contract's version in force, or a consumer's checks of it, which are judged by themselves.

    `contract_object`: the contract's object that it is, or that the consumer subscribed to. `validated_fingerprints`:
    by partition the fingerprint that it was judged at last; None: it never was, or all is to be judged again.
    `covered_sequence`: the triggers counted so far. `datasets`: where the other datasets are that its checks read.
    `subscription_id`: that of the consumer."""

    contract: Contract
    object: DataObject
    contract_object: ContractObject
    validated_fingerprints: Mapping[str, str] | None
    covered_sequence: int = 0
    datasets: Mapping[str, TableSource] = field(default_factory=dict)
    subscription_id: UUID | None = None


@dataclass(frozen=True, kw_only=True)
class ValidationPlan:
    """A validation to be done: what the task is about, what else is promised of the same data, and what is known of
    them.

    `force_reread`: everything is read again. `merged`: the names under which states of several known days lie together.
    `publishing`: a gate is about to publish to it. `arrivals`: what came since the last look is a partition of its own.
    `classifying`: the documents that say what of the table is classified, with the object of each. `hints`: what the
    look at the table begins with; `already_covered`: the one before it found all that the task was made for.
    `declared_columns`: the columns that the table was given anew, by name and type, () where nobody said which; None:
    it was given none."""

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
        """All of them, that of the task first."""
        return (self.primary, *self.secondary)

    @property
    def alone(self) -> "ValidationPlan":
        """The order of what the task is about, and of nothing else."""
        return replace(self, secondary=())

    @property
    def datasets(self) -> dict[str, TableSource]:
        """Where the other datasets are that checks read: by a name that two promises use, the dataset of the first."""
        return {name: source for each in reversed(self.promises) for name, source in each.datasets.items()}

    @property
    def due(self) -> frozenset[str]:
        """The known partitions that some promise has not judged as they are, of those that can be judged alone."""
        behind = (each.validated_fingerprints for each in self.promises)
        return frozenset(
            name
            for since in behind
            for name, mark in self.stored_fingerprints.items()
            if since is None or since.get(name) != mark
        ) - {day for name in self.merged for day in members(name)}

    @property
    def afresh(self) -> bool:
        """Whether something is to be judged even where nothing has changed."""
        behind = (each.validated_fingerprints for each in self.promises)
        return self.declared_columns is not None or any(since != self.stored_fingerprints for since in behind)


def plan_validation(
    session: Session, task: TaskRow, consumers: Consumers = consumer_checks.documents
) -> ValidationPlan:
    """What the task asks for. Raises Unworkable where no version is in force or nobody knows where the data lies."""
    about = ContractObject(task.payload["contract_id"], task.payload["object"])
    dataset = _dataset(session, about)
    found = _in_force(session, dataset, about)
    desk = _PlanBuilder(
        session,
        dataset.id,
        state_store.stored_fingerprints(session, dataset.id),
        state_store.merged_names(session, dataset.id),
    )
    # Triggers are counted before it is read what they told: what comes between is looked at once more.
    main, *also = [desk.promise(each) for each in found]
    again, source = bool(task.payload.get("all")), _source(dataset, main.object)
    written = change_hints.written(session, task)
    look = change_hints.begun(task, dataset, written, main.contract.terms.lineage, source.partition_by)
    return ValidationPlan(
        primary=replace(main, validated_fingerprints=None) if again else main,
        secondary=(*also, *desk.of_consumers(found, consumers)),
        dataset_id=dataset.id,
        source=source,
        stored_fingerprints=desk.stored_fingerprints,
        force_reread=again,
        task_id=task.id,
        lineage_run_id=UUID(run) if (run := task.payload.get("lineage_run_id")) else None,
        merged=desk.merged,
        publishing=dataset.publishing_version is not None,
        arrivals=any(each.object.arrivals for each in found),
        classifying=tuple((each.contract.source, each.object.name) for each in found if classifies(each.object)),
        hints=look,
        already_covered=change_hints.is_past(dataset, written, look),
        declared_columns=_redefined(session, task),
    )


@dataclass(frozen=True)
class _PlanBuilder:
    """What is known of the dataset while its order is written."""

    session: Session
    dataset_id: UUID
    stored_fingerprints: Mapping[str, str]
    merged: frozenset[str]

    def promise(self, found: ObjectInForce) -> ValidationTarget:
        """The promise of a version in force."""
        whose = recording.RunSeriesKey(found.about.contract_id, found.about.object, found.contract.fingerprint)
        return ValidationTarget(
            contract=found.contract,
            object=found.object,
            contract_object=found.about,
            validated_fingerprints=self._since(whose),
            covered_sequence=coalescing.sequence(self.session, *found.about),
            datasets=related_datasets.sources(self.session, found.contract, found.object),
        )

    def of_consumers(self, found: Sequence[ObjectInForce], consumers: Consumers) -> Iterator[ValidationTarget]:
        """The checks of everybody who subscribed to one of these; documents that cannot be read are left out."""
        for about, beside in {each.about: each.object.classifying_objects for each in found}.items():
            for each in consumers(self.session, *about):
                try:
                    yield self._of_consumer(about, each.subscription_id, read(each.body), beside)
                except (ContractError, KeyError):
                    continue

    def _of_consumer(
        self, about: ContractObject, subscription_id: UUID, document: Contract, beside: tuple[DataObject, ...]
    ) -> ValidationTarget:
        name = about.object if len(document.objects) > 1 else document.objects[0].name
        described = in_force.with_classifications(ObjectInForce(document, document.object(name)), beside)
        since = self._since(recording.RunSeriesKey(*about, document.fingerprint, subscription_id))
        others = related_datasets.sources(self.session, replace(document, id=about.contract_id), described.object)
        contract = replace(described.contract, id=about.contract_id)
        return ValidationTarget(
            contract=contract,
            object=described.object,
            contract_object=about,
            validated_fingerprints=since,
            covered_sequence=0,
            datasets=others,
            subscription_id=subscription_id,
        )

    def _since(self, whose: recording.RunSeriesKey) -> Mapping[str, str] | None:
        run = recording.last(self.session, whose, self.dataset_id)
        if run is None:
            return None
        if run.states_version is None or run.dataset_fingerprint == fingerprint(self.stored_fingerprints):
            return self.stored_fingerprints
        then = state_store.stored_fingerprints(self.session, self.dataset_id, version=run.states_version)
        # Days whose states were merged since are not judged one by one any more.
        together = {day for name in self.merged for day in members(name)}
        return {**then, **{name: mark for name, mark in self.stored_fingerprints.items() if name in together}}


def _in_force(session: Session, dataset: DatasetRow, about: ContractObject) -> list[ObjectInForce]:
    """What is in force about the dataset, what the task is about first. Raises Unworkable."""
    found = in_force.all_about(session, dataset.id)
    mine = [each for each in found if each.about == about]
    if not mine:
        raise ImpossibleTask(in_force.missing_reason(session, about) or f"{about} is about another dataset")
    return [*mine, *(each for each in found if each.about != about)]


def _redefined(session: Session, task: TaskRow) -> tuple[tuple[str, str], ...] | None:
    """The columns that the table was given anew, by name and type, as what made the task told, () where it did not say
    which; None where it told of none."""
    if task.payload.get("seq") is None:
        return None
    columns = pending_triggers.columns(coalescing.pending(session, task.payload["contract_id"], task.payload["object"]))
    return None if columns is None else tuple(columns)


def _dataset(session: Session, about: ContractObject) -> DatasetRow:
    found = contract_datasets.dataset_of(session, *about)
    if found is None:
        nowhere = f"nobody knows where the data of {about.object} lies: name its dataset in the contract's aliases"
        raise ImpossibleTask(in_force.missing_reason(session, about) or nowhere)
    return found


def _source(dataset: DatasetRow, described: DataObject) -> TableSource:
    lies = dataset.location or names.location(dataset.namespace, dataset.name)
    return TableSource(lies, dataset.format, tuple(dataset.partition_by) or described.partition_by)
