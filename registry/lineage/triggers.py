"""Which runs ask for a validation, and of which datasets."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from registry.lineage.fold import FoldedDataset, FoldedRun
from registry.lineage.names import Name, Trimmed, normalise, trim

OUR_NAMESPACE = "treaty"
OUR_PRODUCER = "https://treaty.example/"
IDENTIFYING = frozenset({"TABLE", "LOCATION"})


@dataclass(frozen=True)
class Trigger:
    """A dataset that a run has written: its name, other names it goes by, and the partitions the run spoke of."""

    dataset: Name
    also: tuple[Name, ...] = ()
    partitions: tuple[tuple[tuple[str, str], ...], ...] = ()

    @property
    def names(self) -> tuple[Name, ...]:
        return (self.dataset, *self.also)


def triggers(run: FoldedRun) -> tuple[Trigger, ...]:
    """One trigger a dataset that a completed batch run wrote, in the order of names.

    None while the run is not complete, once it failed, for dropped datasets, and for our own runs (no endless loop)."""
    if not run.completed or run.failed or run.processing_type != "BATCH" or _ours(run):
        return ()
    written = [_trigger(each) for each in run.outputs if not _dropped(each)]
    return tuple(_joined(written, name) for name in sorted({each.dataset for each in written}))


def _ours(run: FoldedRun) -> bool:
    return run.job_namespace == OUR_NAMESPACE or any(each.startswith(OUR_PRODUCER) for each in run.producers)


def _dropped(dataset: FoldedDataset) -> bool:
    return bool(dataset.facet("lifecycleStateChange").get("lifecycleStateChange") == "DROP")


def _trigger(dataset: FoldedDataset) -> Trigger:
    full = normalise(dataset.namespace, dataset.name)
    spoken = [trim(full), *_located(dataset)]
    table = spoken[0].dataset
    partitions = {each.partition for each in spoken if each.partition and each.dataset == table} | set(_listed(dataset))
    others = {full, *_symlinks(dataset)} - {table}
    return Trigger(table, tuple(sorted(others)), tuple(sorted(partitions)))


def _joined(written: list[Trigger], name: Name) -> Trigger:
    """Several partitions of one table, written as datasets of their own, are one trigger."""
    same = [each for each in written if each.dataset == name]
    others = {other for each in same for other in each.also}
    return Trigger(name, tuple(sorted(others)), tuple(sorted({spoken for each in same for spoken in each.partitions})))


def _symlinks(dataset: FoldedDataset) -> Iterator[Name]:
    """Other names by the symlinks facet. A namespace that is empty or repeats the name identifies nothing."""
    for each in _objects(dataset.facet("symlinks").get("identifiers")):
        namespace, name = each.get("namespace"), each.get("name")
        if _named(namespace) and _named(name) and namespace != name and each.get("type") in IDENTIFYING:
            yield normalise(str(namespace), str(name))


def _located(dataset: FoldedDataset) -> Iterator[Trimmed]:
    """The partition directories of the subset facet, as the table and the partition that they mean."""
    places = _condition(dataset).get("locations")
    for place in places if isinstance(places, list) else ():
        if isinstance(place, str):
            path = place.partition("://")[2].partition("/")[2] if "://" in place else place.removeprefix("file:")
            yield trim(normalise(dataset.namespace, path))


def _listed(dataset: FoldedDataset) -> Iterator[tuple[tuple[str, str], ...]]:
    """The partitions that the subset facet lists by their columns."""
    for each in _objects(_condition(dataset).get("partitions")):
        values = each.get("dimensions")
        if isinstance(values, dict) and values:
            yield tuple((str(column), str(value)) for column, value in values.items())


def _condition(dataset: FoldedDataset) -> Mapping[str, Any]:
    condition = dataset.own_facet("subset").get("outputCondition")
    return condition if isinstance(condition, dict) else {}


def _objects(value: Any) -> list[Mapping[str, Any]]:
    return [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []


def _named(value: Any) -> bool:
    return isinstance(value, str) and bool(value.strip())
