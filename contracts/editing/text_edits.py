"""Edit single values in a document's text in place; all other bytes stay as written."""

import json
import re
from collections.abc import Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, field
from functools import reduce
from typing import Any

import yaml

from treaty.contracts.document.writer import write
from treaty.contracts.document.yaml_syntax import parse
from treaty.contracts.errors import ContractError

BOM = "\ufeff"
STATUS, PROPERTIES, OPTIONS = "status", "customProperties", "logicalTypeOptions"
_PLACE = re.compile(r"[^.\[\]]+")
Member = tuple[yaml.NodeEvent, yaml.NodeEvent]


@dataclass
class _Head:
    """The root mapping of a text: whether it is in braces, and its keys and values with positions."""

    braces: bool = False
    members: dict[str, Member] = field(default_factory=dict)


def with_status(source: bytes, status: str) -> bytes:
    """Return the document with this status, unchanged if it already has it.

    Raises ContractError if the source is not a document."""
    data = parse(source).data
    if data.get(STATUS) == status:
        return source
    text = source.decode()
    return _sound(_status_put(text, status), {**data, STATUS: status})


def with_property(source: bytes, name: str, value: str) -> bytes:
    """Return the document with this custom property in first place.

    A document that already has a property with this name is rewritten as a whole. Raises ContractError if the source is
    not a document."""
    data = parse(source).data
    entry = {"property": name, "value": value}
    remaining = [each for each in data.get(PROPERTIES) or () if each.get("property") != name]
    return _sound(_property_put(source.decode(), entry), {**data, PROPERTIES: [entry, *remaining]})


def with_option(source: bytes, path: str, name: str, value: str) -> bytes:
    """Return the document with this logicalTypeOption at the property of that path.

    `path`: of a property without this option. Raises ContractError if the source is not a document."""
    data = deepcopy(dict(parse(source).data))
    places = [int(each) if each.isdigit() else each for each in _PLACE.findall(path)]
    element: Any = data
    for place in places:
        element = element[place]
    element[OPTIONS] = {name: value, **(element.get(OPTIONS) or {})}
    return _sound(_option_put(source.decode(), places, name, value), data)


def _sound(text: str, expected: Mapping[str, Any]) -> bytes:
    """Return the text if it parses to the expected data; otherwise (uncommon layouts) write that data."""
    try:
        return text.encode() if parse(text.encode()).data == expected else write(expected)
    except ContractError:
        return write(expected)


def _head(text: str) -> _Head:
    head, depth, key = _Head(), 0, None
    for event in yaml.parse(text, Loader=yaml.CSafeLoader):
        if isinstance(event, yaml.NodeEvent) and depth == 1:
            if key is not None:
                head.members[getattr(key, "value", "")] = (key, event)
            key = event if key is None else None
        if isinstance(event, yaml.CollectionStartEvent):
            head.braces = head.braces or (depth == 0 and bool(event.flow_style))
            depth += 1
        elif isinstance(event, yaml.CollectionEndEvent):
            depth -= 1
    return head


def _split(text: str) -> tuple[str, str]:
    """Return the byte order mark and the rest of the text; positions do not count the mark."""
    return (BOM, text[1:]) if text.startswith(BOM) else ("", text)


def _status_put(text: str, status: str) -> str:
    mark, text = _split(text)
    _, value = _head(text).members[STATUS]
    start, end = _place(value.start_mark)[0], _place(value.end_mark)[0]
    style = getattr(value, "style", None) or ""
    scalar = {"": status, "'": f"'{status}'", '"': f'"{status}"'}.get(style, f"{status}\n")
    return mark + text[:start] + (scalar if end > start else f" {scalar}") + text[end:]


def _property_put(text: str, entry: Mapping[str, str]) -> str:
    mark, text = _split(text)
    head = _head(text)
    member = head.members.get(PROPERTIES)
    before = member[1] if member else head.members[STATUS][0]
    start, column = _place(before.start_mark)
    indent = " " * column
    in_line = json.dumps(entry)
    lines = [f"- property: {entry['property']}", f"  value: {json.dumps(entry['value'])}"]
    if member and getattr(before, "flow_style", False):
        start, insertion = start + 1, in_line + ("" if text[start + 1 :].lstrip().startswith("]") else ", ")
    elif member:
        insertion = _lines(text, [*lines, ""], indent)
    elif head.braces:
        insertion = f'"{PROPERTIES}": [{in_line}], '
    else:
        insertion = _lines(text, [f"{PROPERTIES}:", *(f"  {each}" for each in lines), ""], indent)
    return mark + text[:start] + insertion + text[start:]


def _option_put(text: str, places: Sequence[int | str], name: str, value: str) -> str:
    """Put the option before the first key of the property, or of its options."""
    mark, text = _split(text)
    element: Any = reduce(_inner, places, yaml.compose(text, Loader=yaml.CSafeLoader))
    options = next((each for key, each in element.value if key.value == OPTIONS), None)
    target, key, written = (options, name, value) if options else (element, OPTIONS, {name: value})
    if not target.value:
        return mark + text
    start, column = _place(target.value[0][0].start_mark)
    if target.flow_style:
        insertion = f"{json.dumps(key)}: {json.dumps(written)}, "
    else:
        insertion = _lines(text, [f"{key}: {json.dumps(written)}", ""], " " * column)
    return mark + text[:start] + insertion + text[start:]


def _inner(node: Any, place: int | str) -> Any:
    """Return the node at a position of a list or a key of a mapping."""
    if isinstance(place, int):
        return node.value[place]
    return next(value for key, value in node.value if key.value == place)


def _place(mark: Any) -> tuple[int, int]:
    """Return the position in the text and the column in the line."""
    return mark.index, mark.column


def _lines(text: str, lines: list[str], indent: str) -> str:
    return (("\r\n" if "\r\n" in text else "\n") + indent).join(lines)
