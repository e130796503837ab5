"""Datasets that runs write and no contract in force is about: what a contract or an alias could be made of."""

from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import delete
from sqlmodel import Session, col, select

from treaty.registry.core.database import insert
from treaty.registry.datasets.contract_datasets import ContractObject
from treaty.registry.datasets.names import LineageName, normalise, table_name
from treaty.registry.lineage.aliases import groups
from treaty.registry.lineage.events.links import LONGEST
from treaty.registry.lineage.events.run_state import FoldedDataset, FoldedRun
from treaty.registry.lineage.events.triggers import Trigger
from treaty.registry.tables import DatasetContractRow, DatasetRow, LineageRunRow, UnmatchedDatasetRow

LASTS = timedelta(days=90)
# The namespace of paths that need not be whole.
FILES = "file"
# What more a schema has is told by the event itself.
COLUMNS = 200


def remember(
    session: Session, asked: Iterable[Trigger], run: LineageRunRow | None, folded: FoldedRun | None, *, now: datetime
) -> None:
    """Keeps that the datasets were written, and what the run said of them. Names that no key can hold are not kept."""
    said = _outputs(folded) if folded else {}
    made = {"first_seen_at": now, "last_seen_at": now, "write_count": 1, "lineage_run_id": run.id if run else None}
    rows = [
        {**made, "namespace": each.dataset.namespace, "name": each.dataset.name,
         "details": dataset_details(each, folded, said.get(each.dataset, []))}
        for each in asked if len(str(each.dataset).encode()) <= LONGEST
    ]  # fmt: skip
    if rows:
        session.connection().execute(_written(session), rows)


def dataset_details(trigger: Trigger, run: FoldedRun | None, outputs: Sequence[FoldedDataset]) -> dict[str, Any]:
    """What is known of the dataset: its other names, the job that wrote it, its columns and format as far as told."""
    formats = filter(None, (each.facet("storage").get("fileFormat") for each in outputs))
    return {
        "also": [{"namespace": each.namespace, "name": each.name} for each in trigger.aliases],
        "job": {"namespace": run.job_namespace, "name": run.job_name} if run else None,
        "columns": next(filter(None, map(_columns, outputs)), []),
        "format": next(formats, None),
        "partitions": [dict(each) for each in trigger.partitions[:10]],
    }


def _written(session: Session) -> Any:
    """What is there already is seen once more, and told anew."""
    table = UnmatchedDatasetRow.__table__  # type: ignore[attr-defined]
    new = insert(session, table)
    again = {name: new.excluded[name] for name in ("last_seen_at", "lineage_run_id", "details")}
    return new.on_conflict_do_update(
        index_elements=["namespace", "name"], set_={**again, "write_count": table.c.write_count + 1}
    )


def _outputs(run: FoldedRun) -> dict[LineageName, list[FoldedDataset]]:
    found: dict[LineageName, list[FoldedDataset]] = {}
    for each in run.outputs:
        found.setdefault(table_name(normalise(each.namespace, each.name)).dataset, []).append(each)
    return found


def list_unmatched(session: Session, *, limit: int = 100) -> Sequence[UnmatchedDatasetRow]:
    """Datasets that nobody promises anything about still, what was written last first."""
    query = select(UnmatchedDatasetRow).order_by(
        col(UnmatchedDatasetRow.last_seen_at).desc(), col(UnmatchedDatasetRow.name)
    )
    rows = session.exec(query.limit(limit)).all()
    known = groups(session, [LineageName(each.namespace, each.name) for each in rows])
    return [each for each in rows if not known[LineageName(each.namespace, each.name)].about]


def candidate_objects(session: Session, rows: Iterable[UnmatchedDatasetRow]) -> dict[LineageName, list[ContractObject]]:
    """Objects of contracts that a job may have meant: those whose data lie at a path that ends so. Some producers
    repeat a path as the job says it, below the folder that it ran in."""
    paths = {LineageName(each.namespace, each.name) for each in rows if each.namespace == FILES}
    link, of_files = DatasetContractRow, col(DatasetRow.namespace) == FILES
    query = select(DatasetRow.name, link.contract_id, link.object).join(
        DatasetRow, col(DatasetRow.id) == col(link.dataset_id)
    )
    known = [(name, ContractObject(*about)) for name, *about in session.exec(query.where(of_files))] if paths else []
    return {path: sorted({about for name, about in known if name.endswith(path.name)}) for path in paths}


def forget(session: Session, *, now: datetime) -> int:
    """Forgets those that nobody wrote for 90 days; how many these were."""
    return int(
        session.exec(delete(UnmatchedDatasetRow).where(col(UnmatchedDatasetRow.last_seen_at) < now - LASTS)).rowcount
    )


def _columns(dataset: FoldedDataset) -> list[dict[str, Any]]:
    fields = dataset.facet("schema").get("fields")
    told = (each for each in (fields if isinstance(fields, list) else ()) if isinstance(each, dict))
    return [{"name": each.get("name"), "type": each.get("type")} for each in told][:COLUMNS]
