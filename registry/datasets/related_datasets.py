"""Resolve other datasets that a contract refers to, and read their latest measurements.

A name is resolved in this order: an object of the same contract; the id of a contract about one dataset;
`contract.object`; the name of a dataset in lineage or in a contract's physicalName. A name that matches several
datasets at one step is not resolved."""

from bisect import bisect_right
from collections.abc import Collection, Iterator, Mapping, Sequence
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
    """The dataset that a name refers to.

    `about`: contract objects that the name may refer to; all of the dataset's objects if the name is its own, and ()
    if no contract describes it."""

    dataset: DatasetRow
    about: tuple[ContractObject, ...] = ()


def sources(session: Session, contract: Contract, of: DataObject) -> dict[str, TableSource]:
    """Return the datasets that the object's checks read, by name; unknown ones are omitted."""
    resolved = {name: _resolve(session, name, contract.id) for name in datasets(of)}
    return {name: _source(each.dataset) for name, each in resolved.items() if each}


def places(session: Session, contract: Contract, of: DataObject) -> dict[str, TableSource]:
    """Return the datasets that the object's checks read or compare with, by name.

    Unknown datasets are omitted."""
    referred = {each.dataset for each in referenced_metrics(of).values()}
    resolved = {name: _resolve(session, name, contract.id) for name in sorted({*datasets(of), *referred})}
    return {name: _source(each.dataset) for name, each in resolved.items() if each}


def resolve_dataset(session: Session, name: str) -> ResolvedDataset | None:
    """Resolve a name outside any contract; None if it matches no dataset or several."""
    return _resolve(session, name, "")


def exactly(session: Session, namespace: str, name: str) -> ResolvedDataset | None:
    """Resolve a namespace and name; None if it matches no dataset."""
    target = names.normalise(namespace, name)
    return _one(
        _rows(session, and_(col(DatasetRow.namespace) == target.namespace, col(DatasetRow.name) == target.name))
    )


def referents(session: Session, contract: Contract, of: DataObject) -> dict[str, ReferenceValue]:
    """Return the newest measured values that the thresholds of the object's checks refer to.

    The keys are the references as written in the checks."""
    return {words: _referent(session, each, contract.id) for words, each in referenced_metrics(of).items()}


def _resolve(session: Session, name: str, contract_id: str) -> ResolvedDataset | None:
    """Resolve the name by the first step that matches any dataset."""
    candidates = (_rows(session, meaning) for meaning in _meanings(name, contract_id))
    return _one(next(filter(None, candidates), []))


def _meanings(name: str, contract_id: str) -> Iterator[ColumnElement[bool]]:
    contract, described = col(DatasetContractRow.contract_id), col(DatasetContractRow.object)
    if contract_id:
        yield and_(contract == contract_id, described == name)
    yield contract == name
    dots = [at for at, letter in enumerate(name) if letter == "."]
    if dots:
        yield or_(*(and_(contract == name[:at], described == name[at + 1 :]) for at in dots))
    yield col(DatasetRow.name) == name


def _rows(session: Session, condition: ColumnElement[bool]) -> Sequence[tuple[DatasetRow, DatasetContractRow | None]]:
    link = DatasetContractRow
    joined = (
        select(DatasetRow, link).join(link, col(link.dataset_id) == col(DatasetRow.id), isouter=True).where(condition)
    )
    best = col(DatasetRow.location).is_(None), col(DatasetRow.id), col(link.contract_id), col(link.object)
    return session.exec(joined.order_by(*best)).all()


def _one(rows: Sequence[tuple[DatasetRow, DatasetContractRow | None]]) -> ResolvedDataset | None:
    """Return the only dataset of the rows.

    Several datasets are accepted if they are aliases of the same contract object; the first is returned."""
    by_dataset: dict[Any, dict[ContractObject, None]] = {}
    for dataset, link in rows:
        contract_objects = by_dataset.setdefault(dataset.id, {})
        if link is not None:
            contract_objects[ContractObject(link.contract_id, link.object)] = None
    shared = [
        each
        for each in next(iter(by_dataset.values()), ())
        if all(each in contract_objects for contract_objects in by_dataset.values())
    ]
    return ResolvedDataset(rows[0][0], tuple(shared)) if len(by_dataset) == 1 or shared else None


def _source(dataset: DatasetRow) -> TableSource:
    return TableSource(dataset.location or names.location(dataset.namespace, dataset.name), dataset.format)


def _referent(session: Session, metric: ReferencedMetric, contract_id: str) -> ReferenceValue:
    resolved = _resolve(session, metric.dataset, contract_id)
    if resolved is None or not resolved.about:
        return ReferenceValue(reason=f"no contract describes the dataset {metric.dataset}")
    row = session.exec(_measured(resolved.about, metric.analyzer.identity).limit(1)).first()
    if row is None:
        return ReferenceValue(
            reason=f"no run of {metric.dataset} has measured this metric yet: add a check for it to its contract"
        )
    return _reference_value(row, metric.dataset)


def _reference_value(row: MeasurementRow, dataset: str) -> ReferenceValue:
    if row.exact is None:
        return ReferenceValue(reason=f"the last measurement of {dataset} has no value")
    return ReferenceValue(_value(row), origin=_origin(row))


def _measured(about: Sequence[ContractObject], identity: str) -> Any:
    """Select the metric's measurements, newest run first.

    Within a run, the value of the whole dataset comes first."""
    row = MeasurementRow
    matches = or_(*(and_(col(row.contract_id) == each.contract_id, col(row.object) == each.object) for each in about))
    query = select(row).where(matches, row.identity == identity, col(row.subscription_id).is_(None))
    newest = (
        col(row.measured_at).desc(),
        col(row.run_id).desc(),
        col(row.partition).is_not(None),
        col(row.partition).desc(),
    )
    return query.order_by(*newest)


def _value(row: MeasurementRow) -> Value:
    """Return the measured value without loss of digits; texts are returned as they are."""
    if row.value is None or row.exact is None:
        return row.exact
    is_integer = row.exact.removeprefix("-").isdigit()
    return int(row.exact) if is_integer else Decimal(row.exact)


def _origin(row: MeasurementRow) -> Mapping[str, Any]:
    return {"run": str(row.run_id), "measured": row.measured_at.isoformat(), "partition": row.partition}


@dataclass(frozen=True)
class MetricTimeline:
    """The measured values of a metric over time.

    `times`: time of each run, ascending.
    `reason`: why there is no value before the first run."""

    times: tuple[datetime, ...] = ()
    values: tuple[ReferenceValue, ...] = ()
    reason: str = ""

    def at(self, moment: datetime) -> ReferenceValue:
        """Return the value of the newest run up to that moment."""
        position = bisect_right(self.times, moment)
        return self.values[position - 1] if position else ReferenceValue(reason=self.reason)


def referents_of(session: Session, contract: Contract, of: DataObject) -> Iterator[tuple[str, DatasetRow | None]]:
    """Yield the datasets that the thresholds of the object's checks refer to, by name; None for an unknown one."""
    for name in {each.dataset: None for each in referenced_metrics(of).values()}:
        resolved = _resolve(session, name, contract.id)
        yield name, resolved.dataset if resolved else None


def timelines(
    session: Session, contract: Contract, of: DataObject, *, hidden: Collection[str]
) -> dict[str, MetricTimeline]:
    """Return all measured values that the thresholds of the object's checks refer to.

    The keys are the references as written in the checks. `hidden`: names of datasets to treat as unknown."""
    return {words: _timeline(session, each, contract.id, hidden) for words, each in referenced_metrics(of).items()}


def _timeline(session: Session, metric: ReferencedMetric, contract_id: str, hidden: Collection[str]) -> MetricTimeline:
    resolved = None if metric.dataset in hidden else _resolve(session, metric.dataset, contract_id)
    if resolved is None or not resolved.about:
        return MetricTimeline(reason=f"no contract describes the dataset {metric.dataset}")
    ordered = reversed(session.exec(_measured(resolved.about, metric.analyzer.identity)).all())
    # The preferred measurement of each run comes last in this order, so that it remains in the dict.
    newest = {(row.measured_at, row.run_id): row for row in ordered}
    times = tuple(time for time, _ in newest)
    return MetricTimeline(
        times,
        tuple(_reference_value(row, metric.dataset) for row in newest.values()),
        f"no run of {metric.dataset} had measured this metric yet",
    )
