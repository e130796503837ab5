"""The route of patterns: have the index of what texts look like brought up to date."""

from fastapi import APIRouter

from registry import access, clock, ids, learning
from registry.api import schemas
from registry.api.dependencies import Caller, Writer
from registry.words import Permission

router = APIRouter(tags=["patterns"])


@router.post("/patterns", status_code=202)
def learn_patterns(by: Caller, tx: Writer) -> schemas.TaskOut:
    """Has patterns learned from the tables that contracts in force are about; the task's result says from how many."""
    access.decide(by, Permission.DRAFT)
    task = learning.ask(tx, by=by, now=clock.now(), ids=ids.new)
    tx.commit()
    return schemas.TaskOut.model_validate(task)
