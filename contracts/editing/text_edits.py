"""Edit single values in a document's text in place; all other bytes stay as written."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import yaml

from treaty.contracts.document.writer import write
from treaty.contracts.document.yaml_syntax import parse
from treaty.contracts.errors import ContractError

BOM = "\ufeff"
STATUS, PROPERTIES = "status", "customProperties"
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


def _place(mark: Any) -> tuple[int, int]:
    """Return the position in the text and the column in the line."""
    return mark.index, mark.column


def _lines(text: str, lines: list[str], indent: str) -> str:
    return (("\r\n" if "\r\n" in text else "\n") + indent).join(lines)
