"""Routes of what is learned beside a version: fits of programs, and what people say of single points."""

from threading import BoundedSemaphore
from typing import Annotated

from fastapi import APIRouter, Query

from treaty.engine.core import clock
from treaty.registry import schemas
from treaty.registry.access import visibility
from treaty.registry.api.http.dependencies import Caller, Reader, Shared, Writer
from treaty.registry.core import ids
from treaty.registry.core.errors import ServiceBusy
from treaty.registry.datasets.contract_datasets import ContractObject
from treaty.registry.drafting import refit_preview, refits
from treaty.registry.measurements.anomalies import feedback, fits
from treaty.registry.measurements.anomalies.feedback import NewFeedback
from treaty.registry.tables import PointFeedbackRow

# What is foreseen may take a core for seconds: a crowd that asks must not take all of the service.
FORESEEING = BoundedSemaphore(2)
PATIENCE = 3.0

router = APIRouter(tags=["feedback"])
FitsParameters = Annotated[schemas.FitsQuery, Query()]
FeedbackParameters = Annotated[schemas.FeedbackQuery, Query()]


@router.get("/fits")
def list_fits(by: Caller, tx: Reader, asked: FitsParameters) -> list[schemas.FitOut]:
    """The fits of an object's programs, newest first: limits that were learned after a version was approved, and
    whether they judge."""
    visibility.require_readable_object(tx, asked.contract_id, asked.object, by)
    rows = fits.list_fits(tx, asked.contract_id, asked.object, check_id=asked.check_id, limit=asked.limit)
    return [schemas.FitOut.model_validate(each) for each in rows]


@router.get("/feedback")
def list_feedback(by: Caller, tx: Reader, asked: FeedbackParameters) -> list[schemas.FeedbackOut]:
    """What people said of an object's data, newest first; the newest word about a content of a partition counts."""
    visibility.require_readable_object(tx, asked.contract_id, asked.object, by)
    return [
        _shown(row, name)
        for row, name in feedback.list_feedback(tx, asked.contract_id, asked.object, limit=asked.limit)
    ]


@router.post("/feedback", status_code=201)
def give_feedback(body: schemas.FeedbackIn, by: Caller, tx: Writer) -> schemas.FeedbackOut:
    """Says that the data of a partition were as expected, or that they were an incident, or takes back what was said.
    Programs that admit it are refitted."""
    now = clock.now()
    row = feedback.add_feedback(tx, NewFeedback(**body.model_dump()), by=by, now=now, mark_id=ids.new())
    refits.refit_after_feedback(tx, ContractObject(row.contract_id, row.object), now=now, task_id=ids.new())
    tx.commit()
    return _shown(row, by.name)


@router.post("/feedback/preview")
def preview_feedback(
    body: schemas.FeedbackPreviewIn, by: Caller, tx: Reader, shared: Shared
) -> schemas.FeedbackPreviewOut:
    """What a word about a point would change of a check: the bands and limits as they are and as they would be, and
    how many points that are clean lie outside. Nothing is stored."""
    said = NewFeedback(body.run_id, body.partition, body.kind, "")
    if not FORESEEING.acquire(timeout=PATIENCE):
        raise ServiceBusy("others are being told what a word would change: try again in a few seconds")
    try:
        found = refit_preview.foresee(tx, shared.settings, said, body.check_id, by=by)
    finally:
        FORESEEING.release()
    return schemas.FeedbackPreviewOut(
        outlook=found.outlook,
        points=tuple(schemas.PreviewPointOut.model_validate(each) for each in found.points),
        limits=found.limits,
        evaluated=len(found.comparable_points),
        alarms=found.alarms,
        backtest=found.back_test,
    )


def _shown(row: PointFeedbackRow, name: str) -> schemas.FeedbackOut:
    return schemas.FeedbackOut(**row.model_dump(exclude={"contract_id", "from_version", "author_id"}), author=name)
