"""What events tell of other names that a dataset goes by."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from treaty.registry.datasets.names import LineageName, normalise, table_name
from treaty.registry.lineage.events.run_state import FoldedDataset, FoldedRun

IDENTIFYING = frozenset({"TABLE", "LOCATION"})
# Longer names are no use as keys of a database.
LONGEST = 1000


@dataclass(frozen=True, order=True)
class AliasLink:
    """Two names of one dataset, and when that was told. `renamed`: the other is the name that it had before."""

    one: LineageName
    other: LineageName
    observed_at: datetime
    renamed: bool = False

    @property
    def pair(self) -> tuple[LineageName, LineageName]:
        """The two names in their order, whichever came first."""
        return (self.one, self.other) if self.one <= self.other else (self.other, self.one)


def symlinks(dataset: FoldedDataset) -> Iterator[LineageName]:
    """Other names by the symlinks facet. A namespace that is empty or repeats the name identifies nothing."""
    told = dataset.facet("symlinks").get("identifiers")
    for each in told if isinstance(told, list) else ():
        if isinstance(each, dict) and each.get("namespace") != each.get("name"):
            yield from _identified(each, str(each.get("type") or "").upper())


def previous(dataset: FoldedDataset) -> LineageName | None:
    """The name that the dataset had before it was renamed, as it told; None where it told none."""
    before = dataset.facet("lifecycleStateChange").get("previousIdentifier")
    return next(_identified(before, "TABLE"), None) if isinstance(before, dict) else None


def links(run: FoldedRun) -> frozenset[AliasLink]:
    """What the run tells of names that mean one dataset, of what it read and of what it wrote."""
    return frozenset(each for dataset in (*run.inputs, *run.outputs) for each in _of(dataset))


def _of(dataset: FoldedDataset) -> Iterator[AliasLink]:
    table = table_name(normalise(dataset.namespace, dataset.name)).dataset
    for other in symlinks(dataset):
        yield from _link(table, other, dataset.facets["symlinks"].at)
    if before := previous(dataset):
        yield from _link(table, before, dataset.facets["lifecycleStateChange"].at, renamed=True)


def _link(table: LineageName, other: LineageName, at: datetime, *, renamed: bool = False) -> Iterator[AliasLink]:
    if table != other and max(len(str(table)), len(str(other))) <= LONGEST:
        yield AliasLink(table, other, at, renamed)


def _identified(told: dict[str, Any], kind: str) -> Iterator[LineageName]:
    namespace, name = told.get("namespace"), told.get("name")
    if kind in IDENTIFYING and _is_named(namespace) and _is_named(name):
        yield normalise(str(namespace), str(name))


def _is_named(value: Any) -> bool:
    return isinstance(value, str) and bool(value.strip())
