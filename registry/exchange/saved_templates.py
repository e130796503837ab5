"""Manage templates saved by owners, in addition to the built-in ones.

Every user who may read contracts sees all templates."""

from datetime import datetime
from uuid import UUID

from sqlmodel import Session, col, select

from treaty.contracts.document.reader import read
from treaty.contracts.errors import ContractError
from treaty.registry.access.authentication import Principal, require_permission_anywhere
from treaty.registry.audit import audit_log
from treaty.registry.core.audit_actions import AuditAction
from treaty.registry.core.enums import Permission
from treaty.registry.core.errors import Conflict, Forbidden, InvalidRequest, NotFound
from treaty.registry.exchange.builtin_templates import DocumentTemplate, templates
from treaty.registry.tables import TemplateRow, UserRow

# A template and the name of its owner; None for a built-in one.
Owned = tuple[DocumentTemplate, str | None]


def list_templates(session: Session, by: Principal) -> list[Owned]:
    """Return the built-in templates, then the saved ones sorted by name, with their owners."""
    require_permission_anywhere(by, Permission.READ)
    row = TemplateRow
    query = select(row.name, row.description, row.document, UserRow.name).join(
        UserRow, col(UserRow.id) == col(row.owner_id)
    )
    saved = [
        (DocumentTemplate(name, about, text), owner)
        for name, about, text, owner in session.exec(query.order_by(row.name))
    ]
    return [*((each, None) for each in templates()), *saved]


def keep(session: Session, template: DocumentTemplate, *, by: Principal, now: datetime) -> DocumentTemplate:
    """Save the template.

    Raises Conflict if the name is taken, and InvalidRequest with every fault of the document with unfilled
    placeholders."""
    require_permission_anywhere(by, Permission.DECIDE)
    if session.get(TemplateRow, template.name) or template.name in {each.name for each in templates()}:
        raise Conflict(f"A template named {template.name} already exists. Choose another name, or remove it first.")
    try:
        read(template.text.encode())
    except ContractError as error:
        raise InvalidRequest.because(error) from error
    session.add(_row(template, by.user_id, now))
    audit_log.record(session, AuditAction.TEMPLATE_SAVED, actor=by.name, object_id=template.name, now=now)
    return template


def remove(session: Session, name: str, *, by: Principal, now: datetime) -> None:
    """Remove a saved template.

    Users who manage users may remove templates of others. Raises NotFound if no saved template has this name, and
    Forbidden if it belongs to another user."""
    require_permission_anywhere(by, Permission.DECIDE)
    row = session.get(TemplateRow, name, with_for_update=True)
    if row is None:
        raise NotFound
    if row.owner_id != by.user_id and not by.may(Permission.USERS):
        raise Forbidden("Only the owner of a template can remove it.")
    session.delete(row)
    audit_log.record(session, AuditAction.TEMPLATE_REMOVED, actor=by.name, object_id=name, now=now)


def _row(template: DocumentTemplate, owner_id: UUID, now: datetime) -> TemplateRow:
    return TemplateRow(
        name=template.name, description=template.about, document=template.text, owner_id=owner_id, created_at=now
    )
