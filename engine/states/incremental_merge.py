"""Merge the states of many partitions incrementally as they arrive.

A partition that is replaced or removed cannot be taken out of a merged state. So partitions are grouped in blocks,
and only the affected block is merged again, and then the blocks with each other."""

from collections.abc import Iterable, Mapping
from dataclasses import replace

from treaty.engine.states import bag as bags
from treaty.engine.states.bag import ComponentState, StateBag

BLOCK = 32


class IncrementalMerge:
    """The states of partitions with their merged result."""

    def __init__(self) -> None:
        self._blocks: list[dict[str, StateBag]] = []
        self._sums: list[StateBag | None] = []
        self._places: dict[str, int] = {}
        self.merged: StateBag | None = None

    def change(self, arrived: Mapping[str, StateBag], gone: Iterable[str] = ()) -> StateBag | None:
        """Add or replace the arrived partitions, remove others, and return the merged states; None if none is left."""
        outdated = [name for name in (*arrived, *gone) if name in self._places]
        for name in outdated:
            block = self._places.pop(name)
            del self._blocks[block][name]
            self._sums[block] = None
        for name, bag in arrived.items():
            self._add(name, bag)
        self.merged = self._summed() if outdated else _merged([self.merged, *arrived.values()])
        return self.merged

    def _add(self, name: str, bag: StateBag) -> None:
        if not self._blocks or len(self._blocks[-1]) >= BLOCK:
            self._blocks.append({})
            self._sums.append(None)
        self._blocks[-1][name] = bag
        self._sums[-1] = None
        self._places[name] = len(self._blocks) - 1

    def _summed(self) -> StateBag | None:
        self._sums = [total or _merged(block.values()) for total, block in zip(self._sums, self._blocks, strict=True)]
        return _merged(self._sums)


def _merged(state_bags: Iterable[StateBag | None]) -> StateBag | None:
    bag = bags.merge(each for each in state_bags if each is not None)
    return bag and replace(bag, entries={key: _compacted(state) for key, state in bag.entries.items()})


def _compacted(state: ComponentState) -> ComponentState:
    component = state.component
    return replace(state, value=component.compacted(state.value)) if component.grouping else state
