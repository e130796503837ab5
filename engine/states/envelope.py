"""Define the byte format of a bag of states: a head shared by bags of one plan, then the bag's own part.

    magic | length | head: format, schema, key, kind, version and plainness of each state, as JSON
          | length | own: plain values, sizes of the others, files, sources, failures, as JSON
          | the others' bytes | sha256

A history has thousands of bags with the same head, which is parsed once; plain values are parsed all at once."""

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
    """Descriptor of a state in a packed bag.

    `plain`: stored as a value encoded by `codec`, not as bytes."""

    key: str
    kind: str
    version: int
    plain: bool


# Never modified; not frozen because that triples the time to create one, and a bag has thousands.
@dataclass(slots=True, kw_only=True)
class PackedState:
    """A state in a packed bag: an encoded value, bytes, or the name of a file.

    `key_id`: id of the key that its values were hashed with. `transient_reason`: why it must not be stored; '' if it
    may."""

    described: StateDescriptor
    content: Any
    source: str = SCANNED
    file: str | None = None
    key_id: str = ""
    transient_reason: str = ""

    @property
    def size(self) -> int:
        """Return its number of bytes within the bag."""
        return len(codec.written(self.content) if self.described.plain else self.content)


class BagHeader(NamedTuple):
    """The common part of bags of one plan on one schema."""

    schema: Schema
    states: tuple[StateDescriptor, ...]


class OpenedBag(NamedTuple):
    """A packed bag whose checksum was verified.

    `failures`: by component key, why a state is missing."""

    head: BagHeader
    failures: Mapping[str, str]
    states: tuple[PackedState, ...]


def seal_bag(schema: Schema, states: Iterable[PackedState], failures: Mapping[str, str]) -> bytes:
    """Serialize a bag; the bytes do not depend on the order of the states."""
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
    # Most bags have neither; only states of classified columns do.
    keys = {each.described.key: each.key_id for each in ordered if each.key_id}
    transient = {each.described.key: each.transient_reason for each in ordered if each.transient_reason}
    own |= {word: entries for word, entries in (("keys", keys), ("passing", transient)) if entries}
    head = {"format": FORMAT, "schema": columns, "states": [each.described for each in ordered]}
    body = b"".join([MAGIC, _block(head), _block(own), *blobs])
    return body + hashlib.sha256(body).digest()


def _block(document: Mapping[str, Any]) -> bytes:
    encoded = codec.written(document)
    return len(encoded).to_bytes(_LENGTH, "big") + encoded


def open_bag(packed: bytes) -> OpenedBag:
    """Parse the bag without loading states. Raises StateError if it is damaged or has another format."""
    body, checksum = packed[:-_SUM], packed[-_SUM:]
    if body[: len(MAGIC)] != MAGIC:
        raise StateError("these bytes are not packed states: the first four bytes differ")
    if hashlib.sha256(body).digest() != checksum:
        raise StateError("the packed states are damaged: the checksum differs; compute the partition again")
    header, rest = _cut(body[len(MAGIC) :])
    head = _head(header)
    own, blobs = _cut(rest)
    content = json.loads(own)
    return OpenedBag(head, content["failures"], _lying(head, content, blobs))


def _cut(content: bytes) -> tuple[bytes, bytes]:
    end = _LENGTH + int.from_bytes(content[:_LENGTH], "big")
    return content[_LENGTH:end], content[end:]


@lru_cache(maxsize=256)
def _head(written: bytes) -> BagHeader:
    header = json.loads(written)
    if header["format"] != FORMAT:
        message = f"packed states of format {header['format']} cannot be read by this version, which reads {FORMAT}"
        raise StateError(f"{message}; compute the partition again")
    schema = Schema(tuple(Column(*column) for column in header["schema"]))
    return BagHeader(schema, tuple(StateDescriptor(*each) for each in header["states"]))


def _lying(head: BagHeader, own: Mapping[str, Any], blobs: bytes) -> tuple[PackedState, ...]:
    values, cuts = iter(own["values"]), pairwise(accumulate(own["sizes"], initial=0))
    files, sources = own["files"], own["sources"]
    contents = (next(values) if each.plain else blobs[slice(*next(cuts))] for each in head.states)
    keys, transient = own.get("keys", {}), own.get("passing", {})
    if not (files or sources or keys or transient):
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
            transient_reason=transient.get(each.key, ""),
        )
        for each, content in zip(head.states, contents, strict=True)
    )
