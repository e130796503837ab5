"""The route of one check's results over time, with what was admitted each time."""

from typing import Annotated

from fastapi import APIRouter, Query

from registry import checked, scope
from registry.api import schemas
from registry.api.dependencies import Caller, Reader

router = APIRouter(tags=["runs"])
Asked = Annotated[schemas.CheckedAsked, Query()]


@router.get("/history/results")
def list_results(by: Caller, tx: Reader, asked: Asked) -> list[schemas.CheckedOut]:
    """The newest results of a check, oldest first: what was found, and the limit or the band that it was held
    against."""
    scope.see_object(tx, asked.contract_id, asked.object, by)
    found = checked.course(tx, asked.contract_id, asked.object, asked.check, limit=asked.limit, since=asked.since)
    return [schemas.CheckedOut.model_validate(each) for each in found]
