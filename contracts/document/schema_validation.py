"""Validate a document against the standard's JSON schema, with short messages that contain no values.

The schema is applied to one element at a time. Applied to the whole document it would cost three times more for each
level of nesting (`unevaluatedProperties` validates everything below twice more): minutes for a small hostile
document."""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from importlib import resources
from itertools import islice
from typing import TYPE_CHECKING, Any

from treaty.contracts.assertions import OPERATORS
from treaty.contracts.document.odcs import VERSIONS
from treaty.contracts.document.yaml_syntax import join
from treaty.contracts.errors import MAX_FAULTS, Faults, suggest_nearest

if TYPE_CHECKING:
    from jsonschema.protocols import Validator
    from jsonschema_rs import Draft201909Validator as Draft201909Acceptor

JSON_TYPES = {
    "array": "a list", "boolean": "true or false", "integer": "a whole number", "null": "null",
    "number": "a number", "object": "a mapping", "string": "text",
}  # fmt: skip
UNEXPECTED = frozenset({"additionalProperties", "unevaluatedProperties"})
# For each element: a hostile one has thousands of errors, and each is expensive to find.
MOST = 2 * MAX_FAULTS
NEW_TYPES = frozenset({"map", "vector"})
# A jsonschema.ValidationError, whose attributes are all typed as possibly unset.
Refusal = Any
Piece = tuple[str, str, Mapping[str, Any]]


def inspect_schema(document: Mapping[str, Any], faults: Faults) -> None:
    """Add a fault for each error that the JSON schema of the declared version reports."""
    declared = document.get("apiVersion")
    version = declared if declared in VERSIONS else VERSIONS[-1]
    for path, definition, content in _pieces(document):
        if _is_accepted(version, definition, content):
            continue
        errors = list(islice(_leaves(_validator(version, definition).iter_errors(content)), MOST))
        _keep_all(errors, path, faults)
        if faults.full:
            return


def _is_accepted(version: str, definition: str, content: Any) -> bool:
    """Return whether the schema accepts the content. Uses a validator that is fast but reports few details."""
    try:
        return _acceptor(version, definition).is_valid(content)
    except ValueError:
        return False


def _pieces(document: Mapping[str, Any]) -> Iterator[Piece]:
    """Yield the root and each property without its nested properties: path, definition, content."""
    objects = document.get("schema")
    if not isinstance(objects, list):
        yield "", "", document
        return
    yield "", "", {**document, "schema": [_shallow(each) for each in objects]}
    for index, each in enumerate(objects):
        yield from _inner_pieces(each, join("schema", index))


def _inner_pieces(element: Any, path: str) -> Iterator[Piece]:
    if not isinstance(element, dict):
        return
    members = element.get("properties")
    for index, member in enumerate(members if isinstance(members, list) else ()):
        yield from _property_pieces(member, join(join(path, "properties"), index), "SchemaProperty")
    yield from _property_pieces(element.get("items"), join(path, "items"), "SchemaItemProperty")
    sides = element.get("map")
    for side, member in sides.items() if isinstance(sides, dict) else ():
        yield from _property_pieces(member, join(join(path, "map"), side), "SchemaItemProperty")


def _property_pieces(element: Any, path: str, definition: str) -> Iterator[Piece]:
    if isinstance(element, dict):
        yield path, definition, _shallow(element)
        yield from _inner_pieces(element, path)


def _shallow(element: Any) -> Any:
    """Return the element with well-formed nested properties replaced by stubs."""
    if not isinstance(element, dict):
        return element
    shallow = dict(element)
    if isinstance(element.get("properties"), list):
        shallow["properties"] = _stubs(element["properties"])
    if isinstance(element.get("items"), dict):
        shallow["items"] = _STUB
    if isinstance(element.get("map"), dict):
        shallow["map"] = {side: _stub(each) for side, each in element["map"].items()}
    if isinstance(element.get("quality"), list):
        shallow["quality"] = [_renamed(each) for each in element["quality"]]
    return shallow


def _renamed(entry: Any) -> Any:
    """Return the quality entry, with a deprecated `rule` copied to `metric`."""
    old = isinstance(entry, dict) and "rule" in entry and "metric" not in entry
    return {**entry, "metric": entry["rule"]} if old else entry


_STUB = {"name": "", "logicalType": "string"}


def _stubs(elements: list[Any]) -> list[Any]:
    return [] if all(isinstance(each, dict) for each in elements) else [_stub(each) for each in elements]


def _stub(element: Any) -> Any:
    return _STUB if isinstance(element, dict) else element


@cache
def _schema(version: str) -> dict[str, Any]:
    text = resources.files("open_data_contract_standard").joinpath("schema.json").read_text("utf-8")
    schema: dict[str, Any] = json.loads(text)
    return _as_3_1(schema) if version == "v3.1.0" else schema


def _as_3_1(schema: dict[str, Any]) -> dict[str, Any]:
    # The 3.2.0 schema requires a 'map' for each property without a logical type; 3.1.0 does not define that key.
    column = schema["$defs"]["SchemaBaseProperty"]
    types = column["properties"]["logicalType"]
    types["enum"] = [each for each in types["enum"] if each not in NEW_TYPES]
    column["allOf"] = [each for each in column["allOf"] if _condition(each) not in NEW_TYPES]
    schema["required"] = [*schema["required"], "status"]
    return schema


def _condition(part: Mapping[str, Any]) -> Any:
    condition: Mapping[str, Any] = part.get("if", {}).get("properties", {})
    return condition.get("logicalType", {}).get("const")


@cache
def _validator(version: str, definition: str) -> "Validator":
    """Return the validator of the whole document ('') or of one definition of the schema."""
    from jsonschema import Draft201909Validator

    return Draft201909Validator(_definition(version, definition))


@cache
def _acceptor(version: str, definition: str) -> "Draft201909Acceptor":
    from jsonschema_rs import Draft201909Validator

    return Draft201909Validator(_definition(version, definition))


def _definition(version: str, definition: str) -> dict[str, Any]:
    schema = _schema(version)
    if not definition:
        return schema
    return {"$schema": schema["$schema"], "$defs": schema["$defs"], "$ref": f"#/$defs/{definition}"}


def _leaves(errors: Iterable[Refusal]) -> Iterator[Refusal]:
    """Yield the specific errors: of a failed alternative, those within the closest matching form."""
    for error in errors:
        inner = [each for each in error.context or () if each.path]
        if inner and not _about_operators(error):
            depth = max(len(each.path) for each in inner)
            yield from _leaves(each for each in inner if len(each.path) == depth)
        else:
            yield error


def _keep_all(errors: list[Refusal], base: str, faults: Faults) -> None:
    specific = [error for error in errors if error.validator not in UNEXPECTED]
    for error in specific:
        _keep(error, base, faults)
    locations = {fault.where for fault in faults.items if fault.where.startswith(base)}
    for error in errors:
        # A key is also unexpected if the part of the schema that defines it failed for another reason.
        path = _path(error, base)
        if error.validator in UNEXPECTED and not any(each.startswith(path) for each in locations):
            _keep_unexpected(error, path, faults)


def _path(error: Refusal, base: str) -> str:
    for part in error.absolute_path:
        base = join(base, part)
    return base


def _about_operators(error: Refusal) -> bool:
    of_entry = error.validator == "oneOf" and error.validator_value[0].get("required") == ["mustBe"]
    return of_entry and isinstance(error.instance, dict)


def _keep(error: Refusal, base: str, faults: Faults) -> None:
    path = _path(error, base)
    if path == "apiVersion":
        return
    if error.validator == "required":
        _keep_missing(error, path, faults)
    elif _about_operators(error):
        _keep_operators(error, path, faults)
    else:
        faults.add(*_fault_text(error, path))


def _keep_missing(error: Refusal, path: str, faults: Faults) -> None:
    for key in error.validator_value:
        if key not in error.instance and key != "apiVersion":
            missing = "logicalType" if key == "map" and "logicalType" not in error.instance else key
            faults.add("odcs-missing-key", path, f"is missing '{missing}'", f"add '{missing}'")


def _keep_operators(error: Refusal, path: str, faults: Faults) -> None:
    words = [word for word in OPERATORS if word in error.instance]
    if len(words) != 1:
        message = f"has {' and '.join(words)}" if words else "has no operator"
        faults.add("check-operator", path, message, f"use exactly one of {', '.join(OPERATORS)}")
    for each in error.context or ():
        if words == [each.path[0] if each.path else None]:
            faults.add(*_fault_text(each, ".".join([path, words[0]])))


def _keep_unexpected(error: Refusal, path: str, faults: Faults) -> None:
    for key in error.instance:
        # The library reports the keys only in its message.
        if repr(key) in error.message:
            remedy = "move it to 'implementation'" if key in OPERATORS else "remove it"
            faults.add("odcs-unexpected-key", join(path, key), "is not allowed here", remedy)


def _fault_text(error: Refusal, path: str) -> tuple[str, str, str, str]:
    code, message = _SAYINGS.get(str(error.validator), ("odcs-form", _say_form))
    return code, path, message(error.validator_value), _remedy(error)


def _say_form(_: Any) -> str:
    return "does not have the form that the standard requires"


def _say_type(expected: str | list[str]) -> str:
    words = [expected] if isinstance(expected, str) else expected
    return f"is not {' or '.join(JSON_TYPES[each] for each in words)}"


_SAYINGS: dict[str, tuple[str, Callable[[Any], str]]] = {
    "type": ("odcs-type", _say_type),
    "enum": ("odcs-value", lambda allowed: f"is not one of {', '.join(map(str, allowed))}"),
    "const": ("odcs-value", lambda expected: f"is not {expected}"),
    "pattern": ("odcs-pattern", lambda pattern: f"does not match {pattern}"),
    "minimum": ("odcs-value", lambda least: f"is less than {least}"),
    "minItems": ("odcs-length", lambda least: f"has fewer than {least} items"),
    "maxItems": ("odcs-length", lambda most: f"has more than {most} items"),
    "uniqueItems": ("odcs-length", lambda _: "has duplicate items"),
}


def _remedy(error: Refusal) -> str:
    if error.validator == "enum" and isinstance(error.instance, str):
        return suggest_nearest(error.instance, [each for each in error.validator_value if isinstance(each, str)])
    if error.validator == "type" and error.validator_value == "string":
        return "put it in quotes"
    return ""
