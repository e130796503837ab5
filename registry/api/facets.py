"""The schemas of the facets that are this service's own, for whoever reads an event: they hold no secret."""

from typing import Any

from fastapi import APIRouter, Request, Response

from contracts.fingerprint import canonical
from registry.lineage.facet import FACET, FACET_VERSION, facet_schema

router = APIRouter(prefix="/lineage/facets", tags=["lineage"])
MEDIA_TYPE = "application/schema+json"


@router.get(f"/{FACET_VERSION}/{FACET}.json", response_class=Response)
def contract_facet(request: Request) -> Response:
    """The JSON Schema of the facet that says which contract a verdict is about."""
    where = str(request.url.replace(query=""))
    schema: dict[str, Any] = {"$id": where, **facet_schema()}
    return Response(canonical(schema), media_type=MEDIA_TYPE)
