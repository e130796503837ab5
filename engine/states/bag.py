"""Represent bags of states: mergeable results of one scan of a partition, packed with header and checksum."""

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
from treaty.engine.states.missing_states import MissingState, sentence, unlike_types
from treaty.engine.states.planning.scan_plan import ROWS, Plan
from treaty.engine.states.schema_evolution import is_of_none, union, unlike

ALL = "*"
# Large enough for efficient merging, small enough to fit in memory.
MERGE_BATCH = 16


class StateFileStore(Protocol):
    """A store for large states outside of the packed bag."""

    def write(self, content: bytes) -> str: ...

    def read(self, name: str) -> bytes: ...


# Never modified; not frozen because that triples the time to create one, and a bag has thousands.
@dataclass(slots=True, kw_only=True)
class ComponentState:
    """A component's state: the merged value, and the component that can merge and serialize it.

    `source`: SCANNED, STATED by the files' own statistics, or MIXED. `key_id`: id of the key that its values were
    hashed with; '' for none. `transient_reason`: why it is not stored; '' if it is."""

    component: Component
    value: Any
    source: str = SCANNED
    key_id: str = ""
    transient_reason: str = ""


@dataclass(frozen=True)
class StateBag:
    """The states of a set of rows by component key, with the rows' schema.

    `failures`: by component key (`ALL` for every key), stored reason of a missing state, without data values."""

    entries: Mapping[str, ComponentState]
    schema: Schema = field(default_factory=lambda: Schema(()))
    failures: Mapping[str, str] = field(default_factory=dict)

    @property
    def rows(self) -> int:
        """Return the number of rows read."""
        return int(self.entries[ROWS.key].value)

    def failure(self, key: str) -> str | None:
        """Return why the state of that key is missing; None if unknown."""
        stored = self.failures.get(key) or self.failures.get(ALL)
        return sentence(stored) if stored else None

    @cached_property
    def values(self) -> dict[str, Any]:
        """Return the merged value of each component by key."""
        return {key: state.value for key, state in self.entries.items()}

    def only(self, keys: frozenset[str]) -> "StateBag":
        """Return the states of these keys, as far as present."""
        return replace(self, entries={key: self.entries[key] for key in self.entries.keys() & keys})

    def union(self, other: "StateBag") -> "StateBag":
        """Add the states of another scan of the same rows; those of `other` take precedence."""
        return StateBag({**self.entries, **other.entries}, self.schema, {**self.failures, **other.failures})

    def pack(self, files: StateFileStore | None = None) -> bytes:
        """Serialize what may be stored: header, states and sha256, and why other states are missing.

        With `files`, large states are written there and referenced by the bag."""
        blocks = [_written(key, state, files) for key, state in self.entries.items() if not state.transient_reason]
        transient = {key: state.transient_reason for key, state in self.entries.items() if state.transient_reason}
        return seal_bag(self.schema, blocks, {**self.failures, **transient})

    def dump_all(self) -> bytes:
        """Serialize all states for another process; the result must never be stored."""
        return seal_bag(self.schema, [_written(*entry, None) for entry in self.entries.items()], self.failures)

    @property
    def passing(self) -> "StateBag | None":
        """Return the states that are not stored, with the row count; None if there are none."""
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
    """Build the states of a plan from values by component key; a missing value means no rows, unless it failed."""
    failed, parts = failures or {}, (*plan.scan, *plan.groupings, *plan.separate)
    states = {part.key: _state(part, values.get(part.key, part.component.zero), plan.key) for part in parts}
    return StateBag({key: state for key, state in states.items() if key not in failed}, schema, failed)


def _state(part: BoundComponent, value: Any, key: HashKey | None) -> ComponentState:
    keyless = part.keyed and not (key and key.lasting)
    reason = MissingState.CLASSIFIED if part.is_transient else MissingState.KEYLESS if keyless else ""
    return ComponentState(
        component=part.component, value=value, key_id=key.id if key and part.keyed else "", transient_reason=reason
    )


def merge(bags: Iterable[StateBag]) -> StateBag | None:
    """Merge all bags, MERGE_BATCH at a time; None without bags."""
    remaining, total = iter(bags), None
    while chunk := list(islice(remaining, MERGE_BATCH)):
        total = merged(chunk if total is None else [total, *chunk])
    return total


def merged(bags: Sequence[StateBag]) -> StateBag:
    """Merge the states that all of these bags have; there must be at least one bag.

    A state that some bags lack is left out, unless those bags have none of its columns: they are null there, so the
    state covers all rows (`schema_evolution`). The schema is the first one's, with the columns that only others
    have."""
    bags_by_columns: dict[tuple[tuple[str, str], ...], list[StateBag]] = {}
    for bag in bags:
        bags_by_columns.setdefault(tuple((column.name, column.type) for column in bag.schema), []).append(bag)
    return reduce(_both, map(_alike, bags_by_columns.values()))


def _alike(bags: Sequence[StateBag]) -> StateBag:
    """Merge bags whose columns have equal names and types."""
    first, *rest = bags
    failures = {key: reason for bag in bags for key, reason in bag.failures.items()}
    entries = {}
    for key in sorted(first.entries.keys()) if rest else ():
        try:
            entries[key] = _merged([bag.entries[key] for bag in bags])
        except KeyError:
            continue
        except TypeError:
            failures[key] = _unlike(bag.entries[key] for bag in bags)
    return StateBag(entries, first.schema, failures) if rest else first


def _unlike(states: Iterable[ComponentState | PackedState]) -> str:
    """Return why the states cannot be merged."""
    several_keys = len({each.key_id for each in states}) > 1
    return MissingState.KEYS_DIFFER if several_keys else unlike_types("the column")


def _both(one: StateBag, other: StateBag) -> StateBag:
    """Merge two bags with different columns or types."""
    shared = {
        key: unlike(state.component, key, one.schema, other.schema)
        for key, state in one.entries.items()
        if key in other.entries
    }
    schema, same = union(one.schema, other.schema), frozenset(key for key, column in shared.items() if column is None)
    common = _alike([replace(one.only(same), schema=schema), replace(other.only(same), schema=schema)])
    failures = {key: unlike_types(column) for key, column in shared.items() if column}
    entries = {**_alone(one, other), **_alone(other, one), **common.entries}
    return StateBag(entries, schema, {**common.failures, **failures})


def _alone(one: StateBag, other: StateBag) -> dict[str, ComponentState]:
    """Return the states of `one` that also cover `other`, which has none of their columns."""
    return {
        key: state
        for key, state in one.entries.items()
        if key not in other.entries and other.failure(key) is None and is_of_none(state.component, key, other.schema)
    }


def _merged(states: Sequence[ComponentState]) -> ComponentState:
    """Merge the states. Raises TypeError if they do not match."""
    component, sources = states[0].component, {each.source for each in states}
    key_id, *further_keys = {each.key_id for each in states}
    if further_keys:
        raise TypeError(MissingState.KEYS_DIFFER)
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
    """Unpack a bag written by `pack`; with `keys`, only those states.

    States of an unknown component version are left out and computed again. A bag that is not packed is returned as
    it is. Raises StateError for damaged bytes or another format."""
    if isinstance(packed, StateBag):
        return packed if keys is None else packed.only(keys)
    return read(open_bag(packed), files, keys=keys)


def read(bag: OpenedBag, files: StateFileStore | None = None, *, keys: frozenset[str] | None = None) -> StateBag:
    """Load the states of an opened bag; with `keys`, only those. Raises StateError, as `unpack`."""
    selected = bag.states if keys is None else [each for each in bag.states if each.described.key in keys]
    entries = {each.described.key: state for each in selected if (state := _loaded(each, files)) is not None}
    return StateBag(entries, bag.head.schema, bag.failures)


def _loaded(packed: PackedState, files: StateFileStore | None) -> ComponentState | None:
    """Load the state; None if its component has an unknown version."""
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
    """Merge packed bags, loading the states of one key at a time; the schema is the last one's.

    States that cannot be merged become failures, as in `merged`; states that some bags lack are left out. Raises
    StateError for damaged bytes or another format."""
    bags = [open_bag(each) for each in packed]
    failures = {key: reason for bag in bags for key, reason in bag.failures.items()}
    states_by_bag = [{each.described.key: each for each in bag.states} for bag in bags]
    packed_states = []
    for key in frozenset.intersection(*map(frozenset, states_by_bag)):
        try:
            if (state := _merge_states([each[key] for each in states_by_bag], files)) is not None:
                packed_states.append(_written(key, state, files))
        except TypeError:
            failures[key] = _unlike(each[key] for each in states_by_bag)
    return seal_bag(bags[-1].head.schema, packed_states, failures)


def _merge_states(lying: Iterable[PackedState], files: StateFileStore | None) -> ComponentState | None:
    """Merge the states of one key; None if its component has an unknown version."""
    loaded = [_loaded(each, files) for each in lying]
    states = [each for each in loaded if each is not None]
    return _merged(states) if len(states) == len(loaded) else None


def combine_readings(stored: bytes, added: bytes, *, keys: frozenset[str] | None = None) -> bytes:
    """Combine the packed states of two scans of one partition, without loading them.

    States of `added` take precedence, and its schema is used; with `keys`, only those of the stored states are taken
    over. Raises StateError if one is damaged, or if the row counts differ."""
    old, new = open_bag(stored), open_bag(added)
    if _rows(old) != _rows(new):
        raise StateError("the row count of the partition changed between two scans: compute it again")
    before = (each for each in old.states if keys is None or each.described.key in keys)
    states = {each.described.key: each for each in (*before, *new.states)}
    failures = {key: reason for key, reason in {**old.failures, **new.failures}.items() if key not in states}
    return seal_bag(new.head.schema, states.values(), failures)


def with_filed_states(packed: bytes, files: StateFileStore) -> bytes:
    """Move the large states of a packed bag to files, as `pack` does. Raises StateError."""
    bag = open_bag(packed)
    return seal_bag(bag.head.schema, [_laid(each, files) for each in bag.states], bag.failures)


def with_inline_states(packed: bytes, files: StateFileStore) -> bytes:
    """Move the large states of a packed bag from files into the bag. Raises StateError."""
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
        raise StateError(f"the state {packed.described.key} is stored in a file, but no file store was given")
    return files.read(packed.file)
