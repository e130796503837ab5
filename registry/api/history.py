"""The route of metric histories: what was measured, by time, segment and tag."""

from typing import Annotated

from fastapi import APIRouter, Query

from registry import measured, scope
from registry.api import schemas
from registry.api.dependencies import Caller, Reader

router = APIRouter(tags=["runs"])
Asked = Annotated[schemas.HistoryAsked, Query()]


@router.get("/history")
def list_history(by: Caller, tx: Reader, asked: Asked) -> list[schemas.HistoryOut]:
    """The newest measurements of an object's metrics, oldest first. What could not be measured is among them, with the
    reason and no value."""
    scope.see_object(tx, asked.contract_id, asked.object, by)
    chosen = measured.Chosen(**asked.model_dump(exclude={"limit"}))
    return [schemas.HistoryOut.model_validate(each) for each in measured.history(tx, chosen, limit=asked.limit)]
