"""Generate the OpenAPI 3.1 description with operation names, descriptions and error responses."""

import re
from typing import Any

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi
from fastapi.routing import APIRoute

from treaty.registry.api.http.problems import MEDIA_TYPE
from treaty.registry.schemas import ProblemOut
from treaty.registry.schemas.field_descriptions import describe_fields

TELLS = "Treaty is a registry of data contracts for Apache Spark: versions, reviews, validations and incidents."
REFUSALS = {"4XX": "The request was rejected; nothing changed.", "5XX": "The service failed; nothing changed."}
# Words of a summary.
LONGEST_SUMMARY = 11
# Ends the first clause of a sentence.
CLAUSE = re.compile(r"[:,;] | with | that | by default ")
OURS = {"HTTPValidationError", "ValidationError"}
KEY = {
    "name": "Idempotency-Key",
    "in": "header",
    "required": False,
    "description": "Executes the request once and replays its response for 24 hours. Use a UUID.",
    "schema": {"type": "string", "minLength": 1, "maxLength": 200, "pattern": r"^[\x21-\x7e]+$"},
}


# Parameters that mean the same on every route.
PARAMETERS = {
    "If-Match": "ETag of the state that the change is based on, or `*` for any state",
    "if-none-match": "ETag of the content that the caller has; responds 304 if it is still current",
    "acknowledgement_id": "Id of the acknowledgement",
    "channel_id": "Id of the notification channel",
    "location_id": "Id of the allowed location",
    "check_id": "Id of the consumer check",
    "event_id": "Id of the lineage event",
    "grant_id": "Id of the grant",
    "incident_id": "Id of the incident",
    "message_id": "Id of the message",
    "name": "Name of the template",
    "proposal_id": "Id of the proposal",
    "request_id": "Id of the request",
    "rest": "Rest of the path, as Marquez defines it",
    "run_id": "Id of the run",
    "subscription_id": "Id of the subscription",
    "suggestion_id": "Id of the suggestion",
    "task_id": "Id of the task",
    "team_id": "Id of the team",
    "token_id": "Id of the token",
    "user_id": "Id of the user",
}


def name_of(route: APIRoute) -> str:
    """Return the operation id of a route: the name of its function."""
    return route.name


def describe(app: FastAPI) -> None:
    """Install the generator of the description."""
    app.openapi = lambda: app.openapi_schema or _openapi(app)  # type: ignore[method-assign]


def _openapi(app: FastAPI) -> dict[str, Any]:
    document = get_openapi(title=app.title, version=app.version, description=TELLS, routes=app.routes)
    schemas = document["components"]["schemas"]
    for name in OURS & set(schemas):
        del schemas[name]
    schemas["Problem"], schemas["FaultOut"] = _problem()
    for schema in schemas.values():
        describe_fields(schema)
    for path in document["paths"].values():
        for method, operation in path.items():
            _complete(method, operation)
    app.openapi_schema = document
    return document


def _summary(operation: dict[str, Any]) -> str:
    """Return the first sentence or clause of the description, or the name in words."""
    first = " ".join(re.split(r"(?<=\.)\s|\n\n", operation["description"])[0].split()).removesuffix(".")
    for candidate in (first, CLAUSE.split(first)[0]):
        if len(candidate.split()) <= LONGEST_SUMMARY:
            return candidate
    return str(operation["summary"]).capitalize()


def _problem() -> tuple[dict[str, Any], dict[str, Any]]:
    schema = ProblemOut.model_json_schema(mode="serialization", ref_template="#/components/schemas/{model}")
    fault = schema.pop("$defs")["FaultOut"]
    return schema, fault


def _complete(method: str, operation: dict[str, Any]) -> None:
    operation["summary"] = _summary(operation)
    responses = operation["responses"]
    responses.pop("422", None)
    content = {MEDIA_TYPE: {"schema": {"$ref": "#/components/schemas/Problem"}}}
    responses.update({status: {"description": text, "content": content} for status, text in REFUSALS.items()})
    for parameter in operation.get("parameters", ()):
        if parameter["name"] in PARAMETERS:
            parameter.setdefault("description", PARAMETERS[parameter["name"]])
    if method == "post":
        operation.setdefault("parameters", []).append(KEY)
