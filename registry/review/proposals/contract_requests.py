"""Contracts that people ask for: whoever may decide about the dataset sees who asks and why, until there is a draft or
a contract of it, or they decline."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from sqlalchemy import tuple_
from sqlmodel import Session, col, select

from treaty.registry.access import users, visibility
from treaty.registry.access.authentication import EVERYWHERE, Principal, Resource, require_permission
from treaty.registry.audit import audit_log
from treaty.registry.core.enums import AuditAction, Permission
from treaty.registry.core.errors import Conflict, IllegalTransition, InvalidRequest, NotFound
from treaty.registry.core.state_machines import OPEN
from treaty.registry.datasets.names import LineageName, location
from treaty.registry.lineage.aliases import groups
from treaty.registry.notifications import dispatch, messages
from treaty.registry.tables import ContractRequestRow, DatasetRow, ProposalRow


@dataclass(frozen=True)
class ContractRequestListing:
    """A request with its author's name. `can_decide`: the asking principal may decide about the dataset."""

    request: ContractRequestRow
    author: str
    can_decide: bool


def request_contract(
    session: Session, name: LineageName, why: str, *, request_id: UUID, by: Principal, now: datetime
) -> ContractRequestListing:
    """The request; who may decide about the dataset is told, once. `name`: as `normalise` has it.

    Raises Forbidden for who may not read what has no contract or may propose nothing there, Conflict where the
    principal asks for it already, or where there is a draft or a contract of it."""
    place = _place(session, name)
    for permission in (Permission.READ, Permission.PROPOSE):
        require_permission(by, permission, place)
    if name in _answered(session, [name]):
        raise Conflict("there is a draft or a contract of it already: look for it in the catalog")
    if any(each.author_id == by.user_id for each in _waiting(session, name)):
        raise Conflict("you ask for it already")
    request = ContractRequestRow(
        id=request_id, namespace=name.namespace, name=name.name, author_id=by.user_id, purpose=why, created_at=now
    )
    session.add(request)
    dispatch.notify(session, messages.contract_requested(request, by.name, place), now=now)
    _record(session, AuditAction.CONTRACT_REQUESTED, request, by=by, now=now)
    return ContractRequestListing(request, by.name, by.may(Permission.DECIDE, place))


def list_requests(session: Session, by: Principal) -> list[ContractRequestListing]:
    """What waits for an answer and the principal may read or asked for, the oldest first."""
    rows = _waiting(session)
    # Every page counts what waits, and mostly nothing is asked for.
    if not rows:
        return []
    names = {_name(each) for each in rows}
    places = _without_contract(session, names - _answered(session, names))
    found = [(each, places[_name(each)]) for each in rows if _name(each) in places]
    seen = [(each, place) for each, place in found if each.author_id == by.user_id or by.may(Permission.READ, place)]
    authors = users.names(session, [each.author_id for each, _ in seen])
    return [
        ContractRequestListing(each, authors[each.author_id], by.may(Permission.DECIDE, place)) for each, place in seen
    ]


def pending_requests(session: Session, by: Principal) -> list[ContractRequestListing]:
    """What waits for the principal: others ask, and they may decide about it."""
    if Permission.DECIDE not in by.somewhere:
        return []
    return [each for each in list_requests(session, by) if each.can_decide and each.request.author_id != by.user_id]


def end(session: Session, request_id: UUID, reason: str | None, *, by: Principal, now: datetime) -> None:
    """Takes the principal's own request back; declines another's, for a reason that its author is told.

    Raises NotFound where there is none for them, Forbidden for who may not decide, Invalid without a reason,
    IllegalTransition where it has ended."""
    request = session.get(ContractRequestRow, request_id, with_for_update=True)
    place = _place(session, _name(request)) if request else EVERYWHERE
    own = request is not None and request.author_id == by.user_id
    if request is None or not (own or by.may(Permission.READ, place)):
        raise NotFound
    if not own:
        require_permission(by, Permission.DECIDE, place)
    if request.ended_at is not None:
        raise IllegalTransition("request", state="ended", step="end", legal=())
    if not own:
        if not reason:
            raise InvalidRequest("say why: who asked for it is told")
        dispatch.notify(session, messages.declined(request, reason, place, by=by.user_id), now=now)
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
    """Those of which there is a contract, or a draft that is open."""
    if not names:
        return set()
    known = groups(session, names)
    sources = session.exec(select(ProposalRow.source).where(col(ProposalRow.state).in_(OPEN))).all()
    drafted = {str(each["location"]).rstrip("/") for each in sources if each and each.get("location")}
    return {each for each in names if known[each].about or location(each.namespace, each.name).rstrip("/") in drafted}


def _place(session: Session, name: LineageName) -> Resource:
    query = select(DatasetRow).where(DatasetRow.namespace == name.namespace, DatasetRow.name == name.name)
    dataset = session.exec(query).first()
    return visibility.of_dataset(session, dataset)[0] if dataset else EVERYWHERE


def _without_contract(session: Session, names: Collection[LineageName]) -> dict[LineageName, Resource]:
    """Where these are, of which there is no contract: each alone, or nowhere where nothing is known of it."""
    if not names:
        return {}
    pairs = [(each.namespace, each.name) for each in names]
    query = select(DatasetRow).where(tuple_(col(DatasetRow.namespace), col(DatasetRow.name)).in_(pairs))
    known = {
        LineageName(each.namespace, each.name): Resource(datasets=frozenset({each.id})) for each in session.exec(query)
    }
    return {name: known.get(name, EVERYWHERE) for name in names}


def _name(request: ContractRequestRow) -> LineageName:
    return LineageName(request.namespace, request.name)


def _record(
    session: Session, action: AuditAction, request: ContractRequestRow, *, by: Principal, now: datetime
) -> None:
    details = {"namespace": request.namespace, "name": request.name}
    audit_log.record(session, action, actor=by.name, object_id=request.id, now=now, details=details)
