"""Requests for a contract about a dataset.

Users who may decide about the dataset see who requests a contract and why, until there is a draft or a contract of
it, or the request is declined."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from sqlalchemy import tuple_
from sqlmodel import Session, col, select

from treaty.registry.access import users, visibility
from treaty.registry.access.authentication import EVERYWHERE, Principal, Resource, require_permission
from treaty.registry.audit import audit_log
from treaty.registry.core.audit_actions import AuditAction
from treaty.registry.core.enums import Permission
from treaty.registry.core.errors import Conflict, IllegalTransition, InvalidRequest, NotFound
from treaty.registry.core.state_machines import OPEN
from treaty.registry.datasets.names import LineageName, location
from treaty.registry.lineage.aliases import groups
from treaty.registry.notifications import dispatch, messages
from treaty.registry.tables import ContractRequestRow, DatasetRow, ProposalRow


@dataclass(frozen=True)
class ContractRequestListing:
    """A request with its author's name.

    `can_decide`: the principal of the query may decide about the dataset."""

    request: ContractRequestRow
    author: str
    can_decide: bool


def request_contract(
    session: Session, name: LineageName, why: str, *, request_id: UUID, by: Principal, now: datetime
) -> ContractRequestListing:
    """Request a contract for a dataset and notify the users who may decide about it.

    `name`: normalized dataset name. Raises Forbidden if the principal may not read datasets without a contract or
    may not propose there, and Conflict if the principal requested it already or a draft or contract exists."""
    resource = _place(session, name)
    for permission in (Permission.READ, Permission.PROPOSE):
        require_permission(by, permission, resource)
    if name in _answered(session, [name]):
        raise Conflict("the dataset already has a draft or a contract: search for it in the catalog")
    if any(each.author_id == by.user_id for each in _waiting(session, name)):
        raise Conflict("you have already requested a contract for this dataset")
    request = ContractRequestRow(
        id=request_id, namespace=name.namespace, name=name.name, author_id=by.user_id, purpose=why, created_at=now
    )
    session.add(request)
    dispatch.notify(session, messages.contract_requested(request, by.name, resource), now=now)
    _record(session, AuditAction.CONTRACT_REQUESTED, request, by=by, now=now)
    return ContractRequestListing(request, by.name, by.may(Permission.DECIDE, resource))


def list_requests(session: Session, by: Principal) -> list[ContractRequestListing]:
    """List the open requests that the principal made or may read, oldest first."""
    rows = _waiting(session)
    # Every page counts the open requests, and mostly there are none.
    if not rows:
        return []
    names = {_name(each) for each in rows}
    places = _without_contract(session, names - _answered(session, names))
    requests = [(each, places[_name(each)]) for each in rows if _name(each) in places]
    readable = [
        (each, place) for each, place in requests if each.author_id == by.user_id or by.may(Permission.READ, place)
    ]
    authors = users.names(session, [each.author_id for each, _ in readable])
    return [
        ContractRequestListing(each, authors[each.author_id], by.may(Permission.DECIDE, place))
        for each, place in readable
    ]


def pending_requests(session: Session, by: Principal) -> list[ContractRequestListing]:
    """List the requests of other users that the principal may decide about."""
    if Permission.DECIDE not in by.somewhere:
        return []
    return [each for each in list_requests(session, by) if each.can_decide and each.request.author_id != by.user_id]


def end(session: Session, request_id: UUID, reason: str | None, *, by: Principal, now: datetime) -> None:
    """Withdraw the principal's own request, or decline another's with a reason.

    The author is notified of the reason. Raises NotFound if the request is not visible, Forbidden if the principal
    may not decide, InvalidRequest without a reason, and IllegalTransition if it has ended."""
    request = session.get(ContractRequestRow, request_id, with_for_update=True)
    resource = _place(session, _name(request)) if request else EVERYWHERE
    own = request is not None and request.author_id == by.user_id
    if request is None or not (own or by.may(Permission.READ, resource)):
        raise NotFound
    if not own:
        require_permission(by, Permission.DECIDE, resource)
    if request.ended_at is not None:
        raise IllegalTransition("request", state="ended", step="end", legal=())
    if not own:
        if not reason:
            raise InvalidRequest("enter a reason: it is sent to the user who requested the contract")
        dispatch.notify(session, messages.declined(request, reason, resource, by=by.user_id), now=now)
    request.ended_at, request.reason = now, reason
    _record(session, AuditAction.CONTRACT_REQUEST_ENDED, request, by=by, now=now)


def _waiting(session: Session, name: LineageName | None = None) -> Sequence[ContractRequestRow]:
    query = (
        select(ContractRequestRow)
        .where(col(ContractRequestRow.ended_at).is_(None))
        .order_by(col(ContractRequestRow.id))
    )
    if name is not None:
        query = query.where(ContractRequestRow.namespace == name.namespace, ContractRequestRow.name == name.name)
    return session.exec(query).all()


def _answered(session: Session, names: Collection[LineageName]) -> set[LineageName]:
    """Return the datasets that have a contract or an open draft."""
    if not names:
        return set()
    alias_groups = groups(session, names)
    sources = session.exec(select(ProposalRow.source).where(col(ProposalRow.state).in_(OPEN))).all()
    drafted = {str(each["location"]).rstrip("/") for each in sources if each and each.get("location")}
    return {
        each for each in names if alias_groups[each].about or location(each.namespace, each.name).rstrip("/") in drafted
    }


def _place(session: Session, name: LineageName) -> Resource:
    query = select(DatasetRow).where(DatasetRow.namespace == name.namespace, DatasetRow.name == name.name)
    dataset = session.exec(query).first()
    return visibility.of_dataset(session, dataset)[0] if dataset else EVERYWHERE


def _without_contract(session: Session, names: Collection[LineageName]) -> dict[LineageName, Resource]:
    """Return the resource of each dataset without a contract; EVERYWHERE if it is unknown."""
    if not names:
        return {}
    pairs = [(each.namespace, each.name) for each in names]
    query = select(DatasetRow).where(tuple_(col(DatasetRow.namespace), col(DatasetRow.name)).in_(pairs))
    resources = {
        LineageName(each.namespace, each.name): Resource(datasets=frozenset({each.id})) for each in session.exec(query)
    }
    return {name: resources.get(name, EVERYWHERE) for name in names}


def _name(request: ContractRequestRow) -> LineageName:
    return LineageName(request.namespace, request.name)


def _record(
    session: Session, action: AuditAction, request: ContractRequestRow, *, by: Principal, now: datetime
) -> None:
    details = {"namespace": request.namespace, "name": request.name}
    audit_log.record(session, action, actor=by.name, object_id=request.id, now=now, details=details)
