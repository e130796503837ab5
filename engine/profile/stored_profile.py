"""Build profiles from stored states of past partitions, without reading rows or starting Spark.

Only states that checks needed are stored; facts that no check needed are missing. Partitions with damaged states are
left out, and the profile notes this."""

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
    """Build the profile of these partitions from their packed states.

    `schema`: the table's schema with its classifications. `without`: columns that are not profiled, such as
    partition columns."""
    left_out = frozenset(without)
    columns = [profile_of(each, schema) for each in schema if each.name not in left_out]
    opened, first, notes = _loaded(packed, profile_plan(columns).keys)
    profile = TableProfile(columns=(), partitions=order_partitions(first), notes=notes)
    scanned = tuple(with_second_scan(each, profile.whole, schema) for each in columns) if first else tuple(columns)
    plan = second_plan(scanned)
    if plan and (extra := _extra_states(opened, plan.keys)):
        profile = profile.with_states(extra)
    with_traits = columns_without_masks(scanned, profile.whole, schema)
    if with_traits and (extra := _extra_states(opened, traits_plan(with_traits.values()).keys)):
        profile = profile.with_states(extra)
    return profile.with_columns(
        with_text_type(with_traits.get(each.column.name, each), profile.whole) for each in scanned
    )


def _loaded(packed: Packed, keys: frozenset[str]) -> tuple[dict[str, OpenedBag], dict[str, StateBag], tuple[str, ...]]:
    """Return opened bags and states by partition, and notes on partitions left out."""
    opened: dict[str, OpenedBag] = {}
    states: dict[str, StateBag] = {}
    notes: list[str] = []
    for name, content in packed:
        try:
            each = envelope.open_bag(content)
            bag = bags.read(each, keys=keys)
        except StateError as error:
            bag = StateBag({}, failures={ALL: str(error)})
        if ROWS.key in bag.entries:
            opened[name], states[name] = each, bag
        else:
            notes.append(f"{name or 'the table'} is excluded: {bag.failure(ROWS.key) or 'its row count is missing'}")
    return opened, states, tuple(notes)


def _extra_states(opened: Mapping[str, OpenedBag], keys: frozenset[str]) -> dict[str, StateBag]:
    """Return the states of these keys by partition; empty if no partition has more than its row count."""
    states = {name: bags.read(each, keys=keys) for name, each in opened.items()}
    return states if any(bag.entries.keys() - {ROWS.key} for bag in states.values()) else {}
