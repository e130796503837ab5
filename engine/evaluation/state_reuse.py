"""Decide which stored states checks can reuse, and which must not be stored."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from treaty.contracts.document.model import DataObject
from treaty.contracts.schema import Schema
from treaty.engine.checks.binding import bind_all
from treaty.engine.checks.bound_check import BoundChecks
from treaty.engine.components.base import COMPONENTS, Retention
from treaty.engine.core.hash_key import HashKey
from treaty.engine.states.envelope import open_bag, seal_bag
from treaty.engine.states.inventory import BagContents, StateEntry, contents
from treaty.engine.states.missing_states import NEVER_STORED, MissingState
from treaty.engine.states.planning.scan_plan import Plan


@dataclass(frozen=True)
class StateReuse:
    """Checks to answer from stored bags of one schema, and the key for classified values.

    `reread_whole`: states that are never stored count as missing."""

    checks: BoundChecks
    key: HashKey | None = None
    reread_whole: bool = False

    def answers(self, bag: BagContents) -> bool:
        """Return whether the bag covers the checks and contains nothing that must not be stored."""
        return self._plan.keys <= self.stored_keys(bag) and not self.refused(bag)

    def refused(self, bag: BagContents) -> frozenset[str]:
        """Return the keys of the states that must not be stored."""
        return frozenset(each.key for each in bag.entries if not self._admits(each))

    def stored_keys(self, bag: BagContents) -> frozenset[str]:
        """Return the keys of states that need no computation: stored, or absent for a valid reason."""
        usable = {each.key for each in bag.entries if each.usable and self._admits(each)}
        return frozenset(usable | {key for key, reason in bag.failures.items() if self._is_valid_reason(key, reason)})

    @cached_property
    def _plan(self) -> Plan:
        return self.checks.plan

    def _admits(self, stored: StateEntry) -> bool:
        """Return whether the state may be stored; the values behind a state that no check needs are unknown."""
        if stored.key in self._plan.keyed:
            return self.key is None or stored.key_id == self.key.id
        if stored.key in self._plan.keys or not self.checks.marked.classified:
            return stored.key not in self._plan.passing
        kind = COMPONENTS.get(stored.kind)
        return kind is not None and kind.retention is Retention.NOTHING

    def _is_valid_reason(self, key: str, reason: str) -> bool:
        """Return whether the reason for the missing state is still valid."""
        if key in self._plan.passing:
            return not self.reread_whole
        if key in self._plan.keyed:
            return reason not in (MissingState.KEYLESS, MissingState.KEYS_DIFFER) or (
                self.key is None and not self.reread_whole
            )
        return reason not in NEVER_STORED


def storable_states(packed: Mapping[str, bytes], objects: Sequence[DataObject]) -> dict[str, bytes]:
    """Remove the states that must not be stored, for the classifications of these objects.

    The bag then records why they are missing, so that they are computed again when needed. Raises StateError for
    damaged bags, ContractError for faults of the first object's contract."""
    bound: dict[Schema, StateReuse] = {}
    return {name: _storable(each, objects, bound) for name, each in packed.items()}


def _storable(packed: bytes, objects: Sequence[DataObject], bound: dict[Schema, StateReuse]) -> bytes:
    bag = contents(packed)
    if bag.schema not in bound:
        bound[bag.schema] = StateReuse(bind_all(objects, bag.schema))
    refused = bound[bag.schema].refused(bag)
    if not refused:
        return packed
    remaining = [each for each in open_bag(packed).states if each.described.key not in refused]
    return seal_bag(bag.schema, remaining, {**bag.failures, **dict.fromkeys(refused, MissingState.CLASSIFIED)})
