"""A document's text with a word of its head changed in place: every other byte stays as its author wrote it."""

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
    """The root mapping of a text: whether it is written in braces, and where each of its keys and values begins."""

    braces: bool = False
    members: dict[str, Member] = field(default_factory=dict)


def with_status(source: bytes, status: str) -> bytes:
    """The document with that status, byte for byte the same where it has it. Raises ContractError for no document."""
    data = parse(source).data
    if data.get(STATUS) == status:
        return source
    text = source.decode()
    return _sound(_status_put(text, status), {**data, STATUS: status})


def with_property(source: bytes, name: str, value: str) -> bytes:
    """The document with that custom property as its first one. A document that had one of that name is written anew.

    Raises ContractError for no document."""
    data = parse(source).data
    entry = {"property": name, "value": value}
    others = [each for each in data.get(PROPERTIES) or () if each.get("property") != name]
    return _sound(_property_put(source.decode(), entry), {**data, PROPERTIES: [entry, *others]})


def _sound(text: str, wanted: Mapping[str, Any]) -> bytes:
    """The text where it says exactly what is wanted; else that written anew, as of a text in an uncommon layout."""
    try:
        return text.encode() if parse(text.encode()).data == wanted else write(wanted)
    except ContractError:
        return write(wanted)


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
    """What no place in the text counts, and the text."""
    return (BOM, text[1:]) if text.startswith(BOM) else ("", text)


def _status_put(text: str, status: str) -> str:
    mark, text = _split(text)
    _, value = _head(text).members[STATUS]
    start, end = _place(value.start_mark)[0], _place(value.end_mark)[0]
    style = getattr(value, "style", None) or ""
    said = {"": status, "'": f"'{status}'", '"': f'"{status}"'}.get(style, f"{status}\n")
    return mark + text[:start] + (said if end > start else f" {said}") + text[end:]


def _property_put(text: str, entry: Mapping[str, str]) -> str:
    mark, text = _split(text)
    head = _head(text)
    listed = head.members.get(PROPERTIES)
    before = listed[1] if listed else head.members[STATUS][0]
    start, column = _place(before.start_mark)
    indent = " " * column
    in_line = json.dumps(entry)
    lines = [f"- property: {entry['property']}", f"  value: {json.dumps(entry['value'])}"]
    if listed and getattr(before, "flow_style", False):
        start, put = start + 1, in_line + ("" if text[start + 1 :].lstrip().startswith("]") else ", ")
    elif listed:
        put = _lines(text, [*lines, ""], indent)
    elif head.braces:
        put = f'"{PROPERTIES}": [{in_line}], '
    else:
        put = _lines(text, [f"{PROPERTIES}:", *(f"  {each}" for each in lines), ""], indent)
    return mark + text[:start] + put + text[start:]


def _place(mark: Any) -> tuple[int, int]:
    """Where in the text, and where in its line."""
    return mark.index, mark.column


def _lines(text: str, lines: list[str], indent: str) -> str:
    return (("\r\n" if "\r\n" in text else "\n") + indent).join(lines)
