"""States of many partitions merged as these come: what comes is added to what is there, and nothing is merged twice.

A partition that is replaced or goes cannot be taken out of a merged state. So partitions lie in blocks, and only its
block is merged anew, and the blocks with each other."""

from collections.abc import Iterable, Mapping
from dataclasses import replace

from treaty.engine.states import bag as bags
from treaty.engine.states.bag import ComponentState, StateBag

BLOCK = 32


class IncrementalMerge:
    """The states of partitions, and what they are together."""

    def __init__(self) -> None:
        self._blocks: list[dict[str, StateBag]] = []
        self._sums: list[StateBag | None] = []
        self._places: dict[str, int] = {}
        self.merged: StateBag | None = None

    def change(self, arrived: Mapping[str, StateBag], gone: Iterable[str] = ()) -> StateBag | None:
        """What all are together once these came, in the place of older ones of their names, and those went; None where
        none is left."""
        leaving = [name for name in (*arrived, *gone) if name in self._places]
        for name in leaving:
            at = self._places.pop(name)
            del self._blocks[at][name]
            self._sums[at] = None
        for name, bag in arrived.items():
            self._add(name, bag)
        self.merged = self._summed() if leaving else _merged([self.merged, *arrived.values()])
        return self.merged

    def _add(self, name: str, bag: StateBag) -> None:
        if not self._blocks or len(self._blocks[-1]) >= BLOCK:
            self._blocks.append({})
            self._sums.append(None)
        self._blocks[-1][name] = bag
        self._sums[-1] = None
        self._places[name] = len(self._blocks) - 1

    def _summed(self) -> StateBag | None:
        self._sums = [known or _merged(block.values()) for known, block in zip(self._sums, self._blocks, strict=True)]
        return _merged(self._sums)


def _merged(given: Iterable[StateBag | None]) -> StateBag | None:
    found = bags.merge(each for each in given if each is not None)
    return found and replace(found, entries={key: _compacted(state) for key, state in found.entries.items()})


def _compacted(state: ComponentState) -> ComponentState:
    component = state.component
    return replace(state, value=component.compacted(state.value)) if component.grouping else state
