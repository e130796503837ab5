"""Routes of the reference: what a contract may promise."""

from fastapi import APIRouter

from treaty.engine.analyzers.reference import reference
from treaty.registry import schemas
from treaty.registry.access import authentication
from treaty.registry.api.http.dependencies import Caller
from treaty.registry.core.enums import Permission

router = APIRouter(tags=["reference"])


@router.get("/analyzers")
def list_analyzers(by: Caller) -> list[schemas.AnalyzerOut]:
    """The analyzers that are installed, by family: what they measure, what they take, and an example."""
    authentication.require_permission_anywhere(by, Permission.READ)
    return list(map(schemas.AnalyzerOut.model_validate, reference()))
