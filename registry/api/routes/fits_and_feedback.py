"""Routes of fits of programs and of feedback on data points."""

from threading import BoundedSemaphore
from typing import Annotated

from fastapi import Query

from treaty.engine.core import clock
from treaty.registry import schemas
from treaty.registry.access import visibility
from treaty.registry.api.http.admission import admission, admission_router, document_body
from treaty.registry.api.http.dependencies import Caller, Reader, Shared, Writer
from treaty.registry.core import ids
from treaty.registry.core.enums import Permission
from treaty.registry.core.errors import ServiceBusy
from treaty.registry.datasets.contract_datasets import ContractObject
from treaty.registry.drafting import refit_preview, refits
from treaty.registry.measurements.anomalies import feedback, fits
from treaty.registry.measurements.anomalies.feedback import NewFeedback
from treaty.registry.tables import PointFeedbackRow

# A preview may use a core for seconds; many concurrent ones must not exhaust the service.
FORESEEING = BoundedSemaphore(2)
PATIENCE = 3.0

router = admission_router(tags=["feedback"])
FitsParameters = Annotated[schemas.FitsQuery, Query()]
FeedbackParameters = Annotated[schemas.FeedbackQuery, Query()]


@router.get("/fits")
def list_fits(by: Caller, tx: Reader, fits_parameters: FitsParameters) -> list[schemas.FitOut]:
    """List the fits of an object's programs, newest first.

    A fit contains bounds that were learned after a version was approved, and whether they are in use."""
    visibility.require_readable_object(tx, fits_parameters.contract_id, fits_parameters.object, by)
    rows = fits.list_fits(
        tx,
        fits_parameters.contract_id,
        fits_parameters.object,
        check_id=fits_parameters.check_id,
        limit=fits_parameters.limit,
    )
    return [schemas.FitOut.model_validate(each) for each in rows]


@router.get("/feedback")
def list_feedback(by: Caller, tx: Reader, feedback_parameters: FeedbackParameters) -> list[schemas.FeedbackOut]:
    """List the feedback on an object's data, newest first.

    The newest feedback on the same content of a partition counts."""
    visibility.require_readable_object(tx, feedback_parameters.contract_id, feedback_parameters.object, by)
    return [
        _shown(row, name)
        for row, name in feedback.list_feedback(
            tx, feedback_parameters.contract_id, feedback_parameters.object, limit=feedback_parameters.limit
        )
    ]


@router.post("/feedback", status_code=201)
@admission(Permission.INCIDENTS)
def give_feedback(body: schemas.FeedbackIn, by: Caller, tx: Writer) -> schemas.FeedbackOut:
    """Mark data of a partition as expected or as an incident, or clear earlier feedback.

    Programs that allow it are refitted."""
    now = clock.now()
    row = feedback.add_feedback(tx, NewFeedback(**body.model_dump()), by=by, now=now, mark_id=ids.new())
    refits.refit_after_feedback(tx, ContractObject(row.contract_id, row.object), now=now, task_id=ids.new())
    tx.commit()
    return _shown(row, by.name)


@router.post("/feedback/preview")
@admission(Permission.READ, body=document_body)
def preview_feedback(
    body: schemas.FeedbackPreviewIn, by: Caller, tx: Reader, shared: Shared
) -> schemas.FeedbackPreviewOut:
    """Preview the effect of feedback on a check.

    The response contains bands and bounds before and after, and the number of clean points outside of them. Nothing is
    stored."""
    draft = NewFeedback(body.run_id, body.partition, body.kind, "")
    if not FORESEEING.acquire(timeout=PATIENCE):
        raise ServiceBusy("Other previews are being computed. Try again in a few seconds.")
    try:
        preview = refit_preview.foresee(tx, shared.settings, draft, body.check_id, by=by)
    finally:
        FORESEEING.release()
    return schemas.FeedbackPreviewOut(
        outlook=preview.outlook,
        points=tuple(schemas.PreviewPointOut.model_validate(each) for each in preview.points),
        limits=preview.limits,
        evaluated=len(preview.comparable_points),
        alarms=preview.alarms,
        backtest=preview.back_test,
    )


def _shown(row: PointFeedbackRow, name: str) -> schemas.FeedbackOut:
    return schemas.FeedbackOut(**row.model_dump(exclude={"contract_id", "from_version", "author_id"}), author=name)
