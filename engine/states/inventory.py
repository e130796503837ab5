"""List what a packed bag of states holds, without loading the states."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from treaty.contracts.schema import Schema
from treaty.engine.states.bag import Bag, StateBag, _component
from treaty.engine.states.envelope import PackedState, open_bag


@dataclass(frozen=True, kw_only=True)
class StateEntry:
    """One state of a packed bag: its bytes within it, or the name of the file where it lies. Not `usable`: its
    component is of a version unknown here. `key_id`: of the key that its values were hashed with."""

    key: str
    kind: str
    size: int
    file: str | None
    source: str
    usable: bool
    key_id: str = ""


class BagContents(NamedTuple):
    """The schema of a packed bag, what it holds, none of it read, and why other states are not there, by key."""

    schema: Schema
    entries: tuple[StateEntry, ...]
    failures: Mapping[str, str]


def describe_bag(packed: Bag) -> tuple[Schema, frozenset[str]]:
    """The schema and the settled component keys (usable, or known to fail) of a bag. Raises StateError."""
    if isinstance(packed, StateBag):
        return packed.schema, frozenset(packed.entries.keys() | packed.failures.keys())
    bag = open_bag(packed)
    usable = {each.key for each in bag.head.states if _component(each) is not None}
    return bag.head.schema, frozenset(usable | bag.failures.keys())


def contents(packed: bytes) -> BagContents:
    """The contents of a packed bag. Raises StateError."""
    bag = open_bag(packed)
    return BagContents(bag.head.schema, tuple(map(_state_entry, bag.states)), bag.failures)


def inventory(packed: bytes) -> tuple[tuple[StateEntry, ...], Mapping[str, str]]:
    """What a packed bag holds, none of it read, and why other states are not there, by key. Raises StateError."""
    _, held, failures = contents(packed)
    return held, failures


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
