"""The route of deadlines: when the data of a contract are due, and what is missed."""

from typing import Annotated

from fastapi import APIRouter, Query

from registry import scope, timetable
from registry.api import schemas
from registry.api.dependencies import Caller, Reader

router = APIRouter(tags=["contracts"])
ContractId = Annotated[str, Query(alias="id", max_length=500, description="the contract's id")]


@router.get("/contract/deadlines")
def contract_deadlines(contract_id: ContractId, by: Caller, tx: Reader) -> list[schemas.DeadlineOut]:
    """When data of the contract's objects must come, when they last did, and service levels that nobody watches."""
    scope.see(tx, contract_id, by)
    return [schemas.DeadlineOut.model_validate(each) for each in timetable.of_contract(tx, contract_id)]
