"""How a bag of states lies in bytes: what bags of one plan have in common first, then what is this bag's own.

    magic | length | head: format, schema, key, kind, version and plainness of each state, as JSON
          | length | own: plain values, sizes of the others, files, sources, failures, as JSON
          | the others' bytes | sha256

A history has thousands of bags with the same head, which is read once; plain values are read all at once."""

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate, pairwise
from typing import Any, NamedTuple

from treaty.contracts.schema import Column, Schema
from treaty.engine.components import codec
from treaty.engine.core.errors import StateError
from treaty.engine.core.results import SCANNED

MAGIC = b"TRTY"
FORMAT = 2
_SUM, _LENGTH = 32, 4


class StateDescriptor(NamedTuple):
    """A state of a packed bag. `plain`: it lies there as a value that `codec` encodes, not as bytes."""

    key: str
    kind: str
    version: int
    plain: bool


# Nobody changes one; to freeze it takes three times as long to make it, and a bag holds thousands.
@dataclass(slots=True, kw_only=True)
class PackedState:
    """A state as it lies in a packed bag: an encoded value or bytes; or in a file, whose name it has.

    `key_id`: of the key that its values were hashed with. `transient_reason`: why it is handed on and never stored."""

    described: StateDescriptor
    content: Any
    source: str = SCANNED
    file: str | None = None
    key_id: str = ""
    transient_reason: str = ""

    @property
    def size(self) -> int:
        """How many bytes it takes within the bag."""
        return len(codec.written(self.content) if self.described.plain else self.content)


class BagHeader(NamedTuple):
    """What bags of one plan on one schema have in common."""

    schema: Schema
    states: tuple[StateDescriptor, ...]


class OpenedBag(NamedTuple):
    """A packed bag whose checksum is right. `failures`: by component key, why a state is not there."""

    head: BagHeader
    failures: Mapping[str, str]
    states: tuple[PackedState, ...]


def seal_bag(schema: Schema, states: Iterable[PackedState], failures: Mapping[str, str]) -> bytes:
    """The bytes of a bag: the same for the same states, in whatever order they are given."""
    ordered = sorted(states, key=lambda each: each.described.key)
    columns = [[column.name, column.type, column.nullable] for column in schema]
    blobs = [each.content for each in ordered if not each.described.plain]
    own = {
        "values": [each.content for each in ordered if each.described.plain],
        "sizes": list(map(len, blobs)),
        "files": {each.described.key: each.file for each in ordered if each.file},
        "sources": {each.described.key: each.source for each in ordered if each.source != SCANNED},
        "failures": dict(failures),
    }
    # Most bags have neither: only states of classified columns do.
    keys = {each.described.key: each.key_id for each in ordered if each.key_id}
    passing = {each.described.key: each.transient_reason for each in ordered if each.transient_reason}
    own |= {word: told for word, told in (("keys", keys), ("passing", passing)) if told}
    head = {"format": FORMAT, "schema": columns, "states": [each.described for each in ordered]}
    body = b"".join([MAGIC, _block(head), _block(own), *blobs])
    return body + hashlib.sha256(body).digest()


def _block(document: Mapping[str, Any]) -> bytes:
    written = codec.written(document)
    return len(written).to_bytes(_LENGTH, "big") + written


def open_bag(packed: bytes) -> OpenedBag:
    """The bag as it lies in these bytes, no state read. Raises StateError for what is damaged or of another format."""
    body, checksum = packed[:-_SUM], packed[-_SUM:]
    if body[: len(MAGIC)] != MAGIC:
        raise StateError("these bytes are no packed states: the first four differ")
    if hashlib.sha256(body).digest() != checksum:
        raise StateError("the packed states are damaged: the checksum differs; compute the partition again")
    written, rest = _cut(body[len(MAGIC) :])
    head = _head(written)
    own, blobs = _cut(rest)
    found = json.loads(own)
    return OpenedBag(head, found["failures"], _lying(head, found, blobs))


def _cut(content: bytes) -> tuple[bytes, bytes]:
    end = _LENGTH + int.from_bytes(content[:_LENGTH], "big")
    return content[_LENGTH:end], content[end:]


@lru_cache(maxsize=256)
def _head(written: bytes) -> BagHeader:
    found = json.loads(written)
    if found["format"] != FORMAT:
        told = f"packed states of format {found['format']} cannot be read by this version, which reads {FORMAT}"
        raise StateError(f"{told}; compute the partition again")
    schema = Schema(tuple(Column(*column) for column in found["schema"]))
    return BagHeader(schema, tuple(StateDescriptor(*each) for each in found["states"]))


def _lying(head: BagHeader, own: Mapping[str, Any], blobs: bytes) -> tuple[PackedState, ...]:
    values, cuts = iter(own["values"]), pairwise(accumulate(own["sizes"], initial=0))
    files, sources = own["files"], own["sources"]
    contents = (next(values) if each.plain else blobs[slice(*next(cuts))] for each in head.states)
    keys, passing = own.get("keys", {}), own.get("passing", {})
    if not (files or sources or keys or passing):
        return tuple(
            PackedState(described=each, content=content) for each, content in zip(head.states, contents, strict=True)
        )
    return tuple(
        PackedState(
            described=each,
            content=content,
            source=sources.get(each.key, SCANNED),
            file=files.get(each.key),
            key_id=keys.get(each.key, ""),
            transient_reason=passing.get(each.key, ""),
        )
        for each, content in zip(head.states, contents, strict=True)
    )
