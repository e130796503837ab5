"""Resources of objects for permission checks, and SQL filters for lists.

An object that the principal may not read is reported as not found, with the same message as an unknown object. A role
on a domain or contract applies to everything that belongs to these contracts: proposals, versions, datasets, runs and
states. A role on a dataset applies to its states and runs under all its aliases; contracts about it can be read."""

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
    """Return the domain of the document; None if it has none."""
    domain = document.document.get("domain")
    return domain.strip() or None if isinstance(domain, str) else None


def contract_resource(session: Session, contract_id: str) -> Resource:
    """Return the resource of the contract; a contract that does not exist yet has no domain."""
    contract = session.get(ContractRow, contract_id)
    about = session.exec(
        select(DatasetContractRow.dataset_id).where(DatasetContractRow.contract_id == contract_id)
    ).all()
    return Resource(contract_id, contract.domain if contract else None, about=frozenset(about))


def of_dataset(session: Session, dataset: DatasetRow) -> tuple[Resource, ...]:
    """Return the resources of the dataset: one per contract object about it, with all its aliases."""
    places = [object_resource(session, *each) for each in objects_of(session, dataset.id)] or [Resource()]
    return tuple(replace(place, datasets=place.datasets | {dataset.id}) for place in places)


def object_resource(session: Session, contract_id: str, object_name: str | None) -> Resource:
    """Return the resource of the contract's object, with its datasets."""
    contract = session.get(ContractRow, contract_id)
    link = DatasetContractRow
    named = select(link.dataset_id).where(link.contract_id == contract_id, link.object == object_name)
    return Resource(contract_id, contract.domain if contract else None, frozenset(session.exec(named).all()))


def proposal_resource(proposal: ProposalRow) -> Resource:
    """Return the resource of the proposal, which is that of its contract."""
    return Resource(proposal.contract_id, proposal.domain)


def of_run(session: Session, run: RunRow) -> Resource:
    """Return the resource of the run: the validated dataset in the contract of the run."""
    contract = session.get(ContractRow, run.contract_id)
    dataset = session.get(DatasetRow, run.dataset_id) if run.dataset_id else None
    names = frozenset(name for place in of_dataset(session, dataset) for name in place.datasets) if dataset else ()
    return Resource(run.contract_id, contract.domain if contract else None, frozenset(names))


def proposed_resource(session: Session, document: Document) -> Resource:
    """Return the resource of a proposed document: that of its contract, or of its stated domain.

    The stated domain applies only while the contract does not exist."""
    contract = session.get(ContractRow, document.id)
    return Resource(document.id, contract.domain if contract else domain_of(document))


def affected_resources(session: Session, document: Document) -> tuple[Resource, ...]:
    """Return the resources on which a change of the contract needs permission.

    The current one, and the one that the document moves the contract to, if different."""
    here, there = proposed_resource(session, document), Resource(document.id, domain_of(document))
    return (here,) if here == there else (here, there)


def require_permission_or_hide(
    by: Principal, permission: Permission, on: Resource, *, unknown: NotFound | None = None
) -> None:
    """Raise unless the principal has the permission on the resource.

    Raises NotFound if the principal may not even read it, else Forbidden.
    `unknown`: the error for objects that do not exist; None raises a plain NotFound."""
    if not by.may(permission, on) and not by.may(Permission.READ, on):
        raise unknown or NotFound()
    require_permission(by, permission, on)


def require_readable_contract(session: Session, contract_id: str, by: Principal) -> Resource:
    """Return the contract's resource.

    Raises NotFound if the contract does not exist or the principal may not read it."""
    require_permission_anywhere(by, Permission.READ)
    if session.get(ContractRow, contract_id) is None:
        raise NotFound
    place = contract_resource(session, contract_id)
    require_permission_or_hide(by, Permission.READ, place)
    return place


def require_readable_object(session: Session, contract_id: str, object_name: str, by: Principal) -> Resource:
    """Return the resource of the contract's object.

    Raises NotFound if the contract does not exist or the principal may not read the object's states."""
    require_readable_contract(session, contract_id, by)
    place = object_resource(session, contract_id, object_name)
    require_permission_or_hide(by, Permission.READ, place)
    return place


def require_readable_run(
    session: Session, run_id: UUID, by: Principal, permission: Permission = Permission.READ
) -> RunRow:
    """Return the run.

    Raises NotFound if it does not exist or the principal may not read it, and Forbidden if another permission is
    required that the principal does not have."""
    require_permission_anywhere(by, permission)
    run = session.get(RunRow, run_id)
    if run is None:
        raise NotFound
    require_permission_or_hide(by, permission, of_run(session, run))
    return run


def see_task(session: Session, task_id: UUID, by: Principal) -> TaskRow:
    """Return the task.

    Raises NotFound unless it exists and the principal requested it or may read its contract."""
    require_permission_anywhere(by, Permission.READ)
    task = session.get(TaskRow, task_id)
    if task is None or not (task.payload.get("author") == str(by.user_id) or _may_read(session, task, by)):
        raise NotFound
    return task


def _may_read(session: Session, task: TaskRow, by: Principal) -> bool:
    about = task.payload.get("contract_id")
    return by.may(Permission.READ, object_resource(session, about, task.payload.get("object")) if about else EVERYWHERE)


def readable_contracts(by: Principal, permission: Permission = Permission.READ) -> ColumnElement[bool]:
    """Return the SQL filter: contracts on which the principal has the permission."""
    if by.may(permission):
        return true()
    governed = _governed(by, permission)
    if permission is not Permission.READ:
        return governed
    link = DatasetContractRow
    described = select(link.contract_id).where(col(link.dataset_id).in_(_datasets(by, permission)))
    return or_(governed, col(ContractRow.id).in_(described))


def proposals(by: Principal, permission: Permission = Permission.READ) -> ColumnElement[bool]:
    """Return the SQL filter: proposals on which the principal has the permission.

    Principals can always read their own proposals."""
    if by.may(permission):
        return true()
    governed = or_(
        col(ProposalRow.contract_id).in_(by.targets(permission, GrantScope.CONTRACT)),
        col(ProposalRow.domain).in_(by.targets(permission, GrantScope.DOMAIN)),
    )
    return or_(governed, col(ProposalRow.author_id) == by.user_id) if permission is Permission.READ else governed


def entries(by: Principal) -> ColumnElement[bool]:
    """Return the SQL filter: search entries that the principal may read.

    An entry without a contract requires permission to read all proposals under review for it."""
    if by.may(Permission.READ):
        return true()
    own, proposal = col(SearchEntryRow.contract_id), col(ProposalRow.contract_id)
    readable = select(ProposalRow.id).where(proposals(by))
    hidden = select(proposal).where(col(ProposalRow.state).in_(REVIEWED), col(ProposalRow.id).not_in(readable))
    proposed = own.not_in(select(ContractRow.id)) & own.in_(select(proposal).where(proposals(by))) & own.not_in(hidden)
    return or_(own.in_(select(ContractRow.id).where(readable_contracts(by))), proposed)


def runs(by: Principal, permission: Permission = Permission.READ) -> ColumnElement[bool]:
    """Return the SQL filter: runs on which the principal has the permission."""
    if by.may(permission):
        return true()
    governed = select(ContractRow.id).where(_governed(by, permission))
    return or_(col(RunRow.contract_id).in_(governed), col(RunRow.dataset_id).in_(_alike(_datasets(by, permission))))


def tasks(by: Principal) -> ColumnElement[bool]:
    """Return the SQL filter: tasks that the principal requested or whose contract they may read."""
    if by.may(Permission.READ):
        return true()
    payload: Any = col(TaskRow.payload)
    governed = select(ContractRow.id).where(_governed(by, Permission.READ))
    own = payload["author"].as_string() == str(by.user_id)
    return or_(payload["contract_id"].as_string().in_(governed), own)


def datasets(by: Principal, permission: Permission = Permission.READ) -> ColumnElement[bool]:
    """Return the SQL filter: datasets on which the principal has the permission.

    Datasets without a contract need a global permission."""
    if by.may(permission):
        return true()
    link = DatasetContractRow
    linked = select(link.dataset_id).join(ContractRow, col(ContractRow.id) == col(link.contract_id))
    governed = linked.where(_governed(by, permission))
    return or_(col(DatasetRow.id).in_(governed), col(DatasetRow.id).in_(_alike(_datasets(by, permission))))


def own_subscriptions(by: Principal) -> ColumnElement[bool]:
    """Return the SQL filter: subscriptions of the principal or of one of their teams."""
    teams = select(TeamMemberRow.team_id).where(TeamMemberRow.user_id == by.user_id)
    personal = (col(SubscriptionRow.user_id) == by.user_id) & col(SubscriptionRow.team_id).is_(None)
    return or_(personal, col(SubscriptionRow.team_id).in_(teams))


def _governed(by: Principal, permission: Permission) -> ColumnElement[bool]:
    return or_(
        col(ContractRow.id).in_(by.targets(permission, GrantScope.CONTRACT)),
        col(ContractRow.domain).in_(by.targets(permission, GrantScope.DOMAIN)),
    )


def _datasets(by: Principal, permission: Permission) -> list[UUID]:
    return [UUID(each) for each in by.targets(permission, GrantScope.DATASET)]


def _alike(ids: Collection[UUID]) -> SelectOfScalar[UUID]:
    """Select these datasets and all their aliases."""
    given_link, alias_link = aliased(DatasetContractRow), aliased(DatasetContractRow)
    same = (col(alias_link.contract_id) == col(given_link.contract_id)) & (
        col(alias_link.object) == col(given_link.object)
    )
    named = select(alias_link.dataset_id).join(given_link, same).where(col(given_link.dataset_id).in_(ids))
    return select(DatasetRow.id).where(or_(col(DatasetRow.id).in_(ids), col(DatasetRow.id).in_(named)))
