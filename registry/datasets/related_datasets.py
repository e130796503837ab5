"""Other datasets that a contract speaks of: where they are, and what was last measured of them.

A name stands for, in this order: an object of the same contract; a contract, by its id, where it is about one dataset;
`contract.object`; a dataset as lineage or the contract's physicalName names it. Of two of a kind it stands for none."""

from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any

from sqlalchemy import ColumnElement, and_, or_
from sqlmodel import Session, col, select

from treaty.contracts.document.model import Contract, DataObject
from treaty.engine.checks.dataset_limits import ReferencedMetric, ReferenceValue, datasets, referenced_metrics
from treaty.engine.core.results import Value
from treaty.engine.protocol.requests import TableSource
from treaty.registry.datasets import names
from treaty.registry.datasets.contract_datasets import ContractObject
from treaty.registry.tables import DatasetContractRow, DatasetRow, MeasurementRow


@dataclass(frozen=True)
class ResolvedDataset:
    """The dataset that a name stands for, and the contracts' objects about it that the name leaves open: all of them
    where it is the dataset's own name, none where no contract is about it."""

    dataset: DatasetRow
    about: tuple[ContractObject, ...] = ()


def sources(session: Session, contract: Contract, of: DataObject) -> dict[str, TableSource]:
    """Where the datasets are that the object's checks read, by the names they are called; unknown ones are left out."""
    found = {name: _resolve(session, name, contract.id) for name in datasets(of)}
    return {name: _source(each.dataset) for name, each in found.items() if each}


def places(session: Session, contract: Contract, of: DataObject) -> dict[str, TableSource]:
    """Where the datasets are that the object's checks read or their limits refer to; unknown ones are left out."""
    referred = {each.dataset for each in referenced_metrics(of).values()}
    found = {name: _resolve(session, name, contract.id) for name in sorted({*datasets(of), *referred})}
    return {name: _source(each.dataset) for name, each in found.items() if each}


def resolve_dataset(session: Session, name: str) -> ResolvedDataset | None:
    """What the name stands for, outside any contract; None for none, or for several datasets."""
    return _resolve(session, name, "")


def exactly(session: Session, namespace: str, name: str) -> ResolvedDataset | None:
    """What a namespace and a name stand for; None for no dataset."""
    meant = names.normalise(namespace, name)
    return _one(_rows(session, and_(col(DatasetRow.namespace) == meant.namespace, col(DatasetRow.name) == meant.name)))


def referents(session: Session, contract: Contract, of: DataObject) -> dict[str, ReferenceValue]:
    """What the limits of the object's checks refer to, by their words, as the newest run there measured it."""
    return {words: _referent(session, each, contract.id) for words, each in referenced_metrics(of).items()}


def _resolve(session: Session, name: str, contract_id: str) -> ResolvedDataset | None:
    """By the most direct meaning of the name that there is."""
    found = (_rows(session, meaning) for meaning in _meanings(name, contract_id))
    return _one(next(filter(None, found), []))


def _meanings(name: str, contract_id: str) -> Iterator[ColumnElement[bool]]:
    contract, described = col(DatasetContractRow.contract_id), col(DatasetContractRow.object)
    if contract_id:
        yield and_(contract == contract_id, described == name)
    yield contract == name
    dots = [at for at, letter in enumerate(name) if letter == "."]
    if dots:
        yield or_(*(and_(contract == name[:at], described == name[at + 1 :]) for at in dots))
    yield col(DatasetRow.name) == name


def _rows(session: Session, which: ColumnElement[bool]) -> Sequence[tuple[DatasetRow, DatasetContractRow | None]]:
    link = DatasetContractRow
    joined = select(DatasetRow, link).join(link, col(link.dataset_id) == col(DatasetRow.id), isouter=True).where(which)
    best = col(DatasetRow.location).is_(None), col(DatasetRow.id), col(link.contract_id), col(link.object)
    return session.exec(joined.order_by(*best)).all()


def _one(rows: Sequence[tuple[DatasetRow, DatasetContractRow | None]]) -> ResolvedDataset | None:
    """The dataset of the rows; of several only where one object of a contract goes by all of their names."""
    by_dataset: dict[Any, dict[ContractObject, None]] = {}
    for dataset, link in rows:
        told = by_dataset.setdefault(dataset.id, {})
        if link is not None:
            told[ContractObject(link.contract_id, link.object)] = None
    shared = [each for each in next(iter(by_dataset.values()), ()) if all(each in told for told in by_dataset.values())]
    return ResolvedDataset(rows[0][0], tuple(shared)) if len(by_dataset) == 1 or shared else None


def _source(dataset: DatasetRow) -> TableSource:
    return TableSource(dataset.location or names.location(dataset.namespace, dataset.name), dataset.format)


def _referent(session: Session, asked: ReferencedMetric, contract_id: str) -> ReferenceValue:
    found = _resolve(session, asked.dataset, contract_id)
    if found is None or not found.about:
        return ReferenceValue(reason=f"no contract here is about a dataset {asked.dataset}")
    row = session.exec(_measured(found.about, asked.analyzer.identity).limit(1)).first()
    if row is None:
        return ReferenceValue(reason=f"no run of {asked.dataset} measured it yet: let a check of its contract do so")
    return _reference_value(row, asked.dataset)


def _reference_value(row: MeasurementRow, dataset: str) -> ReferenceValue:
    if row.exact is None:
        return ReferenceValue(reason=f"when {dataset} was measured last, there was no value")
    return ReferenceValue(_value(row), origin=_origin(row))


def _measured(about: Sequence[ContractObject], identity: str) -> Any:
    """The metric's values, those of the newest run first; among these that of the whole dataset first."""
    row = MeasurementRow
    measured = or_(*(and_(col(row.contract_id) == each.contract_id, col(row.object) == each.object) for each in about))
    query = select(row).where(measured, row.identity == identity, col(row.subscription_id).is_(None))
    newest = (
        col(row.measured_at).desc(),
        col(row.run_id).desc(),
        col(row.partition).is_not(None),
        col(row.partition).desc(),
    )
    return query.order_by(*newest)


def _value(row: MeasurementRow) -> Value:
    """The measured value with every digit; texts as they are."""
    if row.value is None or row.exact is None:
        return row.exact
    whole = row.exact.removeprefix("-").isdigit()
    return int(row.exact) if whole else Decimal(row.exact)


def _origin(row: MeasurementRow) -> Mapping[str, Any]:
    return {"run": str(row.run_id), "measured": row.measured_at.isoformat(), "partition": row.partition}


@dataclass(frozen=True)
class MetricTimeline:
    """What a metric was measured as, run after run: `times` ascend. `reason`: why it was measured by none."""

    times: tuple[datetime, ...] = ()
    values: tuple[ReferenceValue, ...] = ()
    reason: str = ""

    def at(self, moment: datetime) -> ReferenceValue:
        """The value that the newest run up to that moment measured."""
        at = bisect_right(self.times, moment)
        return self.values[at - 1] if at else ReferenceValue(reason=self.reason)


def timelines(session: Session, contract: Contract, of: DataObject) -> dict[str, MetricTimeline]:
    """What the limits of the object's checks refer to, by their words, as every run there measured it."""
    return {words: _timeline(session, each, contract.id) for words, each in referenced_metrics(of).items()}


def _timeline(session: Session, asked: ReferencedMetric, contract_id: str) -> MetricTimeline:
    found = _resolve(session, asked.dataset, contract_id)
    if found is None or not found.about:
        return MetricTimeline(reason=f"no contract here is about a dataset {asked.dataset}")
    ordered = reversed(session.exec(_measured(found.about, asked.analyzer.identity)).all())
    # Of the measurements of a run the one that is looked at first comes last here, and stays.
    newest = {(row.measured_at, row.run_id): row for row in ordered}
    times = tuple(time for time, _ in newest)
    return MetricTimeline(
        times,
        tuple(_reference_value(row, asked.dataset) for row in newest.values()),
        f"no run of {asked.dataset} had measured it",
    )
