"""Generate the page of the Python API: functions, classes, errors and modules of `treaty`."""

import inspect
import re
from collections.abc import Iterable, Iterator
from enum import Enum
from typing import Any

import treaty
from docs.generators.markdown import code, docstring, first_line, parameters, prose, table
from treaty.registry.client import Client

INTRODUCTION = """
`treaty` offers these names to programs: `from treaty import Check, verify`. A name is loaded when you first use it, so
`import treaty` is fast and needs no optional package. Modules below `treaty.contracts`, `treaty.engine`,
`treaty.registry` and `treaty.ui` are internal and may change.

Parameters after `*` are passed by name. [Test data in Python](../how-to/test-data-in-python.md) shows complete
examples.
"""
CLIENT = """
Each method calls one route of the [HTTP API](api.md), returns the parsed response and raises `ClientError` if the
request was rejected.
"""
# Parameters that mean the same in every function.
COMMON = {
    "frame": "Spark frame",
    "contract": "Contract to evaluate",
    "limit": "Limit: a number, a text, a date or a time",
    "low": "Smallest permitted value",
    "high": "Largest permitted value",
    "table": "Folder of Parquet files, Delta table, or catalog table with its database (db.orders)",
    "spark": "Spark session",
    "store": "Store of the table's states; None means a folder next to the table",
    "object_name": "Name of the object; None means the contract's first object",
    "partition_by": "Partition columns; None means those of the object",
    "key": "Key that hashes values of classified columns; None stores no states that need one",
    "other_datasets": "Frames of other datasets by name",
    "key_context": "Text that is combined with the key; None means the table's location",
    "arguments": "Arguments of the detector",
    "function": "Function of the value; true means that the value is accepted",
    "words": "Words that complete a sentence such as: the size must ...",
    "disk": "Access to files; tests replace it",
    "now": "Clock; by default the system's",
}
MODULE = re.compile(r"\b(?:[a-z_]+\.)+(?=[A-Z])|\b(?:treaty|typing|collections|pydantic)(?:\.[a-z_]+)*\.")
INHERITED = {"BaseModel", "object"}


def page() -> Iterator[str]:
    """Generate the page."""
    yield "# Python API"
    yield INTRODUCTION
    names = {name: getattr(treaty, name) for name in treaty.__all__}
    sections = {
        "Functions": {name: each for name, each in names.items() if inspect.isfunction(each)},
        "Classes": {name: each for name, each in names.items() if inspect.isclass(each) and not is_error(each)},
        "Errors": {name: each for name, each in names.items() if is_error(each)},
        "Modules": {name: each for name, each in names.items() if inspect.ismodule(each)},
    }
    for title, members in sections.items():
        yield f"## {title}\n"
        rows = ((f"[`{name}`](#{name.lower()})", summary(each)) for name, each in members.items())
        yield from table(("Name", "Purpose"), rows if title != "Errors" else ())
        for name, each in members.items():
            yield from _described(name, each)


def is_error(member: Any) -> bool:
    """Return whether a member is a class of exceptions."""
    return inspect.isclass(member) and issubclass(member, Exception)


def summary(member: Any) -> str:
    """Return the first paragraph of a member's docstring, as a sentence."""
    text = first_line(prose(docstring(member)))
    return text if text.endswith((".", ":")) else f"{text}."


def _described(name: str, member: Any) -> Iterator[str]:
    yield f"### `{name}`\n"
    text = docstring(member)
    if inspect.isfunction(member):
        yield f"```text\n{name}{signature(member)}\n```\n"
    yield prose(text) + "\n"
    if inspect.isfunction(member):
        yield from _parameters(member)
    elif inspect.ismodule(member):
        yield from _functions(name, member)
    elif not is_error(member):
        yield from _attributes(parameters(text))
        yield from _methods(name, member)
    else:
        yield from _attributes(parameters(text))


def description(function: Any, parameter: str) -> str:
    """Return the description of a parameter; "" for none."""
    return parameters(docstring(function)).get(parameter) or COMMON.get(parameter, "")


def _parameters(function: Any) -> Iterator[str]:
    rows = []
    for each in inspect.signature(function).parameters.values():
        default = "required" if each.default is each.empty else code(_default(each.default))
        text = description(function, each.name)
        rows.append((code(each.name), code(_annotation(each.annotation)), default, text))
    yield from table(("Parameter", "Type", "Default", "Description"), rows)


def _attributes(described: dict[str, str]) -> Iterator[str]:
    yield from table(("Attribute or argument", "Description"), ((code(name), text) for name, text in described.items()))


def _methods(name: str, kind: type) -> Iterator[str]:
    if kind is Client:
        yield CLIENT.strip() + "\n"
    yield from table(
        ("Member", "Purpose"),
        ((code(f"{each}{signature(member)}"), summary(member)) for each, member in methods(kind)),
    )


def methods(kind: type) -> Iterable[tuple[str, Any]]:
    """Return the public methods of a class that treaty itself defines, by name."""
    found = inspect.getmembers(kind, lambda each: inspect.isfunction(each) or inspect.ismethod(each))
    return [
        (name, each)
        for name, each in found
        if not name.startswith("_") and each.__module__.startswith("treaty") and docstring(each)
    ]


def _functions(name: str, module: Any) -> Iterator[str]:
    offered = getattr(module, "__all__", None) or [
        each
        for each, member in vars(module).items()
        if inspect.isfunction(member) and member.__module__ == module.__name__ and not each.startswith("_")
    ]
    rows = []
    for each in sorted(offered):
        member = getattr(module, each)
        shown = f"{name}.{each}{signature(member) if inspect.isfunction(member) else ''}"
        rows.append((code(shown), summary(member) if member.__doc__ else ""))
    yield from table(("Member", "Purpose"), rows)


def signature(function: Any) -> str:
    """Return the parameters by name, with defaults that are plain values."""
    written, is_named = [], False
    for each in inspect.signature(function).parameters.values():
        if each.name == "self":
            continue
        if each.kind is each.KEYWORD_ONLY and not is_named:
            written.append("*")
        is_named = is_named or each.kind in (each.KEYWORD_ONLY, each.VAR_POSITIONAL)
        stars = {each.VAR_POSITIONAL: "*", each.VAR_KEYWORD: "**"}.get(each.kind, "")
        default = "" if each.default is each.empty else f"={_default(each.default)}"
        written.append(f"{stars}{each.name}{default}")
    return f"({', '.join(written)})"


def _default(value: Any) -> str:
    if isinstance(value, Enum):
        return repr(value.value)
    return repr(value) if value is None or isinstance(value, str | int | float | tuple) else "..."


def _annotation(annotation: Any) -> str:
    """Return the type as written, without the names of modules."""
    if annotation is inspect.Parameter.empty:
        return ""
    written = annotation if isinstance(annotation, str) else inspect.formatannotation(annotation)
    return MODULE.sub("", written).replace("NoneType", "None")
