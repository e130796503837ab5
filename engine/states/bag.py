"""Bags of states: all that was computed of a partition at one reading, mergeable, packed with header and checksum."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, cached_property, reduce
from itertools import islice
from typing import Any, Protocol

import treaty.engine.analyzers  # noqa: F401 - fills the table of components
from treaty.contracts.schema import Schema
from treaty.engine.analyzers.bound import BoundComponent
from treaty.engine.components import codec
from treaty.engine.components.base import COMPONENTS, Component
from treaty.engine.core.errors import StateError as StateError
from treaty.engine.core.hash_key import HashKey
from treaty.engine.core.results import MIXED, SCANNED
from treaty.engine.states.envelope import OpenedBag, PackedState, StateDescriptor, open_bag, seal_bag
from treaty.engine.states.planning.scan_plan import ROWS, Plan
from treaty.engine.states.schema_evolution import is_of_none, union, unlike

ALL = "*"
UNLIKE = "{} is not of one type in all partitions"
KEYS_DIFFER = "its values were hashed with different keys: validate all partitions again"
CLASSIFIED = "it is not kept: it holds values of a column that the contract classifies"
KEYLESS = "it is not kept: the contract classifies its column, and no key file was given to hash the values with"
# Why states that were computed are not stored; nobody can compute them again from what is.
UNKEPT = frozenset({CLASSIFIED, KEYLESS})
# Enough to be merged at once, few enough to be held at once.
MERGE_BATCH = 16


class StateFileStore(Protocol):
    """Where large states lie, outside the packed bag."""

    def write(self, content: bytes) -> str: ...

    def read(self, name: str) -> bytes: ...


# Nobody changes one; to freeze it takes three times as long to make it, and a bag holds thousands.
@dataclass(slots=True, kw_only=True)
class ComponentState:
    """One component's state: the merged value and the component that knows how to merge and write it.

    `source` says where it comes from: SCANNED, or STATED where the files' own statistics told it, or MIXED.
    `key_id`: of the key that its values were hashed with; '' for none. `transient_reason`: why it is not stored; '': it
    is."""

    component: Component
    value: Any
    source: str = SCANNED
    key_id: str = ""
    transient_reason: str = ""


@dataclass(frozen=True)
class StateBag:
    """The states of a set of rows by component key, with the schema they were computed on.

    `failures` says, by component key (`ALL`: for all of them) and without data values, why a state is not there."""

    entries: Mapping[str, ComponentState]
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

    def only(self, keys: frozenset[str]) -> "StateBag":
        """The states of these keys, those that are there."""
        return replace(self, entries={key: self.entries[key] for key in self.entries.keys() & keys})

    def union(self, other: "StateBag") -> "StateBag":
        """These states with those of another reading of the same rows."""
        return StateBag({**self.entries, **other.entries}, self.schema, {**self.failures, **other.failures})

    def pack(self, files: StateFileStore | None = None) -> bytes:
        """What may be stored: header, states and sha256 as bytes, and why others are not among them.

        With `files`, the large ones lie there and the bag points at them."""
        written = [_written(key, state, files) for key, state in self.entries.items() if not state.transient_reason]
        unkept = {key: state.transient_reason for key, state in self.entries.items() if state.transient_reason}
        return seal_bag(self.schema, written, {**self.failures, **unkept})

    def dump_all(self) -> bytes:
        """All states as bytes, to be handed on and never stored."""
        return seal_bag(self.schema, [_written(*entry, None) for entry in self.entries.items()], self.failures)

    @property
    def passing(self) -> "StateBag | None":
        """The states that are not stored, with the number of rows; None where there is none."""
        keys = frozenset(key for key, state in self.entries.items() if state.transient_reason)
        return replace(self.only(keys | {ROWS.key}), failures={}) if keys else None


def _written(key: str, state: ComponentState, files: StateFileStore | None) -> PackedState:
    component = state.component
    described = StateDescriptor(key, component.kind, component.version, component.plain)
    if component.plain:
        return PackedState(
            described=described,
            content=codec.encoded(state.value),
            source=state.source,
            file=None,
            key_id=state.key_id,
            transient_reason=state.transient_reason,
        )
    content, file = component.dump(state.value), None
    if files and component.grouping and content:
        content, file = b"", files.write(content)
    return PackedState(
        described=described,
        content=content,
        source=state.source,
        file=file,
        key_id=state.key_id,
        transient_reason=state.transient_reason,
    )


Bag = bytes | StateBag


def bag_of_plan(
    plan: Plan, values: Mapping[str, Any], schema: Schema, *, failures: Mapping[str, str] | None = None
) -> StateBag:
    """The states of a plan from the values by component key; a missing value stands for no rows unless it failed."""
    failed, parts = failures or {}, (*plan.scan, *plan.groupings, *plan.separate)
    given = {part.key: _state(part, values.get(part.key, part.component.zero), plan.key) for part in parts}
    return StateBag({key: state for key, state in given.items() if key not in failed}, schema, failed)


def _state(part: BoundComponent, value: Any, key: HashKey | None) -> ComponentState:
    keyless = part.keyed and not (key and key.lasting)
    passing = CLASSIFIED if part.is_transient else KEYLESS if keyless else ""
    return ComponentState(
        component=part.component, value=value, key_id=key.id if key and part.keyed else "", transient_reason=passing
    )


def merge(bags: Iterable[StateBag]) -> StateBag | None:
    """All bags together; None for none. So many are held at a time."""
    given, together = iter(bags), None
    while some := list(islice(given, MERGE_BATCH)):
        together = merged(some if together is None else [together, *some])
    return together


def merged(bags: Sequence[StateBag]) -> StateBag:
    """The states of all these bags together, of which there is one at least: what all of them know.

    What only some know cannot be said of all, unless the others have none of the columns: these are null there, and the
    state is that of all (`evolution`). The schema is the first one's, with the columns that only others have."""
    alike: dict[tuple[tuple[str, str], ...], list[StateBag]] = {}
    for bag in bags:
        alike.setdefault(tuple((column.name, column.type) for column in bag.schema), []).append(bag)
    return reduce(_both, map(_alike, alike.values()))


def _alike(bags: Sequence[StateBag]) -> StateBag:
    """Those that were read on columns of the same types."""
    first, *others = bags
    failures = {key: why for bag in bags for key, why in bag.failures.items()}
    entries = {}
    for key in sorted(first.entries.keys()) if others else ():
        try:
            entries[key] = _merged([bag.entries[key] for bag in bags])
        except KeyError:
            continue
        except TypeError:
            failures[key] = _unlike(bag.entries[key] for bag in bags)
    return StateBag(entries, first.schema, failures) if others else first


def _unlike(states: Iterable[ComponentState | PackedState]) -> str:
    """Why they cannot be put together."""
    return KEYS_DIFFER if len({each.key_id for each in states}) > 1 else UNLIKE.format("the column")


def _both(one: StateBag, other: StateBag) -> StateBag:
    """Two that were read on other columns, or on columns of other types."""
    shared = {
        key: unlike(state.component, key, one.schema, other.schema)
        for key, state in one.entries.items()
        if key in other.entries
    }
    schema, mine = union(one.schema, other.schema), frozenset(key for key, column in shared.items() if column is None)
    together = _alike([replace(one.only(mine), schema=schema), replace(other.only(mine), schema=schema)])
    failures = {key: UNLIKE.format(column) for key, column in shared.items() if column}
    entries = {**_alone(one, other), **_alone(other, one), **together.entries}
    return StateBag(entries, schema, {**together.failures, **failures})


def _alone(one: StateBag, other: StateBag) -> dict[str, ComponentState]:
    """The states that the other lacks because it has none of their columns, and that say all there is of both."""
    return {
        key: state
        for key, state in one.entries.items()
        if key not in other.entries and other.failure(key) is None and is_of_none(state.component, key, other.schema)
    }


def _merged(states: Sequence[ComponentState]) -> ComponentState:
    """Raises TypeError where they cannot be put together."""
    component, sources = states[0].component, {each.source for each in states}
    key_id, *others = {each.key_id for each in states}
    if others:
        raise TypeError(KEYS_DIFFER)
    source = sources.pop() if len(sources) == 1 else MIXED
    value = component.merge_all([each.value for each in states])
    return ComponentState(
        component=component,
        value=value,
        source=source,
        key_id=key_id,
        transient_reason=next((each.transient_reason for each in states if each.transient_reason), ""),
    )


def unpack(packed: Bag, files: StateFileStore | None = None, *, keys: frozenset[str] | None = None) -> StateBag:
    """The bag that `pack` wrote; with `keys`, only those states. Raises StateError for what cannot be trusted.

    States of a component version that is unknown here are left out: they are computed again. A bag that was never
    packed is answered as it is."""
    if isinstance(packed, StateBag):
        return packed if keys is None else packed.only(keys)
    return read(open_bag(packed), files, keys=keys)


def read(bag: OpenedBag, files: StateFileStore | None = None, *, keys: frozenset[str] | None = None) -> StateBag:
    """The states of an opened bag; with `keys`, only those. Raises StateError, as `unpack`."""
    wanted = bag.states if keys is None else [each for each in bag.states if each.described.key in keys]
    entries = {each.described.key: state for each in wanted if (state := _loaded(each, files)) is not None}
    return StateBag(entries, bag.head.schema, bag.failures)


def _loaded(packed: PackedState, files: StateFileStore | None) -> ComponentState | None:
    """The state; None where its component is of a version unknown here."""
    component = _component(packed.described)
    if component is None:
        return None
    return ComponentState(
        component=component,
        value=_value(packed, component, files),
        source=packed.source,
        key_id=packed.key_id,
        transient_reason=packed.transient_reason,
    )


def _value(packed: PackedState, component: Component, files: StateFileStore | None) -> Any:
    if component.plain:
        return codec.decoded(packed.content)
    return component.load(_content(packed, files))


def merge_packed(packed: Sequence[bytes], files: StateFileStore | None = None) -> bytes:
    """The packed states of these sets of rows together, with the schema of the last: one state is loaded at a time.

    What cannot be said of all together is a failure, as in `merged`; what not all know is left out. Raises
    StateError for what cannot be trusted."""
    bags = [open_bag(each) for each in packed]
    failures = {key: why for bag in bags for key, why in bag.failures.items()}
    lying = [{each.described.key: each for each in bag.states} for bag in bags]
    written = []
    for key in frozenset.intersection(*map(frozenset, lying)):
        try:
            if (state := _merge_states([each[key] for each in lying], files)) is not None:
                written.append(_written(key, state, files))
        except TypeError:
            failures[key] = _unlike(each[key] for each in lying)
    return seal_bag(bags[-1].head.schema, written, failures)


def _merge_states(lying: Iterable[PackedState], files: StateFileStore | None) -> ComponentState | None:
    """The states of one key merged; None where its component is of a version unknown here."""
    loaded = [_loaded(each, files) for each in lying]
    known = [each for each in loaded if each is not None]
    return _merged(known) if len(known) == len(loaded) else None


def combine_readings(stored: bytes, added: bytes, *, keys: frozenset[str] | None = None) -> bytes:
    """The packed states of one partition from two readings of it, with the schema of the later; no state is read.

    Where both have a state, that of `added` counts; with `keys`, only those of the stored ones are taken over. Raises
    StateError: one is damaged, or they read other rows."""
    old, new = open_bag(stored), open_bag(added)
    if _rows(old) != _rows(new):
        raise StateError("the partition was read twice and had another number of rows: compute it again")
    before = (each for each in old.states if keys is None or each.described.key in keys)
    states = {each.described.key: each for each in (*before, *new.states)}
    failures = {key: why for key, why in {**old.failures, **new.failures}.items() if key not in states}
    return seal_bag(new.head.schema, states.values(), failures)


def with_filed_states(packed: bytes, files: StateFileStore) -> bytes:
    """The packed bag with its large states in files, as `pack` lays them there. Raises StateError."""
    bag = open_bag(packed)
    return seal_bag(bag.head.schema, [_laid(each, files) for each in bag.states], bag.failures)


def with_inline_states(packed: bytes, files: StateFileStore) -> bytes:
    """The packed bag with its large states within it, fit for who has no place of files. Raises StateError."""
    bag = open_bag(packed)
    return seal_bag(bag.head.schema, [_inline(each, files) for each in bag.states], bag.failures)


def _laid(packed: PackedState, files: StateFileStore) -> PackedState:
    component = _component(packed.described)
    if component is None or component.plain or not component.grouping or not packed.content:
        return packed
    return replace(packed, content=b"", file=files.write(bytes(packed.content)))


def _inline(packed: PackedState, files: StateFileStore) -> PackedState:
    return packed if packed.file is None else replace(packed, content=_content(packed, files), file=None)


def _rows(bag: OpenedBag) -> Any:
    return next((each.content for each in bag.states if each.described.key == ROWS.key), None)


def _component(described: StateDescriptor) -> Component | None:
    kind = COMPONENTS.get(described.kind)
    return _component_of(kind.kind) if kind is not None and kind.version == described.version else None


@cache
def _component_of(kind: str) -> Component:
    return COMPONENTS[kind]()


def _content(packed: PackedState, files: StateFileStore | None) -> bytes:
    if packed.file is None:
        return bytes(packed.content)
    if files is None:
        raise StateError(f"the state {packed.described.key} lies in a file, and no place of files was given")
    return files.read(packed.file)
