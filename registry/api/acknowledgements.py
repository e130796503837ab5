"""Routes of what a new version means for consumers: whom it breaks, and what they say to it."""

from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Depends

from registry import access, acknowledgements, clock, drafts
from registry.acknowledgements import Which
from registry.api import schemas, views
from registry.api.dependencies import Caller, Paging, Reader, Writer
from registry.api.etags import IfMatch
from registry.words import Permission

router = APIRouter(tags=["consumers"])


def unchanged(acknowledgement_id: UUID, by: Caller, tx: Writer, seen: IfMatch) -> None:
    """Returns where the answer is as the request's If-Match says, or it says nothing; raises Changed where not."""
    if seen.stated:
        row = acknowledgements.get(tx, acknowledgement_id, by=by)
        seen.check(tx, row.id, views.acknowledgement(acknowledgements.shown(tx, row)).etag)


@router.get("/acknowledgements")
def list_acknowledgements(
    by: Caller, tx: Reader, asked: Paging, which: Annotated[Which, Depends()]
) -> schemas.Page[schemas.AcknowledgementOut]:
    """What consumers were told of approved versions, and their answers, newest first."""
    access.decide_somewhere(by, Permission.READ)
    return views.page(views.acknowledgement, acknowledgements.listed(tx, by, asked, which))


@router.post("/acknowledgements/{acknowledgement_id}/answer", dependencies=[Depends(unchanged)])
def answer(acknowledgement_id: UUID, body: schemas.AnswerIn, by: Caller, tx: Writer) -> schemas.AcknowledgementOut:
    """Acknowledges a version that breaks one, or objects to it."""
    row = acknowledgements.answer(tx, acknowledgement_id, body.answer, comment=body.comment, by=by, now=clock.now())
    tx.commit()
    return views.acknowledgement(acknowledgements.shown(tx, row))


@router.get("/proposals/{proposal_id}/impact")
def impact(proposal_id: UUID, by: Caller, tx: Reader) -> list[schemas.ImpactOut]:
    """What the proposal would mean for each consumer of the contract, before anybody approves it."""
    shown = drafts.preview(tx, drafts.get(tx, proposal_id, by=by))
    return [_impact(each) for each in acknowledgements.impact_of(tx, drafts.read(shown.document))]


def _impact(found: acknowledgements.Impact) -> schemas.ImpactOut:
    return schemas.ImpactOut(
        subscription_id=found.subscription.id,
        subscriber=found.subscriber,
        purpose=found.subscription.purpose,
        contact=found.subscription.contact,
        breaks=found.breaks,
        affected=bool(found.breaks),
    )
