"""Routes of exports, imports and templates."""

from collections.abc import Mapping
from typing import Annotated, TypeVar

from fastapi import Header, Query, Response

from treaty.contracts.errors import ContractError, Fault, suggest_nearest
from treaty.engine.core import clock
from treaty.registry import schemas
from treaty.registry.access import authentication, visibility
from treaty.registry.api.http.admission import admission, admission_router, document_body
from treaty.registry.api.http.dependencies import Caller, ContractId, Reader, Writer
from treaty.registry.browse import contract_list
from treaty.registry.contracts import lookup
from treaty.registry.core.bounded_values import LookupText
from treaty.registry.core.enums import Permission
from treaty.registry.core.errors import InvalidRequest
from treaty.registry.core.state_machines import odcs_status
from treaty.registry.exchange import badge as badges
from treaty.registry.exchange import exports, imports, saved_templates
from treaty.registry.exchange.builtin_templates import DocumentTemplate
from treaty.registry.exchange.export_source import ExportSource, ImportSource
from treaty.registry.exchange.html import POLICY
from treaty.registry.review.approval import records

router = admission_router(tags=["exchange"])
Number = Annotated[LookupText | None, Query(description="Version number; defaults to the version in force")]
Format = Annotated[LookupText, Query(alias="format", description=f"One of {', '.join(exports.FORMS)}")]
WithRecord = Annotated[bool, Query(alias="record", description="Include the hash of the approval record")]
# Prevents browsers from rendering the content of a document as a page of this service.
INERT = {"Content-Security-Policy": f"sandbox; {POLICY}", "X-Content-Type-Options": "nosniff"}
FOR_A_MINUTE = "private, max-age=60"
FormatT = TypeVar("FormatT")


@router.get("/contract/export", response_class=Response)
def export(
    contract_id: ContractId,
    by: Caller,
    tx: Reader,
    version: Number = None,
    form: Format = "odcs",
    record: WithRecord = False,  # noqa: FBT002
) -> Response:
    """Export a version as a file in another format.

    The exported status is the current one. Apart from that, `odcs` is byte for byte the approved document."""
    visibility.require_readable_contract(tx, contract_id, by)
    export_format = _format_by_name(exports.FORMS, form, "format")
    version_row = lookup.version(tx, contract_id, version)
    seal = records.seal_of(tx, contract_id, version_row.version) if record else None
    subject = ExportSource(version_row.body, odcs_status(version_row.state), seal)
    try:
        body = export_format.write(subject)
    except ContractError as error:
        raise InvalidRequest.because(error) from error
    disposition = {"Content-Disposition": f'attachment; filename="{export_format.file_name(subject)}"'}
    return Response(
        body,
        headers={**INERT, **disposition, "Treaty-Version": version_row.version},
        media_type=export_format.media_type,
    )


@router.get("/contract/badge", response_class=Response)
def badge(
    contract_id: ContractId, by: Caller, tx: Reader, if_none_match: Annotated[LookupText | None, Header()] = None
) -> Response:
    """Retrieve a badge (SVG) with the worst of the last verdicts of the contract's tables.

    The ETag is the text of the badge."""
    visibility.require_readable_contract(tx, contract_id, by)
    verdicts = contract_list.verdicts(tx, contract_id, by)
    headers = {**INERT, "ETag": f'"{badges.word(verdicts).replace(" ", "-")}"', "Cache-Control": FOR_A_MINUTE}
    if if_none_match == headers["ETag"]:
        return Response(status_code=304, headers=headers)
    return Response(badges.draw_badge(verdicts), headers=headers, media_type="image/svg+xml")


@router.post("/import")
@admission(Permission.PROPOSE, body=document_body)
def import_text(body: schemas.ImportIn, by: Caller) -> tuple[schemas.ImportOut, ...]:
    """Convert a definition of another tool into contract documents. Nothing is stored; propose the documents to keep
    them."""
    authentication.require_permission_anywhere(by, Permission.PROPOSE)
    form = _format_by_name(imports.FORMS, body.format, "format")
    try:
        documents = imports.import_documents(form, [ImportSource("text", body.name, body.text.encode())])
    except imports.ImportFailed as error:
        faults = [fault for group in error.faults.values() for fault in group]
        raise InvalidRequest("Nothing was imported", faults=faults) from error
    return tuple(
        schemas.ImportOut(contract_id=each.contract_id, version=each.version, document=each.document.decode())
        for each in documents
    )


@router.get("/templates")
def list_templates(by: Caller, tx: Reader) -> tuple[schemas.TemplateOut, ...]:
    """List the templates by name, those shipped with Treaty first."""
    return tuple(_template(*each) for each in saved_templates.list_templates(tx, by))


@router.post("/templates", status_code=201)
@admission(Permission.DECIDE, body=document_body)
def save_template(body: schemas.TemplateIn, by: Caller, tx: Writer) -> schemas.TemplateOut:
    """Save a document as a template. A template cannot be changed: delete it and save another."""
    template = saved_templates.keep(
        tx, DocumentTemplate(body.name, body.description, body.document), by=by, now=clock.now()
    )
    tx.commit()
    return _template(template, by.name)


@router.delete("/templates/{name}", status_code=204)
@admission(Permission.DECIDE)
def remove_template(name: LookupText, by: Caller, tx: Writer) -> None:
    """Delete a template. Deleting another user's template requires an administrator."""
    saved_templates.remove(tx, name, by=by, now=clock.now())
    tx.commit()


def _template(template: DocumentTemplate, owner: str | None) -> schemas.TemplateOut:
    return schemas.TemplateOut(
        name=template.name,
        description=template.about,
        placeholders=template.places,
        document=template.text,
        owner=owner,
    )  # fmt: skip


def _format_by_name(forms: Mapping[str, FormatT], name: str, where: str) -> FormatT:
    if name not in forms:
        remedy = suggest_nearest(name, forms) or f"use one of {', '.join(forms)}"
        raise InvalidRequest(
            "Unknown format",
            faults=[Fault(code="TR-FORM", where=where, message="is not a known format", remedy=remedy)],
        )
    return forms[name]
