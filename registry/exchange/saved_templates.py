"""Templates that owners keep for others, beside those that come with Treaty. Who may read anything sees them all."""

from datetime import datetime
from uuid import UUID

from sqlmodel import Session, col, select

from treaty.contracts.document.reader import read
from treaty.contracts.errors import ContractError
from treaty.registry.access.authentication import Principal, require_permission_anywhere
from treaty.registry.audit import audit_log
from treaty.registry.core.enums import AuditAction, Permission
from treaty.registry.core.errors import Conflict, Forbidden, InvalidRequest, NotFound
from treaty.registry.exchange.builtin_templates import DocumentTemplate, templates
from treaty.registry.tables import TemplateRow, UserRow

# Who keeps it, for each template that somebody does.
Owned = tuple[DocumentTemplate, str | None]


def list_templates(session: Session, by: Principal) -> list[Owned]:
    """All templates with the names of their owners (None: it comes with Treaty), those of people last, by name."""
    require_permission_anywhere(by, Permission.READ)
    row = TemplateRow
    query = select(row.name, row.description, row.document, UserRow.name).join(
        UserRow, col(UserRow.id) == col(row.owner_id)
    )
    own = [
        (DocumentTemplate(name, about, text), owner)
        for name, about, text, owner in session.exec(query.order_by(row.name))
    ]
    return [*((each, None) for each in templates()), *own]


def keep(session: Session, made: DocumentTemplate, *, by: Principal, now: datetime) -> DocumentTemplate:
    """Keeps the template for others. Raises Conflict where there is one of that name, Invalid with every fault of its
    document as it is before anything is put in its places."""
    require_permission_anywhere(by, Permission.DECIDE)
    if session.get(TemplateRow, made.name) or made.name in {each.name for each in templates()}:
        raise Conflict(f"there is a template {made.name} already: take another name, or remove that one first")
    try:
        read(made.text.encode())
    except ContractError as error:
        raise InvalidRequest.because(error) from error
    session.add(_row(made, by.user_id, now))
    audit_log.record(session, AuditAction.TEMPLATE_KEPT, actor=by.name, object_id=made.name, now=now)
    return made


def remove(session: Session, name: str, *, by: Principal, now: datetime) -> None:
    """Removes one's own template; another's, who manages users. Raises NotFound where there is none of people's,
    Forbidden for another's."""
    require_permission_anywhere(by, Permission.DECIDE)
    row = session.get(TemplateRow, name, with_for_update=True)
    if row is None:
        raise NotFound
    if row.owner_id != by.user_id and not by.may(Permission.USERS):
        raise Forbidden("only who keeps a template may remove it")
    session.delete(row)
    audit_log.record(session, AuditAction.TEMPLATE_REMOVED, actor=by.name, object_id=name, now=now)


def _row(made: DocumentTemplate, owner_id: UUID, now: datetime) -> TemplateRow:
    return TemplateRow(name=made.name, description=made.about, document=made.text, owner_id=owner_id, created_at=now)
