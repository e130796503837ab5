"""Bags of states: all that was computed of a partition at one reading, mergeable, packed with header and checksum."""

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cache, cached_property, reduce
from typing import Any, NamedTuple, Protocol

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
        written = [_written(key, state, files) for key, state in self.entries.items()]
        return _sealed(self.schema, written, self.failures)


class _Packed(NamedTuple):
    """A state as it lies in a packed bag: `described` has its key, kind and version, `content` is what it dumped."""

    described: Mapping[str, Any]
    content: bytes

    @property
    def key(self) -> str:
        return str(self.described["key"])


def _written(key: str, state: State, files: Files | None) -> _Packed:
    content = state.component.dump(state.value)
    described: dict[str, Any] = {"key": key, "kind": state.component.kind, "version": state.component.version}
    if state.source != SCANNED:
        described["source"] = state.source
    if files and state.component.grouping and content:
        described["file"] = files.write(content)
        content = b""
    return _Packed(described, content)


def _sealed(schema: Schema, states: Iterable[_Packed], failures: Mapping[str, str]) -> bytes:
    ordered = sorted(states, key=lambda each: each.key)
    columns = [[column.name, column.type, column.nullable] for column in schema]
    described = [{**each.described, "size": len(each.content)} for each in ordered]
    header = json.dumps({"format": FORMAT, "schema": columns, "states": described, "failures": dict(failures)}).encode()
    body = MAGIC + len(header).to_bytes(4, "big") + header + b"".join(each.content for each in ordered)
    return body + hashlib.sha256(body).digest()


@dataclass(frozen=True)
class Held:
    """One state of a packed bag: its bytes within it, or the name of the file where it lies. Not `usable`: its
    component is of a version unknown here."""

    key: str
    kind: str
    size: int
    file: str | None
    source: str
    usable: bool


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
    schema, failures, lying = _opened(packed)
    entries = {}
    for each in lying:
        key = each.key
        if (keys is None or key in keys) and (component := _component(each)) is not None:
            value = component.load(_content(each, files))
            entries[key] = State(component, value, each.described.get("source", SCANNED))
    return States(entries, schema, failures)


def joined(stored: bytes, added: bytes) -> bytes:
    """The packed states of one partition from two readings of it, with the schema of the later; no state is opened.

    Where both have a state, that of `added` counts. Raises StateError: one is damaged, or they read other rows."""
    (_, failed, old), (schema, failing, new) = _opened(stored), _opened(added)
    if _rows(old) != _rows(new):
        raise StateError("the partition was read twice and had another number of rows: compute it again")
    states = {each.key: each for each in (*old, *new)}
    failures = {key: why for key, why in {**failed, **failing}.items() if key not in states}
    return _sealed(schema, states.values(), failures)


def _rows(lying: Iterable[_Packed]) -> bytes | None:
    return next((each.content for each in lying if each.key == ROWS.key), None)


def described(packed: Bag) -> tuple[Schema, frozenset[str]]:
    """The schema and the settled component keys (usable, or known to fail) of a bag. Raises StateError."""
    if isinstance(packed, States):
        return packed.schema, frozenset(packed.entries.keys() | packed.failures.keys())
    schema, failures, lying = _opened(packed)
    usable = {each.key for each in lying if _component(each) is not None}
    return schema, frozenset(usable | failures.keys())


def inventory(packed: bytes) -> tuple[tuple[Held, ...], Mapping[str, str]]:
    """What a packed bag holds, none of it loaded, and why other states are not there, by key. Raises StateError."""
    _, failures, lying = _opened(packed)
    return tuple(map(_held, lying)), failures


def _held(packed: _Packed) -> Held:
    plain = {name: packed.described[name] for name in ("key", "kind", "size")}
    source = packed.described.get("source", SCANNED)
    return Held(**plain, file=packed.described.get("file"), source=source, usable=_component(packed) is not None)


def _opened(packed: bytes) -> tuple[Schema, Mapping[str, str], tuple[_Packed, ...]]:
    """The schema, the failures and the states as they lie. Raises StateError."""
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
    schema = Schema(tuple(Column(*column) for column in header["schema"]))
    return schema, header["failures"], tuple(_lying(header["states"], body[8 + length :]))


def _lying(described: Iterable[Mapping[str, Any]], payload: bytes) -> Iterator[_Packed]:
    start = 0
    for each in described:
        yield _Packed(each, payload[start : start + each["size"]])
        start += each["size"]


def _component(packed: _Packed) -> Component | None:
    kind = COMPONENTS.get(packed.described["kind"])
    return _made(kind.kind) if kind is not None and kind.version == packed.described["version"] else None


@cache
def _made(kind: str) -> Component:
    return COMPONENTS[kind]()


def _content(packed: _Packed, files: Files | None) -> bytes:
    if "file" not in packed.described:
        return packed.content
    if files is None:
        raise StateError(f"the state {packed.key} lies in a file, and no place of files was given")
    return files.read(packed.described["file"])
