"""Extract aliases of datasets from events."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from treaty.registry.datasets.names import LineageName, normalise, table_name
from treaty.registry.lineage.events.run_state import FoldedDataset, FoldedRun

IDENTIFYING = frozenset({"TABLE", "LOCATION"})
# Longer names do not fit into database keys.
LONGEST = 1000


@dataclass(frozen=True, order=True)
class AliasLink:
    """A link between two names of one dataset.

    `observed_at`: time of the report. `renamed`: `other` is the previous name."""

    one: LineageName
    other: LineageName
    observed_at: datetime
    renamed: bool = False

    @property
    def pair(self) -> tuple[LineageName, LineageName]:
        """Return the two names in sorted order."""
        return (self.one, self.other) if self.one <= self.other else (self.other, self.one)


def symlinks(dataset: FoldedDataset) -> Iterator[LineageName]:
    """Yield the aliases in the symlinks facet. Entries whose namespace is empty or equals the name are ignored."""
    identifiers = dataset.facet("symlinks").get("identifiers")
    for each in identifiers if isinstance(identifiers, list) else ():
        if isinstance(each, dict) and each.get("namespace") != each.get("name"):
            yield from _identified(each, str(each.get("type") or "").upper())


def previous(dataset: FoldedDataset) -> LineageName | None:
    """Return the reported name of the dataset before it was renamed; None if there is none."""
    before = dataset.facet("lifecycleStateChange").get("previousIdentifier")
    return next(_identified(before, "TABLE"), None) if isinstance(before, dict) else None


def links(run: FoldedRun) -> frozenset[AliasLink]:
    """Return the alias links that the run reports for its inputs and outputs."""
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


def _identified(document: dict[str, Any], kind: str) -> Iterator[LineageName]:
    namespace, name = document.get("namespace"), document.get("name")
    if kind in IDENTIFYING and _is_named(namespace) and _is_named(name):
        yield normalise(str(namespace), str(name))


def _is_named(value: Any) -> bool:
    return isinstance(value, str) and bool(value.strip())
