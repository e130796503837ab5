"""Routes of exchange: a version in another form, and documents made of texts of other tools."""

from collections.abc import Mapping
from typing import Annotated, TypeVar

from fastapi import APIRouter, Query, Response

from contracts.errors import ContractError, Fault, nearest
from registry import access, catalog, records, scope
from registry.api import schemas
from registry.api.dependencies import Caller, Reader
from registry.errors import Invalid
from registry.exchange import exports, imports, template
from registry.exchange.given import Given
from registry.exchange.html import POLICY
from registry.exchange.subject import Subject
from registry.lifecycle import odcs_status
from registry.words import Permission

router = APIRouter(tags=["exchange"])
ContractId = Annotated[str, Query(alias="id", min_length=1)]
Number = Annotated[str | None, Query(description="the version in force by default")]
To = Annotated[str, Query(alias="to", description=f"one of {', '.join(exports.FORMS)}")]
WithRecord = Annotated[bool, Query(alias="record", description="with the hash of the record of its approval")]
# Nothing that a document says is ever a page of this service.
INERT = {"Content-Security-Policy": f"sandbox; {POLICY}", "X-Content-Type-Options": "nosniff"}
Known = TypeVar("Known")


@router.get("/contract/export", response_class=Response)
def export(
    contract_id: ContractId,
    by: Caller,
    tx: Reader,
    version: Number = None,
    form: To = "odcs",
    record: WithRecord = False,  # noqa: FBT002
) -> Response:
    """A version in another form, as a file. Its status is that which it has here; all else in `odcs` is byte for byte
    as it was approved."""
    scope.see(tx, contract_id, by)
    wanted = _known(exports.FORMS, form, "to")
    found = catalog.version(tx, contract_id, version)
    seal = records.seal_of(tx, contract_id, found.version) if record else None
    subject = Subject(found.body, odcs_status(found.state), seal)
    try:
        body = wanted.write(subject)
    except ContractError as error:
        raise Invalid.because(error) from error
    named = {"Content-Disposition": f'attachment; filename="{wanted.file_name(subject)}"'}
    return Response(body, headers={**INERT, **named, "Treaty-Version": found.version}, media_type=wanted.media_type)


@router.post("/import")
def import_text(body: schemas.ImportIn, by: Caller) -> tuple[schemas.ImportedOut, ...]:
    """The contract documents that a text of another tool stands for. Nothing is kept: they are to be proposed."""
    access.decide_somewhere(by, Permission.PROPOSE)
    form = _known(imports.FORMS, body.form, "form")
    try:
        made = imports.imported(form, [Given("text", body.name, body.text.encode())])
    except imports.NotImported as error:
        faults = [fault for found in error.faults.values() for fault in found]
        raise Invalid("nothing was imported", faults=faults) from error
    return tuple(
        schemas.ImportedOut(contract_id=each.contract_id, version=each.version, document=each.document.decode())
        for each in made
    )


@router.get("/templates")
def list_templates(by: Caller) -> tuple[schemas.TemplateOut, ...]:
    """Documents to start a contract from, by name."""
    access.decide_somewhere(by, Permission.READ)
    return tuple(
        schemas.TemplateOut(name=each.name, about=each.about, places=each.places, document=each.text)
        for each in template.templates()
    )


def _known(forms: Mapping[str, Known], name: str, where: str) -> Known:
    if name not in forms:
        remedy = nearest(name, forms) or f"write one of {', '.join(forms)}"
        raise Invalid("there is no such form", faults=[Fault("TR-FORM", where, "is not a form that there is", remedy)])
    return forms[name]
