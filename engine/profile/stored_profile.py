"""Profiles from stored states of past partitions: no row is read, and Spark is not started.

What checks measure is what is kept: a fact that no check needed is not told. A partition whose states are damaged is
left out, and the profile says so."""

from collections.abc import Iterable, Mapping, Sequence

from treaty.contracts.schema import Schema
from treaty.engine.core.errors import StateError
from treaty.engine.profile.second_scan import (
    columns_without_masks,
    second_plan,
    traits_plan,
    with_second_scan,
    with_text_type,
)
from treaty.engine.profile.table_profile import TableProfile, order_partitions, profile_of, profile_plan
from treaty.engine.states import bag as bags
from treaty.engine.states import envelope
from treaty.engine.states.bag import ALL, StateBag
from treaty.engine.states.envelope import OpenedBag
from treaty.engine.states.planning.scan_plan import ROWS

Packed = Sequence[tuple[str, bytes]]


def profile_from_states(packed: Packed, schema: Schema, *, without: Iterable[str] = ()) -> TableProfile:
    """The history of these partitions' packed states, on a table of that schema, which knows what is classified.

    `without`: columns that are not profiled, such as those of the partitions."""
    left_out = frozenset(without)
    columns = [profile_of(each, schema) for each in schema if each.name not in left_out]
    opened, first, notes = _loaded(packed, profile_plan(columns).keys)
    found = TableProfile(columns=(), partitions=order_partitions(first), notes=notes)
    looked = tuple(with_second_scan(each, found.whole, schema) for each in columns) if first else tuple(columns)
    wanted = second_plan(looked)
    if wanted and (more := _extra_states(opened, wanted.keys)):
        found = found.with_states(more)
    late = columns_without_masks(looked, found.whole, schema)
    if late and (more := _extra_states(opened, traits_plan(late.values()).keys)):
        found = found.with_states(more)
    return found.with_columns(with_text_type(late.get(each.column.name, each), found.whole) for each in looked)


def _loaded(packed: Packed, keys: frozenset[str]) -> tuple[dict[str, OpenedBag], dict[str, StateBag], tuple[str, ...]]:
    """The opened bags and the states of these keys by partition, and why some are not among them."""
    opened: dict[str, OpenedBag] = {}
    found: dict[str, StateBag] = {}
    notes: list[str] = []
    for name, content in packed:
        try:
            each = envelope.open_bag(content)
            bag = bags.read(each, keys=keys)
        except StateError as error:
            bag = StateBag({}, failures={ALL: str(error)})
        if ROWS.key in bag.entries:
            opened[name], found[name] = each, bag
        else:
            notes.append(f"{name or 'the table'} is left out: {bag.failure(ROWS.key) or 'its rows were not counted'}")
    return opened, found, tuple(notes)


def _extra_states(opened: Mapping[str, OpenedBag], keys: frozenset[str]) -> dict[str, StateBag]:
    """The states of these keys by partition; {} where no partition has any but its rows, which are known."""
    found = {name: bags.read(each, keys=keys) for name, each in opened.items()}
    return found if any(bag.entries.keys() - {ROWS.key} for bag in found.values()) else {}
