"""Requests to every route with values at their borders: a call that succeeds, changed in one to three places.

What a place takes is read from the OpenAPI document; where it says nothing, from the value that stands there."""

import copy
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any
from urllib.parse import quote

from support.api_calls import CALLS, Call, inserted
from support.border_values import BODIES, value

Schema = Mapping[str, Any]
MOMENT = re.compile(r"\d{4}-\d{2}-\d{2}T")
# Whoever calls it is nobody afterwards.
SIGNS_OUT = "sign_out"
HEADERS = ("If-Match", "If-None-Match", "Idempotency-Key")


@dataclass(frozen=True)
class BorderRequest:
    """A request. `who`: the user who sends it."""

    operation: str
    who: str | None
    method: str
    url: str
    headers: Mapping[str, str]
    content: bytes | None


@dataclass
class Draft:
    """A request that is changed place by place."""

    path: list[str]
    query: dict[str, list[str]]
    headers: dict[str, str] = field(default_factory=dict)
    body: Any = None
    content: bytes | None = None


@dataclass(frozen=True)
class Operation:
    """A route with a call of it that succeeds."""

    name: str
    call: Call
    template: str
    schema: Schema
    document: Schema

    def draft(self, names: dict[str, str]) -> Draft:
        """Return the call that succeeds."""
        path, _, query = str(inserted(self.call.path, names)).partition("?")
        pairs = [each.partition("=") for each in query.split("&") if each]
        return Draft(path.split("/"), {name: [each] for name, _, each in pairs}, {"If-Match": "*"},
                     copy.deepcopy(inserted(self.call.body, names)))  # fmt: skip

    def places(self, draft: Draft) -> list[tuple[Any, ...]]:
        """Return every place that may be changed."""
        steps = self.template.split("/")
        path = [("path", at) for at, each in enumerate(steps) if each.startswith("{")]
        query = [
            ("query", each["name"], each["schema"])
            for each in self.schema.get("parameters", ())
            if each["in"] == "query"
        ]
        headers = [("header", each) for each in HEADERS]
        body = [("body", *each) for each in slots(self._body(), draft.body, self.document)]
        # A body has most of the values, so that it is changed as often as all the rest.
        return [*path, *query, headers[0], *body, *body] if body else [*path, *query, *headers]

    def _body(self) -> Schema:
        content = self.schema.get("requestBody", {}).get("content", {})
        return dict(content.get("application/json", {}).get("schema", {}))


def operations(document: Schema) -> list[Operation]:
    """Return the operations of the OpenAPI document, each with its call."""
    calls = {(each.method, _shape(each.path)): each for each in reversed(CALLS)}
    return [
        Operation(each["operationId"], calls[method.upper(), _shape(path.removeprefix("/api/v1"))],
                  path.removeprefix("/api/v1"), each, document)
        for path, methods in document["paths"].items()
        for method, each in methods.items()
    ]  # fmt: skip


def requests(chosen: Sequence[Operation], names: dict[str, str], random: Random) -> Iterator[BorderRequest]:
    """Yield one request to each operation, in a random order."""
    for each in random.sample(chosen, len(chosen)):
        who = random.choice(("admin", "viewer", min(each.call.allowed), max(each.call.allowed)))
        yield _request(each, None if each.name == SIGNS_OUT else who, names, random)


def slots(schema: Schema, present: Any, document: Schema) -> Iterator[tuple[tuple[Any, ...], Schema]]:
    """Yield the path and the schema of each value within a body, those too that it leaves out."""
    schema = _resolved(schema, document)
    if isinstance(present, dict):
        known = schema.get("properties", {})
        for name in dict.fromkeys([*known, *present]):
            inner = known.get(name) or _inferred(present.get(name))
            yield (name,), inner
            for path, deeper in slots(inner, present.get(name), document):
                yield (name, *path), deeper
    elif isinstance(present, list):
        for at, each in enumerate(present):
            inner = schema.get("items") or _inferred(each)
            yield (at,), inner
            for path, deeper in slots(inner, each, document):
                yield (at, *path), deeper


def of_schema(random: Random, schema: Schema, document: Schema, depth: int = 0) -> Any:
    """Return a value at a border of what the schema takes."""
    schema = _resolved(schema, document, random)
    kind = schema.get("format") if schema.get("format") in {"date-time", "uuid"} else schema.get("type", "any")
    if "enum" in schema and random.random() < 0.8:
        return random.choice(schema["enum"])
    if kind == "array" and depth < 3 and random.random() < 0.9:
        items = schema.get("items", {})
        return [of_schema(random, items, document, depth + 1) for _ in range(random.choice((0, 1, 1, 2, 300)))]
    if kind == "object" and depth < 3 and random.random() < 0.9:
        return _object(random, schema, document, depth)
    return value(
        random, str(kind) if kind in {"integer", "number", "date-time", "string", "uuid", "boolean"} else "any"
    )


def _object(random: Random, schema: Schema, document: Schema, depth: int) -> dict[str, Any]:
    known = {name: of_schema(random, each, document, depth + 1) for name, each in schema.get("properties", {}).items()}
    further = schema.get("additionalProperties")
    if isinstance(further, dict) or (further and not known):
        inner = further if isinstance(further, dict) else {}
        known[str(value(random, "string"))] = of_schema(random, inner, document, depth + 1)
    return known


def _request(of: Operation, who: str | None, names: dict[str, str], random: Random) -> BorderRequest:
    draft = of.draft(names)
    places = of.places(draft)
    for place in random.sample(places, min(len(places), random.choice((1, 1, 1, 2, 3)))):
        _change(draft, place, of, random)
    if draft.body is not None:
        draft.content = random.choice(BODIES) if random.random() < 0.05 else json.dumps(draft.body).encode()
        draft.headers["Content-Type"] = "application/json"
    query = "&".join(f"{_quoted(name)}={_quoted(each)}" for name, values in draft.query.items() for each in values)
    path = "/".join(draft.path)
    return BorderRequest(of.name, who, of.call.method, f"/api/v1{path}?{query}"[:60_000], draft.headers, draft.content)


def _change(draft: Draft, place: tuple[Any, ...], of: Operation, random: Random) -> None:
    kind, where, *schema = place
    if kind == "path":
        draft.path[where] = _quoted(value(random, random.choice(("uuid", "string"))))
    elif kind == "header":
        sent = random.choice(("*", '"1"', 'W/"x", "y"', str(value(random, "string"))))
        draft.headers[where] = re.sub(r"[^\x20-\x7e]", "?", sent)[:4_000]
    elif kind == "query":
        new = of_schema(random, schema[0], of.document)
        draft.query[where] = list(map(_text, new if isinstance(new, list) else [new]))
    else:
        _put(draft.body, where, of_schema(random, schema[0], of.document), random)


def _put(body: Any, path: tuple[Any, ...], new: Any, random: Random) -> None:
    for step in path[:-1]:
        # Another change may have replaced what was there.
        if not isinstance(body, dict | list) or (isinstance(body, dict) and step not in body) or not body:
            return
        body = body[step] if isinstance(body, dict) else body[step % len(body) if isinstance(step, int) else 0]
    if isinstance(body, dict):
        body[path[-1] if random.random() < 0.97 else str(value(random, "string"))] = new
    elif isinstance(body, list) and body and isinstance(path[-1], int):
        body[path[-1] % len(body)] = new


def _resolved(schema: Schema, document: Schema, random: Random | None = None) -> Schema:
    while "$ref" in schema or "anyOf" in schema or "oneOf" in schema:
        if "$ref" in schema:
            schema = document["components"]["schemas"][schema["$ref"].rpartition("/")[2]]
            continue
        several = [each for each in (*schema.get("anyOf", ()), *schema.get("oneOf", ())) if each != {"type": "null"}]
        schema = random.choice(several) if random else several[0]
    return schema


def _inferred(present: Any) -> Schema:
    if isinstance(present, str):
        return {"type": "string", **({"format": "date-time"} if MOMENT.match(present) else {})}
    names = {bool: "boolean", int: "integer", float: "number", list: "array", dict: "object"}
    return {"type": names.get(type(present), "any")}


def _text(new: Any) -> str:
    return new if isinstance(new, str) else json.dumps(new)


def _quoted(text: Any) -> str:
    """Return the text as a part of a URL. Servers accept URLs up to 64 KiB."""
    return quote(_text(text)[:4_000].encode("utf-8", "surrogatepass"), safe="")


def _shape(path: str) -> str:
    steps = path.split("?")[0].split("/")
    return "/".join("{}" if each.startswith("{") else each for each in steps)
