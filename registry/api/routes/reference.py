"""Route of the analyzer reference."""

from treaty.engine.analyzers.reference import reference
from treaty.registry import schemas
from treaty.registry.access import authentication
from treaty.registry.api.http.admission import admission_router
from treaty.registry.api.http.dependencies import Caller
from treaty.registry.core.enums import Permission

router = admission_router(tags=["reference"])


@router.get("/analyzers")
def list_analyzers(by: Caller) -> list[schemas.AnalyzerOut]:
    """List the installed analyzers by family, with their metric, arguments and an example."""
    authentication.require_permission_anywhere(by, Permission.READ)
    return list(map(schemas.AnalyzerOut.model_validate, reference()))
