"""What a validation's task asks for: the version in force, where the data lies, and what is known of it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from uuid import UUID

from sqlmodel import Session, col, select

from contracts.document import Contract, DataObject
from contracts.reading import read
from engine.requests import Source
from registry import datasets, references, runs, states
from registry.errors import RegistryError
from registry.lifecycle import IN_FORCE
from registry.lineage import debounce, names
from registry.tables import Contract as ContractRow
from registry.tables import ContractVersion, Dataset, Task


class Unworkable(RegistryError):
    """This task cannot be done, now or later."""


@dataclass(frozen=True)
class Order:
    """A validation to be done: the version in force, the data, and what is known of it.

    `afresh`: this version never judged this data, so all of it is judged. `again`: everything is read again, too.
    `covers`: the triggers counted so far. `merged`: the names under which states of several known days lie together.
    `others`: where the other datasets are that its checks read. `publishing`: a gate is about to publish to it."""

    contract: Contract
    object: DataObject
    dataset_id: UUID
    source: Source
    known: Mapping[str, str]
    afresh: bool
    again: bool
    covers: int
    task_id: UUID
    lineage_run_id: UUID | None = None
    others: Mapping[str, Source] = field(default_factory=dict)
    merged: frozenset[str] = frozenset()
    publishing: bool = False


def order(session: Session, task: Task) -> Order:
    """What the task asks for. Raises Unworkable where no version is in force or nobody knows where the data lies."""
    contract_id, name = task.payload["contract_id"], task.payload["object"]
    contract = _in_force(session, contract_id)
    found = next((each for each in contract.objects if each.name == name), None)
    if found is None:
        raise Unworkable(f"version {contract.version} of contract {contract_id} has no object {name}")
    dataset = _dataset(session, contract_id, name)
    version, again = contract.version, bool(task.payload.get("all"))
    return Order(
        contract=contract,
        object=found,
        dataset_id=dataset.id,
        source=_source(dataset, found),
        known=states.known(session, dataset.id),
        again=again,
        afresh=again or not runs.judged(session, contract_id, version, object_name=name, dataset_id=dataset.id),
        covers=debounce.sequence(session, contract_id, name),
        task_id=task.id,
        lineage_run_id=UUID(run) if (run := task.payload.get("lineage_run_id")) else None,
        others=references.sources(session, contract, found),
        merged=states.merged(session, dataset.id),
        publishing=dataset.publishing is not None,
    )


def _in_force(session: Session, contract_id: str) -> Contract:
    query = select(ContractVersion.body).join(ContractRow, col(ContractRow.id) == ContractVersion.contract_id)
    active = query.where(ContractVersion.contract_id == contract_id, col(ContractVersion.state).in_(IN_FORCE))
    body = session.exec(active.where(ContractRow.active_version == ContractVersion.version)).first()
    if body is None:
        raise Unworkable(f"no version of contract {contract_id} is in force")
    return read(body)


def _dataset(session: Session, contract_id: str, name: str) -> Dataset:
    found = datasets.kept(session, contract_id, name)
    if found is None:
        raise Unworkable(f"nobody knows where the data of {name} lies: name its dataset in the contract's aliases")
    return found


def _source(dataset: Dataset, described: DataObject) -> Source:
    lies = dataset.location or names.location(dataset.namespace, dataset.name)
    return Source(lies, dataset.format, tuple(dataset.partition_by) or described.partition_by)
