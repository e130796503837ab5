"""Query stored states: partitions selected by a condition, metrics of their states, and the cost.

Nothing here starts Spark or reads rows of a table."""

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

# The fingerprint of an arrival continues with the names of its files, up to thousands.
MARKER = 64
REMEDY = "Specify a contract id, contract.object, or a namespace and a name."


class StateFileSizes(StateFileStore, Protocol):
    """Store of state files that reports their sizes in bytes."""

    def sizes(self, names: Collection[str]) -> Mapping[str, int]: ...


@dataclass(frozen=True, kw_only=True)
class StateQuery:
    """A query for metrics of a dataset's stored states.

    `dataset`: a contract id if the contract has a single table, `contract.object`, or a lineage name. `namespace`:
    distinguishes datasets of the same lineage name. `where`: condition on partitions; None means all. `metrics`: names
    of metrics; () means those that the contract measures. `contract_id`: contract (or contract.object) to use if
    several contracts cover the dataset."""

    dataset: str
    namespace: str | None = None
    where: str | None = None
    metrics: tuple[str, ...] = ()
    contract_id: str | None = None


@dataclass(frozen=True, kw_only=True)
class QueryScope:
    """A resolved query: the dataset with states, its contract in force, and the checks of the table.

    `names`: names of all stored partitions. `chosen`: names of the selected ones. `queries`: the metrics."""

    dataset: DatasetRow
    contract: Contract
    checks: BoundChecks
    names: tuple[str, ...]
    chosen: tuple[str, ...]
    queries: tuple[MetricQuery, ...]


@dataclass(frozen=True, kw_only=True)
class StoredPartition:
    """The stored states of a partition.

    `bytes`: size of its row. `file_bytes`: size of its files. `kinds`: number of states by kind of component. `failed`:
    number of states that could not be computed. `files`: by key, the file of each state stored in one. `sizes`: by key,
    the bytes of each usable state that the query needs. `fault`: reason why the row is unusable, or its missing file;
    None if there is none. `days`: number of partitions merged into it. `schema`: schema at the time of the scan."""

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
    """Resolve a query against the stored states.

    Raises NotFound unless the dataset exists and has a contract in force, and InvalidRequest for a condition that does
    not select partitions by name or an unknown metric."""
    dataset, about = dataset_of(session, question)
    contract, contract_object = promised(session, dataset, about)
    version = dataset.states_version
    schema = state_store.schema(session, dataset.id, version=version)
    names = tuple(state_store.names(session, dataset.id, version=version))
    try:
        checks = bind(contract_object, schema)
        chosen = views.chosen(question.where, names, views.columns(contract_object, schema, names))
        metric_queries = tuple(
            state_queries.bind_metric(state_queries.metric(each), checks.marked) for each in question.metrics
        )
    except ContractError as error:
        raise InvalidRequest("The query cannot be evaluated.", faults=error.faults) from None
    return QueryScope(
        dataset=dataset,
        contract=contract,
        checks=checks,
        names=names,
        chosen=chosen,
        queries=metric_queries or state_queries.of_checks(checks),
    )


def dataset_of(session: Session, question: StateQuery) -> tuple[DatasetRow, ContractObject]:
    """Return the dataset of the query with the contract object to use.

    Raises NotFound if the name is unknown or ambiguous or no contract covers the dataset, and InvalidRequest if several
    contracts do and none is named."""
    resolved = resolve_query(session, question)
    if resolved is None or not resolved.about:
        raise _none(question)
    about = _chosen_object(resolved.about, question)
    return contract_datasets.dataset_of(session, *about) or resolved.dataset, about


def authorized_query(
    session: Session, question: StateQuery, by: Principal, permission: Permission = Permission.READ
) -> StateQuery:
    """Return the query, bound to a contract for which the principal has the permission.

    Raises NotFound if no contract covers the dataset, with the same message if the principal may read none of them;
    else Forbidden."""
    require_permission_anywhere(by, permission)
    if by.may(permission):
        return question
    resolved = resolve_query(session, question)
    resources = {each: _place(session, resolved.dataset, each) for each in resolved.about} if resolved else {}
    readable = [each for each, place in resources.items() if by.may(Permission.READ, place)]
    if not readable:
        raise _none(question)
    about = _chosen_object(readable, question)
    visibility.require_permission_or_hide(by, permission, resources[about], unknown=_none(question))
    return replace(question, contract_id=str(about))


def visible_dataset(session: Session, question: StateQuery, by: Principal) -> ResolvedDataset:
    """Return the dataset of the query with all selected, readable contract objects.

    Raises NotFound if there are none, with the same message if the principal may read none of them."""
    require_permission_anywhere(by, Permission.READ)
    resolved = resolve_query(session, question)
    about = [
        each for each in (resolved.about if resolved else ())
        if resolved and (by.may(Permission.READ) or by.may(Permission.READ, _place(session, resolved.dataset, each)))
        and question.contract_id in (None, each.contract_id, str(each))
    ]  # fmt: skip
    if resolved is None or not about:
        raise _none(question)
    return ResolvedDataset(resolved.dataset, tuple(about))


def _place(session: Session, dataset: DatasetRow, about: ContractObject) -> Resource:
    resource = visibility.object_resource(session, *about)
    return replace(resource, datasets=resource.datasets | {dataset.id})


def _none(question: StateQuery) -> NotFound:
    return NotFound(f"No contract covers dataset {question.dataset}, or the name is ambiguous. {REMEDY}")


def resolve_query(session: Session, question: StateQuery) -> ResolvedDataset | None:
    """Return the dataset of the query, with or without contracts; None if it is unknown or ambiguous."""
    if question.namespace is None:
        return related_datasets.resolve_dataset(session, question.dataset)
    return related_datasets.exactly(session, question.namespace, question.dataset)


def promised(session: Session, dataset: DatasetRow, about: ContractObject) -> tuple[Contract, DataObject]:
    """Return the contract version in force and its object. Raises NotFound if there is none."""
    match = in_force.objects_in_force(session, dataset.id, about)[0]
    return match.contract, match.object


def _chosen_object(about: Sequence[ContractObject], question: StateQuery) -> ContractObject:
    contract_name = question.contract_id
    chosen = [each for each in about if contract_name in (None, each.contract_id, str(each))]
    if len(chosen) == 1:
        return chosen[0]
    candidates = ", ".join(map(str, about))
    if not chosen:
        raise NotFound(
            f"Contract {contract_name} does not cover dataset {question.dataset}. Contracts that do: {candidates}."
        )
    raise InvalidRequest(f"Several contracts cover dataset {question.dataset}. Specify one of: {candidates}.")


def partitions(names: Iterable[str]) -> int:
    """Return the number of partitions that the names stand for. Merged days count individually."""
    return sum(len(members(name)) for name in names)


def answered(session: Session, memory: QueryScope, files: StateFileStore, *, now: datetime) -> tuple[MetricAnswer, ...]:
    """Return the value of each metric, merged from the states of the selected partitions.

    Text values of classified columns are omitted."""
    rows = _rows(session, memory)
    results = state_queries.answers(memory.queries, ((row.partition, row.states) for row in rows), files=files, now=now)
    return tuple(_discreet(each, memory.checks) for each in results)


def _rows(session: Session, memory: QueryScope) -> Iterator[PartitionStateRow]:
    """Yield the rows of the selected partitions, all of one states version despite concurrent writes."""
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
    """Return the stored states of each selected partition, by name."""
    needed_keys = frozenset(key for each in memory.queries for key in each.keys)
    opened = [_opened(row, needed_keys) for row in _rows(session, memory)]
    file_sizes = files.sizes({file for each in opened for file in each.files.values()})
    return tuple(_with_files(each, file_sizes) for each in opened)


def _opened(row: PartitionStateRow, components: frozenset[str]) -> StoredPartition:
    days = len(members(row.partition))
    short_fingerprint = row.fingerprint[:MARKER]
    partition = StoredPartition(
        partition=row.partition,
        generation=row.generation,
        fingerprint=short_fingerprint,
        created_at=row.created_at,
        bytes=len(row.states),
        days=days,
    )
    try:
        states, failed = inventory.inventory(row.states)
    except StateError as error:
        return replace(partition, fault=str(error))
    return replace(
        partition,
        schema=inventory.describe_bag(row.states)[0],
        kinds=dict(sorted(Counter(each.kind for each in states).items())),
        failed=len(failed),
        sources=tuple(sorted({each.source for each in states})),
        sizes={each.key: each.size for each in states if each.usable and each.key in components},
        files={each.key: each.file for each in states if each.file},
    )


def _with_files(partition: StoredPartition, there: Mapping[str, int]) -> StoredPartition:
    missing = sorted(set(partition.files.values()) - there.keys())
    missing_keys = {key for key, file in partition.files.items() if file in missing}
    sizes = {
        key: size + there.get(partition.files.get(key, ""), 0)
        for key, size in partition.sizes.items()
        if key not in missing_keys
    }
    file_bytes = sum(there.get(file, 0) for file in partition.files.values())
    return replace(
        partition,
        file_bytes=file_bytes,
        sizes=sizes,
        fault=f"the state file {missing[0]} is missing" if missing else partition.fault,
    )


def prospects(memory: QueryScope, partitions: Sequence[StoredPartition]) -> tuple[tuple[MetricAnswer, int], ...]:
    """Return, per metric, available and missing partitions with the number of bytes to read."""
    results = [_prospect(each, partitions) for each in memory.queries]
    return tuple((each, _bytes(each.query.keys, partitions) if each.merged else 0) for each in results)


def _prospect(query: MetricQuery, partitions: Sequence[StoredPartition]) -> MetricAnswer:
    covered = {each.partition: state_queries.covered_keys(query, each.sizes, each.schema) for each in partitions}
    schemas = schema_evolution.of_several({each.partition: each.schema for each in partitions})
    return state_queries.with_schema_note(state_queries.prospect(query, covered), schemas)


def _bytes(keys: Collection[str], partitions: Sequence[StoredPartition]) -> int:
    return sum(each.sizes.get(key, 0) for each in partitions for key in keys)
