"""Parse strict YAML 1.2 core as plain data, with the line of each path.

Nodes are built from libyaml's events rather than with its composer, so that depth and aliases are known before anything
is built: a small text can neither expand nor overflow the stack."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import yaml

from treaty.contracts.errors import ROOT, ContractError, Fault, Faults

MAX_BYTES = 256 * 1024
MAX_DEPTH = 50
MAX_NUMBER = 64
NULLS = frozenset({"", "~", "null", "Null", "NULL"})
TRUE = frozenset({"true", "True", "TRUE"})
FALSE = frozenset({"false", "False", "FALSE"})
INTEGER = re.compile(r"[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+")
DECIMAL = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?")
SPECIAL = re.compile(r"[-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN)")


@dataclass(frozen=True)
class YamlDocument:
    """A document as plain data, and the line of each path in it. The root's path is ''."""

    data: dict[str, Any]
    lines: dict[str, int]


@dataclass
class _Node:
    """An open mapping or sequence. `key`: the mapping key whose value is pending."""

    value: Any
    path: str
    key: str | None = None
    first: dict[str, int] = field(default_factory=dict)


def parse(source: bytes) -> YamlDocument:
    """Return the document in `source`. Raises ContractError with all faults that were found."""
    text = _decode(source)
    builder = _Builder()
    try:
        for event in yaml.parse(text, Loader=yaml.CSafeLoader):
            builder.take(event)
    except yaml.YAMLError as error:
        builder.faults.items.append(_syntax_fault(error))
    if not builder.faults.items and not isinstance(builder.root, dict):
        builder.faults.add("yaml-root", "", "is not a mapping", "start with 'apiVersion: v3.1.0'")
    builder.faults.settle()
    return YamlDocument(builder.root, builder.lines)


def resolve(scalar: str) -> Any:
    """Return the value of a plain scalar in YAML 1.2 core.

    Raises ValueError for NaN, infinities and overlong numbers."""
    if scalar in NULLS:
        return None
    if scalar in TRUE or scalar in FALSE:
        return scalar in TRUE
    if SPECIAL.fullmatch(scalar):
        raise ValueError("is not a finite number")
    if INTEGER.fullmatch(scalar) or DECIMAL.fullmatch(scalar):
        return _number(scalar)
    return scalar


def join(path: str, part: str | int) -> str:
    """Return the path of a member: keys are joined by dots, indexes are in brackets."""
    if isinstance(part, int):
        return f"{path}[{part}]"
    return f"{path}.{part}" if path else part


def _decode(source: bytes) -> str:
    if len(source) > MAX_BYTES:
        remedy = "split the contract: one for each group of tables"
        raise ContractError(
            [Fault(code="text-size", where=ROOT, message=f"is longer than {MAX_BYTES // 1024} KiB", remedy=remedy)]
        )
    try:
        return source.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = source.count(b"\n", 0, error.start) + 1
        raise ContractError(
            [Fault(code="text-encoding", where=ROOT, message="is not UTF-8", remedy="save it as UTF-8", line=line)]
        ) from None


def _syntax_fault(error: yaml.YAMLError) -> Fault:
    mark = getattr(error, "problem_mark", None)
    problem = getattr(error, "problem", None) or getattr(error, "reason", None) or "cannot be read"
    return Fault(
        code="yaml-syntax", where=ROOT, message=f"is not YAML: {problem}", line=mark.line + 1 if mark else None
    )


def _number(scalar: str) -> int | float:
    if len(scalar) > MAX_NUMBER:
        raise ValueError(f"is a number with more than {MAX_NUMBER} characters")
    if INTEGER.fullmatch(scalar):
        return int(scalar, {"0o": 8, "0x": 16}.get(scalar[:2], 10))
    number = float(scalar)
    if number in (float("inf"), float("-inf")):
        raise ValueError("is not a finite number")
    return number


class _Builder:
    """Build plain data from a stream of events."""

    def __init__(self) -> None:
        self.lines: dict[str, int] = {}
        self.faults = Faults(self.lines)
        self.root: Any = None
        self.stack: list[_Node] = []
        self.documents = 0
        self.at = 0

    def take(self, event: yaml.Event) -> None:
        """Add one event. Raises ContractError if reading on would be unsafe or pointless."""
        self.at = event.start_mark.line + 1 if event.start_mark else self.at
        match event:
            case yaml.DocumentStartEvent():
                self._document()
            case yaml.AliasEvent():
                self._fault("yaml-alias", "is an alias", "write the value out")
                self._put(None)
            case yaml.ScalarEvent():
                self._scalar(event)
            case yaml.CollectionStartEvent():
                self._open(event)
            case yaml.CollectionEndEvent():
                self.stack.pop()

    def _document(self) -> None:
        self.documents += 1
        if self.documents > 1:
            self._fault("yaml-documents", "is a second document", "use one file per contract")
            self.faults.settle()

    def _open(self, event: yaml.CollectionStartEvent) -> None:
        self._refuse_marks(event)
        value: Any = {} if isinstance(event, yaml.MappingStartEvent) else []
        path = self._put(value)
        self.stack.append(_Node(value, path))
        if len(self.stack) > MAX_DEPTH:
            self._fault("yaml-depth", f"is nested deeper than {MAX_DEPTH} levels", "flatten it")
            self.faults.settle()

    def _scalar(self, event: yaml.ScalarEvent) -> None:
        self._refuse_marks(event)
        if not event.implicit[0]:
            self._put(event.value)
            return
        try:
            self._put(resolve(event.value), text=event.value)
        except ValueError as error:
            self._fault("yaml-number", str(error), "write a finite number")
            self._put(None)

    def _put(self, value: Any, *, text: str | None = None) -> str:
        """Store a finished or just opened value in the open node, and return its path."""
        self.lines.setdefault(self._path(), self.at)
        if not self.stack:
            self.root = value
            return ""
        node = self.stack[-1]
        if isinstance(node.value, list):
            path = self._path()
            node.value.append(value)
            return path
        if node.key is None:
            return self._take_key(node, value, merge=text == "<<")
        path, key = self._path(), node.key
        node.value[key] = value
        node.key = None
        return path

    def _take_key(self, node: _Node, key: Any, *, merge: bool) -> str:
        node.key = key if isinstance(key, str) else f"<{type(key).__name__}>"
        path = join(node.path, node.key)
        if not isinstance(key, str):
            self._fault("yaml-key-type", "has a key that is not a string", "put the key in quotes", node.path)
        if merge:
            self._fault("yaml-merge-key", "is a merge key", "write the keys out", node.path)
        if node.key in node.first:
            message = f"appears twice, on lines {node.first[node.key]} and {self.at}"
            self._fault("yaml-duplicate-key", message, "keep one of the two", path)
        node.first.setdefault(node.key, self.at)
        self.lines.setdefault(path, self.at)
        return path

    def _path(self) -> str:
        """Return the path of the next value."""
        if not self.stack:
            return ""
        node = self.stack[-1]
        if isinstance(node.value, list):
            return join(node.path, len(node.value))
        return node.path if node.key is None else join(node.path, node.key)

    def _refuse_marks(self, event: yaml.NodeEvent) -> None:
        if event.anchor is not None:
            self._fault("yaml-anchor", "has an anchor", "remove the '&' name")
        if getattr(event, "tag", None) is not None:
            self._fault("yaml-tag", "has an explicit tag", "remove the '!' tag; put text in quotes")

    def _fault(self, code: str, message: str, remedy: str, where: str | None = None) -> None:
        path = self._path() if where is None else where
        self.faults.items.append(Fault(code=code, where=path or ROOT, message=message, remedy=remedy, line=self.at))


def walk(value: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """Yield each value within plain data with its path, outermost first."""
    yield path, value
    members = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for part, member in members:
        yield from walk(member, join(path, part))
