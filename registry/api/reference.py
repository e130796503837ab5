"""Routes of the reference: what a contract may promise."""

from fastapi import APIRouter

from engine.analyzers.reference import reference
from registry import access
from registry.api import schemas
from registry.api.dependencies import Caller
from registry.words import Permission

router = APIRouter(tags=["reference"])


@router.get("/analyzers")
def list_analyzers(by: Caller) -> list[schemas.AnalyzerOut]:
    """The analyzers that are installed, by family: what they measure, what they take, and an example."""
    access.decide_somewhere(by, Permission.READ)
    return list(map(schemas.AnalyzerOut.model_validate, reference()))
