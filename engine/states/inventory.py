"""List the states of a packed bag without loading them."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from treaty.contracts.schema import Schema
from treaty.engine.states.bag import Bag, StateBag, _component
from treaty.engine.states.envelope import PackedState, open_bag


@dataclass(frozen=True, kw_only=True)
class StateEntry:
    """A state of a packed bag.

    - `size`: bytes within the bag.
    - `file`: name of its file; None if it is in the bag.
    - `usable`: False if its component has an unknown version.
    - `key_id`: id of the key that its values were hashed with."""

    key: str
    kind: str
    size: int
    file: str | None
    source: str
    usable: bool
    key_id: str = ""


class BagContents(NamedTuple):
    """The schema and states of a packed bag, and by key why others are missing."""

    schema: Schema
    entries: tuple[StateEntry, ...]
    failures: Mapping[str, str]


def describe_bag(packed: Bag) -> tuple[Schema, frozenset[str]]:
    """Return the schema of a bag and its settled keys (usable, or known to fail). Raises StateError."""
    if isinstance(packed, StateBag):
        return packed.schema, frozenset(packed.entries.keys() | packed.failures.keys())
    bag = open_bag(packed)
    usable = {each.key for each in bag.head.states if _component(each) is not None}
    return bag.head.schema, frozenset(usable | bag.failures.keys())


def contents(packed: bytes) -> BagContents:
    """Return the contents of a packed bag. Raises StateError."""
    bag = open_bag(packed)
    return BagContents(bag.head.schema, tuple(map(_state_entry, bag.states)), bag.failures)


def inventory(packed: bytes) -> tuple[tuple[StateEntry, ...], Mapping[str, str]]:
    """Return the states of a packed bag, and by key why others are missing. Raises StateError."""
    _, entries, failures = contents(packed)
    return entries, failures


def _state_entry(packed: PackedState) -> StateEntry:
    (key, kind, *_), usable = packed.described, _component(packed.described) is not None
    return StateEntry(
        key=key,
        kind=kind,
        size=packed.size,
        file=packed.file,
        source=packed.source,
        usable=usable,
        key_id=packed.key_id,
    )
