"""Questions asked of the memory: which partitions a condition chooses, what their states say, what they would cost.

Nothing here starts Spark or reads a row of a table."""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Protocol

from sqlmodel import Session

from treaty.contracts.document.model import Contract, DataObject
from treaty.contracts.errors import ContractError
from treaty.contracts.schema import Schema
from treaty.engine.checks.binding import bind
from treaty.engine.checks.bound_check import BoundChecks
from treaty.engine.core.errors import StateError
from treaty.engine.core.partitions import views
from treaty.engine.core.partitions.months import members
from treaty.engine.evaluation import state_queries
from treaty.engine.evaluation.state_queries import MetricAnswer, MetricQuery
from treaty.engine.evaluation.violation_samples import HIDDEN, is_hidden
from treaty.engine.states import inventory, schema_evolution
from treaty.engine.states.bag import StateFileStore
from treaty.registry.access import visibility
from treaty.registry.access.authentication import Principal, Resource, require_permission_anywhere
from treaty.registry.contracts import in_force
from treaty.registry.core.enums import Permission
from treaty.registry.core.errors import InvalidRequest, NotFound
from treaty.registry.datasets import contract_datasets, related_datasets
from treaty.registry.datasets.contract_datasets import ContractObject
from treaty.registry.datasets.related_datasets import ResolvedDataset
from treaty.registry.measurements.states import state_store
from treaty.registry.tables import DatasetRow, PartitionStateRow

# The fingerprint of an arrival goes on to name its files, of which there may be thousands.
MARKER = 64
REMEDY = "name a contract's id, contract.object, or a namespace and a name"


class StateFileSizes(StateFileStore, Protocol):
    """Where large states lie, and how large they are."""

    def sizes(self, names: Collection[str]) -> Mapping[str, int]: ...


@dataclass(frozen=True, kw_only=True)
class StateQuery:
    """What is asked of a dataset: of the partitions that `where` chooses (None: all), the metrics of these names.

    `dataset` is a contract's id where that is about one table, `contract.object`, or a name as lineage has it;
    `namespace` says of which one, where several datasets bear that name, `contract_id` (or contract.object) whose
    promises are meant, where several contracts are about it. No metrics: those that the contract measures."""

    dataset: str
    namespace: str | None = None
    where: str | None = None
    metrics: tuple[str, ...] = ()
    contract_id: str | None = None


@dataclass(frozen=True, kw_only=True)
class QueryScope:
    """What a question is about: the dataset whose states are kept, its contract in force, and the table's checks.

    `names` are what states of its partitions lie under, `chosen` those that are asked about, `queries` the metrics."""

    dataset: DatasetRow
    contract: Contract
    checks: BoundChecks
    names: tuple[str, ...]
    chosen: tuple[str, ...]
    queries: tuple[MetricQuery, ...]


@dataclass(frozen=True, kw_only=True)
class StoredPartition:
    """The states of a partition as they are kept: `bytes` bytes in its row, `file_bytes` bytes in its files.

    `kinds` counts the states by kind of component, `failed` those that could not be computed; `files` names the file of
    each state that lies in one, `sizes` has the bytes of those that are asked for and can be used: both by key.
    `fault`: why the row is no use, or which of its files is gone. `days`: how many partitions were merged into it.
    `schema`: that which it was read with."""

    partition: str
    generation: int
    fingerprint: str
    created_at: datetime
    bytes: int
    file_bytes: int = 0
    kinds: Mapping[str, int] = field(default_factory=dict)
    failed: int = 0
    sources: tuple[str, ...] = ()
    files: Mapping[str, str] = field(default_factory=dict)
    sizes: Mapping[str, int] = field(default_factory=dict)
    fault: str | None = None
    days: int = 1
    schema: Schema = field(default_factory=lambda: Schema(()))


def query_scope(session: Session, question: StateQuery) -> QueryScope:
    """The memory that the question is about. Raises NotFound for no such dataset or none with a contract in force,
    Invalid for a condition that chooses no partitions by their names, and for a metric that there is not."""
    dataset, about = dataset_of(session, question)
    contract, found = promised(session, dataset, about)
    version = dataset.states_version
    schema = state_store.schema(session, dataset.id, version=version)
    names = tuple(state_store.names(session, dataset.id, version=version))
    try:
        checks = bind(found, schema)
        chosen = views.chosen(question.where, names, views.columns(found, schema, names))
        asked = tuple(state_queries.bind_metric(state_queries.metric(each), checks.marked) for each in question.metrics)
    except ContractError as error:
        raise InvalidRequest("the question cannot be answered as it is asked", faults=error.faults) from None
    return QueryScope(
        dataset=dataset,
        contract=contract,
        checks=checks,
        names=names,
        chosen=chosen,
        queries=asked or state_queries.of_checks(checks),
    )


def dataset_of(session: Session, question: StateQuery) -> tuple[DatasetRow, ContractObject]:
    """The dataset that is asked about, and whose promises are meant. Raises NotFound where no contract is about one, or
    the name is that of several datasets; Invalid where several contracts are about it and none is named."""
    found = resolve_query(session, question)
    if found is None or not found.about:
        raise _none(question)
    about = _chosen_object(found.about, question)
    return contract_datasets.dataset_of(session, *about) or found.dataset, about


def authorized_query(
    session: Session, question: StateQuery, by: Principal, permission: Permission = Permission.READ
) -> StateQuery:
    """The question of the promises about the dataset that the principal may read, where they have the permission.

    Raises NotFound where there are none, and in the same words where they may not read any; else Forbidden."""
    require_permission_anywhere(by, permission)
    if by.may(permission):
        return question
    found = resolve_query(session, question)
    places = {each: _place(session, found.dataset, each) for each in found.about} if found else {}
    readable = [each for each, place in places.items() if by.may(Permission.READ, place)]
    if not readable:
        raise _none(question)
    about = _chosen_object(readable, question)
    visibility.require_permission_or_hide(by, permission, places[about], unknown=_none(question))
    return replace(question, contract_id=str(about))


def visible_dataset(session: Session, question: StateQuery, by: Principal) -> ResolvedDataset:
    """The dataset that is asked about, with all promises about it that are meant and that the principal may read.

    Raises NotFound where there are none, and in the same words where they may not read any."""
    require_permission_anywhere(by, Permission.READ)
    found = resolve_query(session, question)
    about = [
        each for each in (found.about if found else ())
        if found and (by.may(Permission.READ) or by.may(Permission.READ, _place(session, found.dataset, each)))
        and question.contract_id in (None, each.contract_id, str(each))
    ]  # fmt: skip
    if found is None or not about:
        raise _none(question)
    return ResolvedDataset(found.dataset, tuple(about))


def _place(session: Session, dataset: DatasetRow, about: ContractObject) -> Resource:
    place = visibility.object_resource(session, *about)
    return replace(place, datasets=place.datasets | {dataset.id})


def _none(question: StateQuery) -> NotFound:
    return NotFound(f"no contract is about a dataset {question.dataset}, or several are: {REMEDY}")


def resolve_query(session: Session, question: StateQuery) -> ResolvedDataset | None:
    """What the question names, whether a contract is about it or not; None for no dataset, or for several."""
    if question.namespace is None:
        return related_datasets.resolve_dataset(session, question.dataset)
    return related_datasets.exactly(session, question.namespace, question.dataset)


def promised(session: Session, dataset: DatasetRow, about: ContractObject) -> tuple[Contract, DataObject]:
    """The contract's version in force and its object. Raises NotFound where none is, or none has that object."""
    found = in_force.objects_in_force(session, dataset.id, about)[0]
    return found.contract, found.object


def _chosen_object(about: Sequence[ContractObject], question: StateQuery) -> ContractObject:
    wanted = question.contract_id
    chosen = [each for each in about if wanted in (None, each.contract_id, str(each))]
    if len(chosen) == 1:
        return chosen[0]
    known = ", ".join(map(str, about))
    if not chosen:
        raise NotFound(f"contract {wanted} is not about the dataset {question.dataset}; about it: {known}")
    raise InvalidRequest(f"several contracts are about the dataset {question.dataset}: name one of {known}")


def partitions(names: Iterable[str]) -> int:
    """How many partitions these names stand for: those of days whose states were merged stand for several."""
    return sum(len(members(name)) for name in names)


def answered(session: Session, memory: QueryScope, files: StateFileStore, *, now: datetime) -> tuple[MetricAnswer, ...]:
    """What the states of the chosen partitions say of each metric; texts of classified columns are not said."""
    rows = _rows(session, memory)
    found = state_queries.answers(memory.queries, ((row.partition, row.states) for row in rows), files=files, now=now)
    return tuple(_discreet(each, memory.checks) for each in found)


def _rows(session: Session, memory: QueryScope) -> Iterator[PartitionStateRow]:
    """The chosen partitions' rows, all of one version, whoever writes meanwhile."""
    dataset = memory.dataset
    return state_store.load_partitions(session, dataset.id, memory.chosen, version=dataset.states_version)


def _discreet(answer: MetricAnswer, checks: BoundChecks) -> MetricAnswer:
    reading = answer.reading
    if (
        reading is None
        or not isinstance(reading.value, str)
        or not is_hidden(answer.query.analyzer, checks, answer.query.bound)
    ):
        return answer
    return replace(answer, reading=replace(reading, value=None), reason=HIDDEN)


def stored(session: Session, memory: QueryScope, files: StateFileSizes) -> tuple[StoredPartition, ...]:
    """The states of each chosen partition as they are kept, by name."""
    wanted = frozenset(key for each in memory.queries for key in each.keys)
    found = [_opened(row, wanted) for row in _rows(session, memory)]
    there = files.sizes({file for each in found for file in each.files.values()})
    return tuple(_with_files(each, there) for each in found)


def _opened(row: PartitionStateRow, wanted: frozenset[str]) -> StoredPartition:
    days = len(members(row.partition))
    marker = row.fingerprint[:MARKER]
    found = StoredPartition(
        partition=row.partition,
        generation=row.generation,
        fingerprint=marker,
        created_at=row.created_at,
        bytes=len(row.states),
        days=days,
    )
    try:
        held, failed = inventory.inventory(row.states)
    except StateError as error:
        return replace(found, fault=str(error))
    return replace(
        found,
        schema=inventory.describe_bag(row.states)[0],
        kinds=dict(sorted(Counter(each.kind for each in held).items())),
        failed=len(failed),
        sources=tuple(sorted({each.source for each in held})),
        sizes={each.key: each.size for each in held if each.usable and each.key in wanted},
        files={each.key: each.file for each in held if each.file},
    )


def _with_files(found: StoredPartition, there: Mapping[str, int]) -> StoredPartition:
    gone = sorted(set(found.files.values()) - there.keys())
    lost = {key for key, file in found.files.items() if file in gone}
    sizes = {key: size + there.get(found.files.get(key, ""), 0) for key, size in found.sizes.items() if key not in lost}
    filed = sum(there.get(file, 0) for file in found.files.values())
    return replace(
        found, file_bytes=filed, sizes=sizes, fault=f"the state file {gone[0]} is gone" if gone else found.fault
    )


def prospects(memory: QueryScope, found: Sequence[StoredPartition]) -> tuple[tuple[MetricAnswer, int], ...]:
    """What each metric would merge of these partitions and what it lacks, with the bytes that it would read."""
    told = [_prospect(each, found) for each in memory.queries]
    return tuple((each, _bytes(each.query.keys, found) if each.merged else 0) for each in told)


def _prospect(asked: MetricQuery, found: Sequence[StoredPartition]) -> MetricAnswer:
    held = {each.partition: state_queries.covered_keys(asked, each.sizes, each.schema) for each in found}
    schemas = schema_evolution.of_several({each.partition: each.schema for each in found})
    return state_queries.with_schema_note(state_queries.prospect(asked, held), schemas)


def _bytes(keys: Collection[str], found: Sequence[StoredPartition]) -> int:
    return sum(each.sizes.get(key, 0) for each in found for key in keys)
