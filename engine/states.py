"""Bags of states: all that was computed of a partition at one reading, mergeable, packed with header and checksum."""

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property, reduce
from typing import Any, Protocol

import engine.analyzers  # noqa: F401 - fills the table of components
from contracts.logical_types import Column, Schema
from engine.analyzers.components import COMPONENTS, Component
from engine.plan import ROWS, Plan
from engine.results import MIXED, SCANNED

ALL = "*"
MAGIC = b"TRTY"
FORMAT = 1
UNLIKE = "the column is not of one type in all partitions"
_SUM = 32


class StateError(Exception):
    """A stored state cannot be used. The message names it and says why; the remedy is always to compute it again."""


class Files(Protocol):
    """Where large states lie, outside the packed bag."""

    def write(self, content: bytes) -> str: ...

    def read(self, name: str) -> bytes: ...


@dataclass(frozen=True)
class State:
    """One component's state: the merged value and the component that knows how to merge and write it.

    `source` says where it comes from: SCANNED, or STATED where the files' own statistics told it, or MIXED."""

    component: Component
    value: Any
    source: str = SCANNED

    def merge(self, other: "State") -> "State":
        """The state of both sets of rows. Raises TypeError where the component cannot put the two together."""
        source = self.source if self.source == other.source else MIXED
        return State(self.component, self.component.merge(self.value, other.value), source)


@dataclass(frozen=True)
class States:
    """The states of a set of rows by component key, with the schema they were computed on.

    `failures` says, by component key (`ALL`: for all of them) and without data values, why a state is not there."""

    entries: Mapping[str, State]
    schema: Schema = field(default_factory=lambda: Schema(()))
    failures: Mapping[str, str] = field(default_factory=dict)

    @property
    def rows(self) -> int:
        """How many rows were read."""
        return int(self.entries[ROWS.key].value)

    def failure(self, key: str) -> str | None:
        """Why the state of that key is not there; None where nothing is known of it."""
        return self.failures.get(key) or self.failures.get(ALL)

    @cached_property
    def values(self) -> dict[str, Any]:
        """The merged value of each component by its key."""
        return {key: state.value for key, state in self.entries.items()}

    def only(self, keys: frozenset[str]) -> "States":
        """The states of these keys, those that are there."""
        return replace(self, entries={key: self.entries[key] for key in self.entries.keys() & keys})

    def merge(self, other: "States") -> "States":
        """The states of both sets of rows together: what both know. What only one knows cannot be said of both."""
        merged, failures = {}, {**self.failures, **other.failures}
        for key in sorted(self.entries.keys() & other.entries.keys()):
            mine = self.entries[key]
            try:
                merged[key] = mine.merge(other.entries[key])
            except TypeError:
                failures[key] = UNLIKE
        return States(merged, self.schema, failures)

    def beside(self, other: "States") -> "States":
        """These states with those of another reading of the same rows."""
        return States({**self.entries, **other.entries}, self.schema, {**self.failures, **other.failures})

    def pack(self, files: Files | None = None) -> bytes:
        """Header, states and sha256 as bytes. With `files`, the large ones lie there and the bag points at them."""
        described, payload = [], b""
        for key, state in sorted(self.entries.items()):
            content = state.component.dump(state.value)
            entry: dict[str, Any] = {"key": key, "kind": state.component.kind, "version": state.component.version}
            if state.source != SCANNED:
                entry["source"] = state.source
            if files and state.component.grouping and content:
                entry["file"] = files.write(content)
                content = b""
            described.append(entry | {"size": len(content)})
            payload += content
        header = self._header(described)
        body = MAGIC + len(header).to_bytes(4, "big") + header + payload
        return body + hashlib.sha256(body).digest()

    def _header(self, described: list[dict[str, Any]]) -> bytes:
        columns = [[column.name, column.type, column.nullable] for column in self.schema]
        content = {"format": FORMAT, "schema": columns, "states": described, "failures": dict(self.failures)}
        return json.dumps(content).encode()


Bag = bytes | States


def of(plan: Plan, values: Mapping[str, Any], schema: Schema, *, failures: Mapping[str, str] | None = None) -> States:
    """The states of a plan from the values by component key; a missing value stands for no rows unless it failed."""
    failed, parts = failures or {}, (*plan.scan, *plan.groupings, *plan.apart)
    given = {part.key: State(part.component, values.get(part.key, part.component.zero)) for part in parts}
    return States({key: state for key, state in given.items() if key not in failed}, schema, failed)


def merge(bags: Iterable[States]) -> States | None:
    """All bags together; None for none."""
    given = list(bags)
    return reduce(States.merge, given) if given else None


def unpack(packed: Bag, files: Files | None = None, *, keys: frozenset[str] | None = None) -> States:
    """The bag that `pack` wrote; with `keys`, only those states. Raises StateError for what cannot be trusted.

    States of a component version that is unknown here are left out: they are computed again. A bag that was never
    packed is answered as it is."""
    if isinstance(packed, States):
        return packed if keys is None else packed.only(keys)
    header, payload = _opened(packed)
    entries, start = {}, 0
    for described in header["states"]:
        content = payload[start : start + described["size"]]
        start += described["size"]
        component = _component(described)
        if component is not None and (keys is None or described["key"] in keys):
            value = component.load(_content(described, content, files))
            entries[described["key"]] = State(component, value, described.get("source", SCANNED))
    return States(entries, _schema(header), header["failures"])


def described(packed: Bag) -> tuple[Schema, frozenset[str]]:
    """The schema and the settled component keys (usable, or known to fail) of a bag. Raises StateError."""
    if isinstance(packed, States):
        return packed.schema, frozenset(packed.entries.keys() | packed.failures.keys())
    header, _ = _opened(packed)
    usable = {each["key"] for each in header["states"] if _component(each) is not None}
    return _schema(header), frozenset(usable | header["failures"].keys())


def _schema(header: Mapping[str, Any]) -> Schema:
    return Schema(tuple(Column(*column) for column in header["schema"]))


def _opened(packed: bytes) -> tuple[dict[str, Any], bytes]:
    body, checksum = packed[:-_SUM], packed[-_SUM:]
    if body[:4] != MAGIC:
        raise StateError("these bytes are no packed states: the first four differ")
    if hashlib.sha256(body).digest() != checksum:
        raise StateError("the packed states are damaged: the checksum differs; compute the partition again")
    length = int.from_bytes(body[4:8], "big")
    header = json.loads(body[8 : 8 + length])
    if header["format"] != FORMAT:
        raise StateError(
            f"packed states of format {header['format']} cannot be read by this version, which reads {FORMAT}"
        )
    return header, body[8 + length :]


def _component(described: Mapping[str, Any]) -> Component | None:
    kind = COMPONENTS.get(described["kind"])
    return kind() if kind is not None and kind.version == described["version"] else None


def _content(described: Mapping[str, Any], content: bytes, files: Files | None) -> bytes:
    if "file" not in described:
        return content
    if files is None:
        raise StateError(f"the state {described['key']} lies in a file, and no place of files was given")
    return files.read(described["file"])
