"""Other datasets that a contract speaks of: where they are, and what was last measured of them.

A name stands for, in this order: an object of the same contract; a contract, by its id, where it is about one object;
`contract.object`; a dataset as lineage or the contract's physicalName names it. Of two of a kind it stands for none."""

from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any

from sqlalchemy import or_
from sqlmodel import Session, col, select

from contracts.document import Contract, DataObject
from engine.references import Referent, Wanted, datasets, wanted
from engine.requests import Source
from engine.results import Value
from registry.lineage import names
from registry.tables import Dataset, MeasurementRow


def sources(session: Session, contract: Contract, of: DataObject) -> dict[str, Source]:
    """Where the datasets are that the object's checks read, by the names they are called; unknown ones are left out."""
    found = {name: _found(session, name, contract.id) for name in datasets(of)}
    return {name: _source(dataset) for name, dataset in found.items() if dataset}


def places(session: Session, contract: Contract, of: DataObject) -> dict[str, Source]:
    """Where the datasets are that the object's checks read or their limits refer to; unknown ones are left out."""
    referred = {each.dataset for each in wanted(of).values()}
    found = {name: _found(session, name, contract.id) for name in sorted({*datasets(of), *referred})}
    return {name: _source(dataset) for name, dataset in found.items() if dataset}


def named(session: Session, name: str) -> Dataset | None:
    """The dataset that the name stands for, outside any contract; None for none, or for several."""
    return _found(session, name, "")


def referents(session: Session, contract: Contract, of: DataObject) -> dict[str, Referent]:
    """What the limits of the object's checks refer to, by their words, as the newest run there measured it."""
    return {words: _referent(session, each, contract.id) for words, each in wanted(of).items()}


def _found(session: Session, name: str, contract_id: str) -> Dataset | None:
    described = col(Dataset.contract_id) + "." + col(Dataset.object)
    named = or_(col(Dataset.contract_id) == name, described == name, col(Dataset.name) == name)
    own = (col(Dataset.contract_id) == contract_id) & (col(Dataset.object) == name)
    ordered = select(Dataset).where(or_(own, named)).order_by(col(Dataset.location).is_(None), col(Dataset.id))
    ranked = [(_rank(each, name, contract_id), each) for each in session.exec(ordered)]
    best = [each for rank, each in ranked if rank == min(rank for rank, _ in ranked)]
    return best[0] if len({(each.contract_id, each.object or each.id) for each in best}) == 1 else None


def _rank(dataset: Dataset, name: str, contract_id: str) -> int:
    """How directly the name names the dataset: 0 is best."""
    meanings = (
        (dataset.contract_id, dataset.object) == (contract_id, name),
        dataset.contract_id == name,
        f"{dataset.contract_id}.{dataset.object}" == name,
    )
    return next((rank for rank, means in enumerate(meanings) if means), len(meanings))


def _source(dataset: Dataset) -> Source:
    return Source(dataset.location or names.location(dataset.namespace, dataset.name), dataset.format)


def _referent(session: Session, asked: Wanted, contract_id: str) -> Referent:
    dataset = _found(session, asked.dataset, contract_id)
    if dataset is None or dataset.contract_id is None or dataset.object is None:
        return Referent(reason=f"no contract here is about a dataset {asked.dataset}")
    row = session.exec(_measured(dataset.contract_id, dataset.object, asked.analyzer.identity).limit(1)).first()
    if row is None:
        return Referent(reason=f"no run of {asked.dataset} measured it yet: let a check of its contract do so")
    return _told(row, asked.dataset)


def _told(row: MeasurementRow, dataset: str) -> Referent:
    if row.exact is None:
        return Referent(reason=f"when {dataset} was measured last, there was no value")
    return Referent(_value(row), origin=_origin(row))


def _measured(contract_id: str, object_name: str, identity: str) -> Any:
    """The metric's values, those of the newest run first; among these that of the whole dataset first."""
    row = MeasurementRow
    query = select(row).where(row.contract_id == contract_id, row.object == object_name, row.identity == identity)
    newest = (col(row.time).desc(), col(row.run_id).desc(), col(row.partition).is_not(None), col(row.partition).desc())
    return query.order_by(*newest)


def _value(row: MeasurementRow) -> Value:
    """The measured value with every digit; texts as they are."""
    if row.value is None or row.exact is None:
        return row.exact
    whole = row.exact.removeprefix("-").isdigit()
    return int(row.exact) if whole else Decimal(row.exact)


def _origin(row: MeasurementRow) -> Mapping[str, Any]:
    return {"run": str(row.run_id), "measured": row.time.isoformat(), "partition": row.partition}


@dataclass(frozen=True)
class Timeline:
    """What a metric was measured as, run after run: `times` ascend. `reason`: why it was measured by none."""

    times: tuple[datetime, ...] = ()
    found: tuple[Referent, ...] = ()
    reason: str = ""

    def at(self, moment: datetime) -> Referent:
        """The value that the newest run up to that moment measured."""
        at = bisect_right(self.times, moment)
        return self.found[at - 1] if at else Referent(reason=self.reason)


def timelines(session: Session, contract: Contract, of: DataObject) -> dict[str, Timeline]:
    """What the limits of the object's checks refer to, by their words, as every run there measured it."""
    return {words: _timeline(session, each, contract.id) for words, each in wanted(of).items()}


def _timeline(session: Session, asked: Wanted, contract_id: str) -> Timeline:
    dataset = _found(session, asked.dataset, contract_id)
    if dataset is None or dataset.contract_id is None or dataset.object is None:
        return Timeline(reason=f"no contract here is about a dataset {asked.dataset}")
    ordered = reversed(session.exec(_measured(dataset.contract_id, dataset.object, asked.analyzer.identity)).all())
    # Of the measurements of a run the one that is looked at first comes last here, and stays.
    newest = {(row.time, row.run_id): row for row in ordered}
    times = tuple(time for time, _ in newest)
    return Timeline(
        times, tuple(_told(row, asked.dataset) for row in newest.values()), f"no run of {asked.dataset} had measured it"
    )
