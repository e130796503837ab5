"""What of the registry a principal may see: the place of a thing for `decide`, and conditions that lists are asked
with.

What somebody may not read is not found, in the words in which an unknown thing is not found. A role on a domain or a
contract holds for all that belongs to these contracts: proposals, versions, datasets, runs, memory. A role on a dataset
holds for its memory and its runs, under whichever name the dataset goes; contracts about it can be read."""

from collections.abc import Collection
from dataclasses import replace
from typing import Any
from uuid import UUID

from sqlalchemy import ColumnElement, or_, true
from sqlalchemy.orm import aliased
from sqlmodel import Session, col, select
from sqlmodel.sql.expression import SelectOfScalar

from treaty.contracts.document.model import Contract as Document
from treaty.registry.access.authentication import (
    EVERYWHERE,
    Principal,
    Resource,
    require_permission,
    require_permission_anywhere,
)
from treaty.registry.core.enums import GrantScope, Permission
from treaty.registry.core.errors import NotFound
from treaty.registry.core.state_machines import REVIEWED
from treaty.registry.datasets.contract_datasets import objects_of
from treaty.registry.tables import (
    ContractRow,
    DatasetContractRow,
    DatasetRow,
    ProposalRow,
    RunRow,
    SearchEntryRow,
    SubscriptionRow,
    TaskRow,
    TeamMemberRow,
)


def domain_of(document: Document) -> str | None:
    """The domain that the document names; None where it names none."""
    named = document.document.get("domain")
    return named.strip() or None if isinstance(named, str) else None


def contract_resource(session: Session, contract_id: str) -> Resource:
    """Where the contract is; one that is not there yet is of no domain."""
    contract = session.get(ContractRow, contract_id)
    about = session.exec(
        select(DatasetContractRow.dataset_id).where(DatasetContractRow.contract_id == contract_id)
    ).all()
    return Resource(contract_id, contract.domain if contract else None, about=frozenset(about))


def of_dataset(session: Session, dataset: DatasetRow) -> tuple[Resource, ...]:
    """Where the dataset is: in every contract about it, under all the names that the contract's object has."""
    places = [object_resource(session, *each) for each in objects_of(session, dataset.id)] or [Resource()]
    return tuple(replace(place, datasets=place.datasets | {dataset.id}) for place in places)


def object_resource(session: Session, contract_id: str, object_name: str | None) -> Resource:
    """Where the object of the contract is, with all that is remembered of it."""
    contract = session.get(ContractRow, contract_id)
    link = DatasetContractRow
    named = select(link.dataset_id).where(link.contract_id == contract_id, link.object == object_name)
    return Resource(contract_id, contract.domain if contract else None, frozenset(session.exec(named).all()))


def proposal_resource(proposal: ProposalRow) -> Resource:
    """Where the proposal is: where its contract is."""
    return Resource(proposal.contract_id, proposal.domain)


def of_run(session: Session, run: RunRow) -> Resource:
    """Where the run is: where the dataset is that it judged, in the contract that it judged it by."""
    contract = session.get(ContractRow, run.contract_id)
    dataset = session.get(DatasetRow, run.dataset_id) if run.dataset_id else None
    names = frozenset(name for place in of_dataset(session, dataset) for name in place.datasets) if dataset else ()
    return Resource(run.contract_id, contract.domain if contract else None, frozenset(names))


def proposed_resource(session: Session, document: Document) -> Resource:
    """Where a proposal of the document is: where its contract is; of one that is not there yet, where it says."""
    contract = session.get(ContractRow, document.id)
    return Resource(document.id, contract.domain if contract else domain_of(document))


def affected_resources(session: Session, document: Document) -> tuple[Resource, ...]:
    """Where a principal needs a permission to change the contract: where it is, and where the document moves it."""
    here, there = proposed_resource(session, document), Resource(document.id, domain_of(document))
    return (here,) if here == there else (here, there)


def require_permission_or_hide(
    by: Principal, permission: Permission, on: Resource, *, unknown: NotFound | None = None
) -> None:
    """Returns where the principal has the permission there. Raises `unknown`, what they were told of a thing that there
    is not, where they may not even read it; else Forbidden."""
    if not by.may(permission, on) and not by.may(Permission.READ, on):
        raise unknown or NotFound()
    require_permission(by, permission, on)


def require_readable_contract(session: Session, contract_id: str, by: Principal) -> Resource:
    """The contract's place. Raises NotFound where there is no such contract, or it is not the principal's to read."""
    require_permission_anywhere(by, Permission.READ)
    if session.get(ContractRow, contract_id) is None:
        raise NotFound
    place = contract_resource(session, contract_id)
    require_permission_or_hide(by, Permission.READ, place)
    return place


def require_readable_object(session: Session, contract_id: str, object_name: str, by: Principal) -> Resource:
    """The place of the contract's object. Raises NotFound where there is no such contract, or what is remembered of the
    object is not the principal's to read."""
    require_readable_contract(session, contract_id, by)
    place = object_resource(session, contract_id, object_name)
    require_permission_or_hide(by, Permission.READ, place)
    return place


def require_readable_run(
    session: Session, run_id: UUID, by: Principal, permission: Permission = Permission.READ
) -> RunRow:
    """The run. Raises NotFound where there is none or the principal may not read it, Forbidden where that is not all
    that is asked and they may not do that with it."""
    require_permission_anywhere(by, permission)
    run = session.get(RunRow, run_id)
    if run is None:
        raise NotFound
    require_permission_or_hide(by, permission, of_run(session, run))
    return run


def see_task(session: Session, task_id: UUID, by: Principal) -> TaskRow:
    """The task. Raises NotFound where there is none, or neither its contract is theirs to read nor it was asked for by
    them."""
    require_permission_anywhere(by, Permission.READ)
    task = session.get(TaskRow, task_id)
    if task is None or not (task.payload.get("author") == str(by.user_id) or _may_read(session, task, by)):
        raise NotFound
    return task


def _may_read(session: Session, task: TaskRow, by: Principal) -> bool:
    about = task.payload.get("contract_id")
    return by.may(Permission.READ, object_resource(session, about, task.payload.get("object")) if about else EVERYWHERE)


def readable_contracts(by: Principal, permission: Permission = Permission.READ) -> ColumnElement[bool]:
    """The condition on contracts that the principal has the permission there."""
    if by.may(permission):
        return true()
    held = _governed(by, permission)
    if permission is not Permission.READ:
        return held
    link = DatasetContractRow
    spoken = select(link.contract_id).where(col(link.dataset_id).in_(_datasets(by, permission)))
    return or_(held, col(ContractRow.id).in_(spoken))


def proposals(by: Principal, permission: Permission = Permission.READ) -> ColumnElement[bool]:
    """The condition on proposals that the principal has the permission there; their own can always be read."""
    if by.may(permission):
        return true()
    held = or_(
        col(ProposalRow.contract_id).in_(by.targets(permission, GrantScope.CONTRACT)),
        col(ProposalRow.domain).in_(by.targets(permission, GrantScope.DOMAIN)),
    )
    return or_(held, col(ProposalRow.author_id) == by.user_id) if permission is Permission.READ else held


def entries(by: Principal) -> ColumnElement[bool]:
    """The condition on entries of the catalog that the principal may read what they say: the contract, or where there
    is none yet, all that is proposed to be it."""
    if by.may(Permission.READ):
        return true()
    own, proposal = col(SearchEntryRow.contract_id), col(ProposalRow.contract_id)
    seen = select(ProposalRow.id).where(proposals(by))
    hidden = select(proposal).where(col(ProposalRow.state).in_(REVIEWED), col(ProposalRow.id).not_in(seen))
    proposed = own.not_in(select(ContractRow.id)) & own.in_(select(proposal).where(proposals(by))) & own.not_in(hidden)
    return or_(own.in_(select(ContractRow.id).where(readable_contracts(by))), proposed)


def runs(by: Principal, permission: Permission = Permission.READ) -> ColumnElement[bool]:
    """The condition on runs that the principal has the permission there."""
    if by.may(permission):
        return true()
    governed = select(ContractRow.id).where(_governed(by, permission))
    return or_(col(RunRow.contract_id).in_(governed), col(RunRow.dataset_id).in_(_alike(_datasets(by, permission))))


def tasks(by: Principal) -> ColumnElement[bool]:
    """The condition on tasks that their contract is the principal's to read, or they asked for them."""
    if by.may(Permission.READ):
        return true()
    payload: Any = col(TaskRow.payload)
    governed = select(ContractRow.id).where(_governed(by, Permission.READ))
    own = payload["author"].as_string() == str(by.user_id)
    return or_(payload["contract_id"].as_string().in_(governed), own)


def datasets(by: Principal, permission: Permission = Permission.READ) -> ColumnElement[bool]:
    """The condition on datasets that the principal has the permission there; nobody's are only for who has it
    everywhere."""
    if by.may(permission):
        return true()
    link = DatasetContractRow
    held = select(link.dataset_id).join(ContractRow, col(ContractRow.id) == col(link.contract_id))
    governed = held.where(_governed(by, permission))
    return or_(col(DatasetRow.id).in_(governed), col(DatasetRow.id).in_(_alike(_datasets(by, permission))))


def own_subscriptions(by: Principal) -> ColumnElement[bool]:
    """The condition on subscriptions that they are the principal's, or of a team that they belong to."""
    teams = select(TeamMemberRow.team_id).where(TeamMemberRow.user_id == by.user_id)
    alone = (col(SubscriptionRow.user_id) == by.user_id) & col(SubscriptionRow.team_id).is_(None)
    return or_(alone, col(SubscriptionRow.team_id).in_(teams))


def _governed(by: Principal, permission: Permission) -> ColumnElement[bool]:
    return or_(
        col(ContractRow.id).in_(by.targets(permission, GrantScope.CONTRACT)),
        col(ContractRow.domain).in_(by.targets(permission, GrantScope.DOMAIN)),
    )


def _datasets(by: Principal, permission: Permission) -> list[UUID]:
    return [UUID(each) for each in by.targets(permission, GrantScope.DATASET)]


def _alike(ids: Collection[UUID]) -> SelectOfScalar[UUID]:
    """These datasets, and all that are other names of them."""
    mine, other = aliased(DatasetContractRow), aliased(DatasetContractRow)
    same = (col(other.contract_id) == col(mine.contract_id)) & (col(other.object) == col(mine.object))
    named = select(other.dataset_id).join(mine, same).where(col(mine.dataset_id).in_(ids))
    return select(DatasetRow.id).where(or_(col(DatasetRow.id).in_(ids), col(DatasetRow.id).in_(named)))
