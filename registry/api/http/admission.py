"""Admit requests by their headers: authentication, permission, and the size and form of the body.

Nothing of a body is read before, and nothing beyond the limit that the route declares. A route without a declaration
requires authentication and takes a small JSON body or none."""

import json
from collections.abc import Awaitable, Callable, Coroutine
from dataclasses import dataclass
from email.message import Message
from typing import Any, TypeVar

from fastapi import APIRouter, Request, Response
from fastapi.concurrency import run_in_threadpool
from fastapi.routing import APIRoute
from starlette.exceptions import HTTPException

from treaty.registry.access.authentication import require_permission_anywhere
from treaty.registry.api.http.dependencies import PRINCIPAL, authenticated, bearer, bearer_of
from treaty.registry.core import json_text
from treaty.registry.core.enums import Permission
from treaty.registry.core.request_bodies import RequestBody, body_of
from treaty.registry.core.settings import RegistrySettings

KIB = 1024
# Decoding a smaller text takes less time than a thread.
SMALL = 64 * KIB
DECLARATION = "treaty_admission"
UNKNOWN_ENCODING = "The content encoding is not supported. Send the body uncompressed."
NOT_JSON = "The body must be JSON: send it with `Content-Type: application/json`."
UNREADABLE = "The body is not valid JSON in UTF-8: {}."
LONG_NUMBER = "it contains a text or a number that cannot be decoded"
Handler = Callable[[Request], Coroutine[Any, Any, Response]]
Endpoint = TypeVar("Endpoint", bound=Callable[..., Any])
BodyLimit = Callable[[RegistrySettings], int]


def small_body(_: RegistrySettings) -> int:
    """Return the limit of bodies without documents: 128 KiB."""
    return 128 * KIB


def document_body(settings: RegistrySettings) -> int:
    """Return the limit of bodies with a document or long lists."""
    return settings.max_body_bytes


def event_body(settings: RegistrySettings) -> int:
    """Return the limit of lineage events."""
    return settings.max_event_bytes


def generation_body(settings: RegistrySettings) -> int:
    """Return the limit of a generation: the names of the states of all partitions."""
    return settings.max_generation_bytes


def state_body(settings: RegistrySettings) -> int:
    """Return the limit of a partition's states, which are written to disk as they arrive."""
    return settings.max_state_bytes


def sign_in_body(_: RegistrySettings) -> int:
    """Return the limit of bodies of callers who are not authenticated: 32 KiB."""
    return 32 * KIB


async def bearer_principal(request: Request) -> None:
    """Authenticate the bearer and store the principal in the scope. Raises Unauthenticated."""
    credential = bearer_of(await bearer(request))
    service = request.app.state.service
    request.scope[PRINCIPAL] = await run_in_threadpool(authenticated, service, credential)


async def anyone(_: Request) -> None:
    """Admit every caller."""


@dataclass(frozen=True)
class Admission:
    """The rule by which a route admits requests.

    `permission`: needed on at least one resource; None if it depends on the body, or none is needed. `body`: limit of
    the body in bytes. `authenticate`: raises if the caller may not send a body. `is_plain`: refuses compressed
    bodies."""

    permission: Permission | None = None
    body: BodyLimit = small_body
    authenticate: Callable[[Request], Awaitable[Any]] = bearer_principal
    is_plain: bool = True

    async def admit(self, request: Request) -> RequestBody:
        """Return the body, which may be read now. Raises if the headers of the request are not acceptable."""
        await self.authenticate(request)
        if self.permission is not None:
            require_permission_anywhere(request.scope[PRINCIPAL], self.permission)
        body = body_of(request.scope)
        if self.is_plain and not body.is_complete and request.headers.get("content-encoding", "identity") != "identity":
            raise HTTPException(415, UNKNOWN_ENCODING, {"Accept-Encoding": "identity"})
        body.limit = self.body(request.app.state.service.settings)
        return body


def admission(
    permission: Permission | None = None,
    *,
    body: BodyLimit = small_body,
    authenticate: Callable[[Request], Awaitable[Any]] = bearer_principal,
    is_plain: bool = True,
) -> Callable[[Endpoint], Endpoint]:
    """Declare how the route of an endpoint admits requests; parameters as in Admission."""
    declared = Admission(permission, body, authenticate, is_plain)

    def declare(endpoint: Endpoint) -> Endpoint:
        setattr(endpoint, DECLARATION, declared)
        return endpoint

    return declare


def admission_of(endpoint: Callable[..., Any]) -> Admission:
    """Return the declared admission of an endpoint, else the default one."""
    declared: Admission = getattr(endpoint, DECLARATION, Admission())
    return declared


class JsonRequest(Request):
    """A request with a JSON body."""

    async def json(self) -> Any:
        """Decode the body, large ones in a thread. Raises HTTPException 400, and JSONDecodeError."""
        body = await self.body()
        try:
            return json_text.decode(body) if len(body) <= SMALL else await run_in_threadpool(json_text.decode, body)
        except json.JSONDecodeError:
            raise
        except json_text.JsonTooComplex as error:
            raise HTTPException(400, UNREADABLE.format(error)) from None
        except (ValueError, RecursionError):
            raise HTTPException(400, UNREADABLE.format(LONG_NUMBER)) from None


class AdmissionRoute(APIRoute):
    """A route that admits a request before its body is read."""

    def get_route_handler(self) -> Handler:
        """Return FastAPI's handler, preceded by the admission."""
        handle, rule, takes_json = super().get_route_handler(), admission_of(self.endpoint), self.body_field is not None

        async def admitted(request: Request) -> Response:
            body = await rule.admit(request)
            if not takes_json:
                return await handle(request)
            if not body.is_complete and not _is_json(request.headers.get("content-type", "")):
                raise HTTPException(415, NOT_JSON, {"Accept": "application/json"})
            return await handle(JsonRequest(request.scope, request.receive))

        return admitted


def admission_router(**options: Any) -> APIRouter:
    """Return a router whose routes admit requests before their bodies are read; options as of APIRouter."""
    return APIRouter(route_class=AdmissionRoute, **options)


def _is_json(media_type: str) -> bool:
    message = Message()
    message["content-type"] = media_type
    kind, subtype = message.get_content_maintype(), message.get_content_subtype()
    return bool(media_type) and kind == "application" and (subtype == "json" or subtype.endswith("+json"))
