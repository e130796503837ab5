"""Generate the pages of the HTTP API: an overview, one page for each resource, and the OpenAPI document."""

import json
import re
from collections.abc import Callable, Iterator, Mapping
from functools import cache, partial
from typing import Any

from docs.generators import permissions
from docs.generators.markdown import anchor, code, sentence, table
from treaty.registry.access.permissions import GRANTS
from treaty.registry.api.app import ROUTERS, create_app
from treaty.registry.api.http.problems import BUSY, KIND, STATUS, WORDS
from treaty.registry.core import errors
from treaty.registry.core.database import connect
from treaty.registry.core.enums import Permission
from treaty.registry.core.settings import RegistrySettings
from treaty.registry.lineage.events.receiver import IntakeOverloaded

RESOURCES = {
    "contracts": ("Contracts", "Contracts, their documents, checks and deadlines."),
    "versions": ("Versions", "Versions of a contract: states, deprecation, retirement and differences."),
    "proposals": ("Proposals", "Proposals: create, edit, decide about suggestions, discuss and approve."),
    "replays": ("Replays", "Evaluate a proposed version on stored states before you approve it."),
    "consumers": ("Consumers", "Subscriptions, checks of consumers, and acknowledgements of breaking changes."),
    "catalog": ("Catalog", "Search contracts."),
    "runs": ("Runs and history", "Runs, their samples, and the history of metrics and checks."),
    "states": ("States", "Metrics and stored states of partitions."),
    "profiles": ("Profiles", "Profiles of datasets from stored states."),
    "gate": ("Gate", "Ask whether a partition may be read, and store what a gate published."),
    "incidents": ("Incidents", "Incidents: list, acknowledge, assign, snooze, resolve and reopen."),
    "feedback": ("Fits and feedback", "Learned bounds of programs, and feedback on data points."),
    "key-models": ("Key-name models", "The model that predicts keys from column names."),
    "catalogs": ("Metadata catalogs", "Connections to metadata catalogs, and what they state about datasets."),
    "patterns": ("Patterns", "Common text patterns of all tables."),
    "lineage": ("Lineage events", "Send lineage events, and inspect accepted, rejected and unmatched ones."),
    "graph": ("Lineage graph", "The lineage graph in the format of Marquez, impact and inferred consumers."),
    "tasks": ("Tasks", "Request drafts, and list, retry and stop tasks."),
    "notifications": ("Notifications", "Notification channels and outgoing messages."),
    "exchange": ("Import and export", "Convert contracts from and to other formats; templates and badges."),
    "people": ("Users and access", "Sign-in, users, tokens, teams, grants and allowed locations."),
    "audit": ("Audit log", "Audit log and approval records."),
    "reference": ("Analyzers", "Analyzers that the service can evaluate."),
    "service": ("Service", "Health, readiness and metrics of the service."),
}
OVERVIEW = """
The pages and most commands use this API. All paths begin with `/api/v1`. Requests and responses are
JSON unless a route states otherwise. The Python [`Client`](python.md#client) has a method for each route.

The complete [OpenAPI 3.1 document](openapi.json) is also served at `GET /api/v1/openapi.json`.

## Authentication

Send an API token or the secret of a session with each request:

```text
Authorization: Bearer TOKEN
```

You create a token in the pages under "Tokens", or with [`POST /tokens`](api/people.md). A token has scopes: the
permissions that it may use. It never has more permissions than its user. If single sign-on is configured, the API
also accepts tokens of the identity provider. See [Users and roles](../how-to/users-and-roles.md).

Most routes require the permission `contracts:read`; each route names its own. A permission may come from a role on
everything, or from a grant on a domain, a contract or a dataset. The API responds 404, not 403, for objects that you
may not read.
"""
CONVENTIONS = """
## Pagination

Lists return one page: `items`, and `next`. Send `next` as the query parameter `cursor` to get the next page. `next` is
null on the last page. `limit` sets the number of items per page: 1 to 500, by default 100. Some lists of recent items
have only a `limit`.

## Concurrent changes

Objects that can be changed have an ETag, in the header `ETag` and in the field `etag`. Send it as `If-Match` with a
change. If someone else changed the object first, the API responds 412 and changes nothing. Every change needs the state
that it is based on: in the body, as `revision` or `fingerprint`, or as `If-Match`. Without either, the API responds
428. `If-Match: *` changes the object in any state.

## Idempotent requests

Send the header `Idempotency-Key` with a `POST`, for example a UUID. The API executes the request once. If you send it
again within 24 hours, the API returns the stored response with the header `Idempotency-Replayed: true`.

## Limits

| Limit | Response | Setting |
| --- | --- | --- |
| Size of a request | 413 | `TREATY_MAX_BODY_BYTES` |
| Size of a lineage request | 413 | `TREATY_MAX_EVENT_BYTES` |
| Size of states from a gate | 413 | `TREATY_MAX_STATE_BYTES` |
| Pending lineage events | 503 with `Retry-After` | `TREATY_INTAKE_LIMIT_EVENTS` |
| Failed sign-ins per name | 429 with `Retry-After` | `TREATY_SIGN_IN_ATTEMPTS_PER_NAME` |
| Failed sign-ins per address | 429 with `Retry-After` | `TREATY_SIGN_IN_ATTEMPTS_PER_ADDRESS` |

There is no limit on the rate of other requests.

Each response has the header `X-Request-ID`, which the log contains as well. You may send your own.

## Errors

An error response has the media type `application/problem+json` (RFC 9457). The fields `type`, `title`, `status` and
`detail` describe it. `faults` lists every invalid field of the request or element of a document. `reference`
identifies an unexpected error in the log of the service. Nothing is saved if a request fails.
"""
OTHER_PROBLEMS = (
    ("refused", "400, 404, 405, 413, 422", "The path, the method, the size or the content is not accepted."),
    ("overloaded", "503", IntakeOverloaded.default_message),
    ("unavailable", "503", BUSY),
    ("unexpected", "500", "An unexpected error occurred. Nothing was saved."),
)
SHARED = "schemas"
PAGE = "Page_"
METHODS = ("get", "post", "put", "patch", "delete")


@cache
def spec() -> dict[str, Any]:
    """Return the OpenAPI document."""
    return create_app(RegistrySettings(), connect("sqlite://")).openapi()


def openapi() -> str:
    """Return the OpenAPI document as text."""
    return json.dumps(spec(), indent=1, ensure_ascii=False) + "\n"


Operation = tuple[str, str, dict[str, Any]]


def operations() -> Iterator[Operation]:
    """Yield the method, the path and the description of every route."""
    for path, methods in spec()["paths"].items():
        for method in METHODS:
            if method in methods:
                yield method.upper(), path, methods[method]


def pages() -> dict[str, Callable[[], Iterator[str]]]:
    """Return the generators of the pages of resources, by page."""
    tags = {str(tag) for router in ROUTERS for tag in router.tags}
    if missing := tags ^ set(RESOURCES):
        raise ValueError(f"docs/generators/api.py and the routes differ in these resources: {sorted(missing)}")
    return {f"api/{tag}": partial(resource, tag) for tag in RESOURCES} | {f"api/{SHARED}": shared}


def overview() -> Iterator[str]:
    """Generate the overview."""
    yield "# HTTP API"
    yield OVERVIEW
    rows = []
    for permission in Permission:
        roles = ", ".join(code(role) for role, granted in GRANTS.items() if permission in granted)
        rows.append((code(permission), roles))
    yield from table(("Permission", "Roles that include it"), rows)
    yield CONVENTIONS.strip() + "\n"
    problems = [*_problems(), *((code(KIND + name), status, text) for name, status, text in OTHER_PROBLEMS)]
    yield from table(("Type", "Status", "Default message"), sorted(problems, key=lambda each: each[1]))
    yield "## Resources\n"
    for tag, (title, purpose) in RESOURCES.items():
        yield f"### [{title}](api/{tag}.md)\n\n{purpose}\n"
        yield from table(
            ("Route", "Purpose"), (_listed(each, tag) for each in operations() if each[2]["tags"][0] == tag)
        )


def _problems() -> Iterator[tuple[str, str, str]]:
    for kind in _subclasses(errors.RegistryError):
        status = next((STATUS[base] for base in kind.__mro__ if base in STATUS), None)
        if status and kind.__module__ == errors.__name__:
            yield (
                code(KIND + WORDS.sub(" ", kind.__name__).lower().replace(" ", "-")),
                str(status),
                kind.default_message,
            )


def _subclasses(kind: type[errors.RegistryError]) -> Iterator[type[errors.RegistryError]]:
    for each in kind.__subclasses__():
        yield each
        yield from _subclasses(each)


def _listed(operation: Operation, tag: str) -> tuple[str, str]:
    method, path, described = operation
    return f"[`{method} {_short(path)}`](api/{tag}.md#{anchor(described['summary'])})", _paragraphs(described)[0]


def _short(path: str) -> str:
    return path.removeprefix("/api/v1")


def _paragraphs(described: Mapping[str, Any]) -> list[str]:
    return [" ".join(each.split()) for each in described.get("description", "").split("\n\n")] or [""]


def resource(tag: str) -> Iterator[str]:
    """Generate the page of a resource: its routes and the objects that only they use."""
    title, purpose = RESOURCES[tag]
    yield f"# {title}\n\n{purpose} Paths begin with `/api/v1`. The [overview](../api.md) describes authentication,"
    yield "pagination, concurrent changes and errors.\n"
    for each in operations():
        if each[2]["tags"][0] == tag:
            yield from _route(tag, each)
    own = [name for name, page in homes().items() if page == tag]
    if own:
        yield "## Objects\n"
        for name in own:
            yield from _object(tag, name)


def _route(tag: str, operation: Operation) -> Iterator[str]:
    method, path, described = operation
    yield f"## {described['summary']}\n\n```text\n{method} {path}\n```\n"
    yield described.get("description", "").strip() + f"\n\n{permissions.sentence(described['operationId'])}\n"
    given = described.get("parameters", ())
    if rows := [_parameter(tag, each) for each in given if each["in"] != "header"]:
        yield from table(("Parameter", "In", "Type", "Default", "Description"), rows)
    if body := _content(described.get("requestBody", {})):
        yield f"Request body: {_type(tag, body)}\n"
    headers = [each["name"] for each in given if each["in"] == "header"]
    if headers:
        yield f"Headers: {', '.join(map(code, headers))}\n"
    for status, response in described["responses"].items():
        if status.startswith("2"):
            content = _content(response)
            yield f"Response {status}: {_type(tag, content) if content else _media(response)}\n"


def _media(response: Mapping[str, Any]) -> str:
    kinds = ", ".join(map(code, response.get("content", {})))
    return kinds or "no content"


def _content(body: Mapping[str, Any]) -> dict[str, Any]:
    """Return the schema of a JSON body; {} for none."""
    schema: dict[str, Any] = body.get("content", {}).get("application/json", {}).get("schema", {})
    return schema


def _parameter(tag: str, given: Mapping[str, Any]) -> tuple[str, ...]:
    schema = {**given["schema"]}
    if "anyOf" in schema:
        # A query parameter cannot be null; it is left out.
        schema["anyOf"] = [each for each in schema["anyOf"] if each.get("type") != "null"]
    default = "required" if given.get("required") else _default(schema)
    text = given.get("description") or _path_text(given["name"])
    return code(given["name"]), given["in"], _type(tag, schema), default, text + _limits(schema)


def _path_text(name: str) -> str:
    words = name.removesuffix("_id").replace("_", " ")
    return f"Id of the {words}" if name.endswith("_id") else sentence(f"{words} in the path")


def _default(schema: Mapping[str, Any]) -> str:
    value = schema.get("default")
    return "" if value in (None, "", []) else code(json.dumps(value))


def _limits(schema: Mapping[str, Any]) -> str:
    low, high = schema.get("minimum"), schema.get("maximum")
    return f". {low:,} to {high:,}" if low is not None and high is not None else ""


def _type(tag: str, schema: Mapping[str, Any]) -> str:
    """Return a JSON type in words, with a link to an object."""
    if "$ref" in schema:
        return _named(tag, schema["$ref"].rsplit("/", 1)[-1])
    if options := schema.get("anyOf"):
        return " or ".join(dict.fromkeys(_type(tag, each) for each in options))
    if "enum" in schema or "const" in schema:
        return ", ".join(code(each) for each in schema.get("enum", [schema.get("const")]))
    kind = schema.get("type", "any")
    if kind == "array":
        return f"list of {_type(tag, schema.get('items', {}))}"
    values = schema.get("additionalProperties")
    if kind == "object":
        return f"mapping to {_type(tag, values)}" if isinstance(values, dict) and values else "mapping"
    return str(schema.get("format", kind)).replace("date-time", "time").replace("password", "text")


def _named(tag: str, name: str) -> str:
    """Return the link to an object, or to the items of a page."""
    if name.startswith(PAGE):
        return f"[page](../api.md#pagination) of {_type(tag, _items(name))}"
    return f"[`{name}`]({_link(tag, name)})"


def _items(page: str) -> dict[str, Any]:
    """Return the schema of the items of a page."""
    items: dict[str, Any] = spec()["components"]["schemas"][page]["properties"]["items"]["items"]
    return items


def _link(tag: str, name: str) -> str:
    home = homes()[name]
    return f"#{anchor(name)}" if home == tag else f"{home}.md#{anchor(name)}"


@cache
def homes() -> dict[str, str]:
    """Return the page of each object: that of the only resource that uses it, or the page of shared objects."""
    users: dict[str, set[str]] = {name: set() for name in spec()["components"]["schemas"]}
    for _, _, described in operations():
        for name in _reached(described):
            users[name].add(described["tags"][0])
    named = {name: tags for name, tags in sorted(users.items()) if not name.startswith(PAGE)}
    return {name: next(iter(tags)) if len(tags) == 1 else SHARED for name, tags in named.items()}


def _reached(described: Mapping[str, Any]) -> set[str]:
    """Return the names of all objects that a description refers to, directly or through others."""
    found: set[str] = set()
    waiting = _references(described)
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            waiting |= _references(spec()["components"]["schemas"][name])
    return found


def _references(described: Any) -> set[str]:
    return set(re.findall(r'"#/components/schemas/([^"]+)"', json.dumps(described)))


def _object(tag: str, name: str) -> Iterator[str]:
    schema = spec()["components"]["schemas"][name]
    yield f"### `{name}`\n\n{schema.get('description', '').strip()}\n"
    if "enum" in schema:
        yield f"Values: {', '.join(map(code, schema['enum']))}\n"
    required = set(schema.get("required", ()))
    rows = []
    for field, each in schema.get("properties", {}).items():
        default = "required" if field in required and not name.endswith("Out") else _default(each)
        rows.append((code(field), _type(tag, each), default, sentence(each.get("description", ""))))
    yield from table(("Field", "Type", "Default", "Description"), rows)


def shared() -> Iterator[str]:
    """Generate the page of objects that several resources use."""
    yield "# Shared objects\n\nObjects that several resources of the [API](../api.md) use.\n"
    for name, page in homes().items():
        if page == SHARED:
            yield from _object(SHARED, name)
