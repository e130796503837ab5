"""The calls of a client, held against the description of the API: what each sends, and which answer it reads.

Every public method is called with arguments made from its type hints, over a transport that records the request."""

import inspect
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import Enum
from functools import cache, reduce
from operator import getitem
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints
from unittest.mock import MagicMock
from uuid import UUID

import httpx
from jsonschema import Draft202012Validator, FormatChecker
from pydantic import AwareDatetime, BaseModel, SecretStr, TypeAdapter, ValidationError

from treaty.registry.client import Client

# Texts that names, passwords, ids, patterns and fingerprints admit: the first that a type takes stands for it.
TEXTS = ("a-long-word-of-letters", "pinned", "0" * 64, "https://127.0.0.1:8443/hook", "1.0.0", "ada@example.org")
Operation = Mapping[str, Any]
MOMENTS = (datetime(2026, 11, 20, 12, tzinfo=UTC),)
PLAIN: Mapping[Any, tuple[Any, ...]] = {
    bool: (True, False),
    int: (3, 30, 300),
    float: (0.5, 2.0),
    UUID: (UUID("0190a000-0000-7000-8000-000000000001"),),
    datetime: MOMENTS,
    AwareDatetime: MOMENTS,
    bytes: (b"content",),
    str: TEXTS,
    SecretStr: tuple(map(SecretStr, TEXTS)),
    Any: TEXTS[:1],
}
# Arguments of which the hint says less than the API, by method and name.
NAMED: Mapping[tuple[str, str], Any] = {
    ("bag", "bag"): "0" * 64,
    ("choose_notifications", "notification_kinds"): ("lag",),
    ("create_user", "roles"): ("viewer",),
    ("issue_token", "scopes"): ("contracts:read",),
    ("tasks", "state"): "queued",
}
LISTS = (list, tuple, set, frozenset, Iterable, Sequence)
# Routes that read bodies as they come, which the description leaves open.
OPEN_BODIES = {("post", "/api/v1/lineage"), ("post", "/api/v1/dataset/gate/bag")}


@dataclass(frozen=True)
class Call:
    """A request that a method sent, and the form in which it reads the answer; None: it reads none as JSON."""

    request: httpx.Request
    form: Any

    @property
    def sent(self) -> tuple[Any, ...]:
        """All of the request that its arguments may change."""
        return self.request.method, self.request.url, self.request.headers.multi_items(), self.request.content


class Recorder:
    """A transport that records requests; every answer is empty."""

    def __init__(self) -> None:
        self.requests: list[httpx.Request] = []

    def __call__(self, request: httpx.Request) -> httpx.Response:
        self.requests.append(request)
        return httpx.Response(200)


def methods(kind: type[Client]) -> tuple[str, ...]:
    """The names of the methods that call the API."""
    found = inspect.getmembers(kind, inspect.isfunction)
    return tuple(name for name, _ in found if not name.startswith("_") and name != "close")


def faults(kind: type[Client], document: Mapping[str, Any], names: Iterable[str] | None = None) -> list[str]:
    """What is wrong with the client's calls by that OpenAPI document, each fault with the method's name."""
    judge = Judge(document)
    return [f"{name}: {fault}" for name in names or methods(kind) for fault in judge.of_method(kind, name)]


def call(kind: type[Client], name: str, arguments: Mapping[str, Any]) -> Call:
    """The one request that the method sends for these arguments."""
    recorder, forms = Recorder(), []

    class Recording(kind):  # type: ignore[misc, valid-type]
        def _answer(self, form: Any, response: httpx.Response) -> Any:
            forms.append(form)
            return MagicMock(items=(), next=None)

    http = httpx.Client(base_url="http://treaty", transport=httpx.MockTransport(recorder))
    getattr(Recording("http://treaty", "secret", http=http), name)(**arguments)
    (request,) = recorder.requests
    return Call(request, forms[0] if forms else None)


def arguments(kind: type[Client], name: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """The arguments that the method needs, and those that it may be given beside them."""
    function = getattr(kind, name)
    hints = get_type_hints(function, include_extras=True)
    needed: dict[str, Any] = {}
    optional: dict[str, Any] = {}
    for parameter in list(inspect.signature(function).parameters.values())[1:]:
        assert parameter.kind not in (parameter.VAR_KEYWORD, parameter.VAR_POSITIONAL), f"{name} takes anything"
        chosen = needed if parameter.default is parameter.empty else optional
        given = NAMED.get((name, parameter.name)) or made(hints[parameter.name], other_than=parameter.default)
        chosen[parameter.name] = given
    return needed, optional


def made(form: Any, *, other_than: Any = None) -> Any:
    """A value of that type. Raises LookupError where none of ours is."""
    for value in candidates(form):
        with suppress(ValidationError):
            TypeAdapter(form).validate_python(value)
            if value != other_than:
                return value
    raise LookupError(f"no value of {form}")


def candidates(form: Any) -> Iterator[Any]:
    """Values that may be of that type."""
    origin, inner = get_origin(form), get_args(form)
    if origin is Annotated:
        yield from candidates(inner[0])
    elif origin is Literal:
        yield from inner
    elif origin in (Union, UnionType):
        yield from (value for each in inner if each is not NoneType for value in candidates(each))
    elif origin in LISTS:
        yield from ((each,) for each in candidates(inner[0]))
    elif origin in (dict, Mapping):
        yield from ({key: made(inner[1])} for key in candidates(inner[0]))
    else:
        yield from of_class(form)


def of_class(form: Any) -> Iterable[Any]:
    """Values that may be of that class."""
    if form in PLAIN:
        return PLAIN[form]
    return form if issubclass(form, Enum) else (filled(form),)


def filled(form: type[BaseModel]) -> BaseModel:
    """The model with as many of its fields as may be given together."""
    hints = get_type_hints(form, include_extras=True)
    values = {name: made(Annotated[hints[name], field]) for name, field in form.model_fields.items()}
    optional = {name for name, field in form.model_fields.items() if not field.is_required()}
    for left_out in ([], *([name] for name in values if name in optional), optional):
        with suppress(ValidationError):
            return form.model_validate({name: value for name, value in values.items() if name not in left_out})
    raise LookupError(f"no value of {form}")


class Judge:
    """Holds calls against an OpenAPI document."""

    def __init__(self, document: Mapping[str, Any]) -> None:
        self.document = document

    def of_method(self, kind: type[Client], name: str) -> Iterator[str]:
        """What is wrong with what the method sends, with all arguments and with those alone that it needs."""
        needed, optional = arguments(kind, name)
        whole = call(kind, name, {**needed, **optional})
        yield from dict.fromkeys((*self.of_call(whole), *self.of_call(call(kind, name, needed))))
        for left_out in optional:
            rest = {key: value for key, value in optional.items() if key != left_out}
            if call(kind, name, {**needed, **rest}).sent == whole.sent:
                yield f"the argument {left_out} changes nothing of what is sent"

    def of_call(self, made_call: Call) -> Iterator[str]:
        """What is wrong with one call."""
        request = made_call.request
        method = request.method.lower()
        matches = [
            (path, found) for path in self.document["paths"] if (found := _match(path, request.url.path)) is not None
        ]
        if not matches or method not in self.document["paths"][matches[0][0]]:
            yield f"no route is {request.method} {request.url.path}"
            return
        # A path written out is looked for before one with places.
        path, places = min(matches, key=lambda each: each[0].count("{"))
        operation = self.document["paths"][path][method]
        yield from self._of_parameters(operation, {"path": places, "query": _listed(request.url.params)})
        if (method, path) not in OPEN_BODIES:
            yield from self._of_body(operation, request.content)
        if made_call.form is not None:
            yield from self._of_answer(operation, made_call.form)

    def _of_parameters(self, operation: Operation, sent: Mapping[str, Mapping[str, list[str]]]) -> Iterator[str]:
        for place, values in sent.items():
            declared = {each["name"]: each for each in operation.get("parameters", ()) if each["in"] == place}
            yield from (f"the {place} takes no {name}" for name in values.keys() - declared)
            missing = (name for name, each in declared.items() if each.get("required") and name not in values)
            yield from (f"the {place} needs {name}" for name in missing)
            for name in values.keys() & declared:
                if not any(self._admits(declared[name]["schema"], each) for each in _readings(values[name])):
                    yield f"{name} of the {place} is no {json.dumps(declared[name]['schema'])}"

    def _of_body(self, operation: Operation, content: bytes) -> Iterator[str]:
        declared = operation.get("requestBody")
        if declared is None or not content:
            if content:
                yield "the route takes no body"
            if declared and declared.get("required"):
                yield "the route needs a body"
            return
        schema = declared["content"]["application/json"]["schema"]
        for fault in self._validator(schema).iter_errors(json.loads(content)):
            yield f"the body: {fault.json_path}: {fault.message}"

    def _of_answer(self, operation: Operation, form: Any) -> Iterator[str]:
        (answer,) = (each for status, each in operation["responses"].items() if status.startswith("2"))
        given = answer.get("content", {}).get("application/json", {}).get("schema")
        if given is None or _expanded(given, self.document) != _read(form):
            yield f"the route does not answer {form}"

    def _admits(self, schema: Mapping[str, Any], value: Any) -> bool:
        return bool(self._validator(schema).is_valid(value))

    def _validator(self, schema: Mapping[str, Any]) -> Draft202012Validator:
        whole = {**schema, "components": self.document["components"]}
        return Draft202012Validator(whole, format_checker=FormatChecker())


@cache
def _read(form: Any) -> Any:
    """The schema of answers that are read so."""
    schema = TypeAdapter(form).json_schema(mode="serialization")
    return _expanded(schema, schema)


@cache
def _pattern(path: str) -> re.Pattern[str]:
    return re.compile(re.sub(r"\\\{(\w+)\\\}", r"(?P<\1>[^/]+)", re.escape(path)))


def _match(path: str, sent: str) -> dict[str, list[str]] | None:
    """What stands at the places of a path such as /runs/{run_id}; None where it is another path."""
    found = _pattern(path).fullmatch(sent)
    return {name: [value] for name, value in found.groupdict().items()} if found else None


def _listed(params: httpx.QueryParams) -> dict[str, list[str]]:
    return {name: params.get_list(name) for name in params}


def _readings(texts: list[str]) -> Iterator[Any]:
    """What texts of a query or a path may stand for."""
    yield from (texts, *texts[:1])
    try:
        yield json.loads(texts[0])
    except ValueError:
        return


def _expanded(schema: Any, whole: Mapping[str, Any], within: tuple[str, ...] = ()) -> Any:
    """The schema with what it refers to in place; without null as default, and without titles
    and descriptions, which say nothing about the shape."""
    if isinstance(schema, list):
        return [_expanded(each, whole, within) for each in schema]
    if not isinstance(schema, dict):
        return schema
    if reference := schema.get("$ref"):
        name = reference.rsplit("/", 1)[1]
        found = reduce(getitem, reference.split("/")[1:], whole)
        return name if name in within else _expanded(found, whole, (*within, name))
    return {name: _expanded(each, whole, within) for name, each in schema.items() if not _left_out(name, each)}


def _left_out(name: str, schema: Any) -> bool:
    return (
        name == "$defs"
        or (name in ("title", "description") and isinstance(schema, str))
        or (name == "default" and schema is None)
    )
