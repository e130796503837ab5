"""Store datasets that runs write and no contract in force is about.

They are candidates for a new contract or an alias."""

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
# Namespace in which paths may be relative.
FILES = "file"
# Further columns are in the event itself.
COLUMNS = 200


def remember(
    session: Session, triggers: Iterable[Trigger], run: LineageRunRow | None, folded: FoldedRun | None, *, now: datetime
) -> None:
    """Store the writes of these datasets with their details; names too long for a key are skipped."""
    outputs = _outputs(folded) if folded else {}
    defaults = {"first_seen_at": now, "last_seen_at": now, "write_count": 1, "lineage_run_id": run.id if run else None}
    rows = [
        {**defaults, "namespace": each.dataset.namespace, "name": each.dataset.name,
         "details": dataset_details(each, folded, outputs.get(each.dataset, []))}
        for each in triggers if len(str(each.dataset).encode()) <= LONGEST
    ]  # fmt: skip
    if rows:
        session.connection().execute(_written(session), rows)


def dataset_details(trigger: Trigger, run: FoldedRun | None, outputs: Sequence[FoldedDataset]) -> dict[str, Any]:
    """Return the aliases, job, columns, format and partitions reported for the dataset.

    At most 10 partitions and 200 columns."""
    formats = filter(None, (each.facet("storage").get("fileFormat") for each in outputs))
    return {
        "also": [{"namespace": each.namespace, "name": each.name} for each in trigger.aliases],
        "job": {"namespace": run.job_namespace, "name": run.job_name} if run else None,
        "columns": next(filter(None, map(_columns, outputs)), []),
        "format": next(formats, None),
        "partitions": [dict(each) for each in trigger.partitions[:10]],
    }


def _written(session: Session) -> Any:
    """Return the upsert of a write: it counts the write and replaces the details."""
    table = UnmatchedDatasetRow.__table__  # type: ignore[attr-defined]
    new = insert(session, table)
    updated = {name: new.excluded[name] for name in ("last_seen_at", "lineage_run_id", "details")}
    return new.on_conflict_do_update(
        index_elements=["namespace", "name"], set_={**updated, "write_count": table.c.write_count + 1}
    )


def _outputs(run: FoldedRun) -> dict[LineageName, list[FoldedDataset]]:
    outputs: dict[LineageName, list[FoldedDataset]] = {}
    for each in run.outputs:
        outputs.setdefault(table_name(normalise(each.namespace, each.name)).dataset, []).append(each)
    return outputs


def list_unmatched(session: Session, *, limit: int = 100) -> Sequence[UnmatchedDatasetRow]:
    """List datasets that still have no contract, latest write first."""
    query = select(UnmatchedDatasetRow).order_by(
        col(UnmatchedDatasetRow.last_seen_at).desc(), col(UnmatchedDatasetRow.name)
    )
    rows = session.exec(query.limit(limit)).all()
    alias_groups = groups(session, [LineageName(each.namespace, each.name) for each in rows])
    return [each for each in rows if not alias_groups[LineageName(each.namespace, each.name)].about]


def candidate_objects(session: Session, rows: Iterable[UnmatchedDatasetRow]) -> dict[LineageName, list[ContractObject]]:
    """Return the contract objects whose path ends with the dataset's path.

    Some producers report relative paths, without the folder that the job ran in."""
    paths = {LineageName(each.namespace, each.name) for each in rows if each.namespace == FILES}
    link, of_files = DatasetContractRow, col(DatasetRow.namespace) == FILES
    query = select(DatasetRow.name, link.contract_id, link.object).join(
        DatasetRow, col(DatasetRow.id) == col(link.dataset_id)
    )
    file_objects = (
        [(name, ContractObject(*about)) for name, *about in session.exec(query.where(of_files))] if paths else []
    )
    return {path: sorted({about for name, about in file_objects if name.endswith(path.name)}) for path in paths}


def forget(session: Session, *, now: datetime) -> int:
    """Delete datasets not written for 90 days; return their number."""
    return int(
        session.exec(delete(UnmatchedDatasetRow).where(col(UnmatchedDatasetRow.last_seen_at) < now - LASTS)).rowcount
    )


def _columns(dataset: FoldedDataset) -> list[dict[str, Any]]:
    fields = dataset.facet("schema").get("fields")
    columns = (each for each in (fields if isinstance(fields, list) else ()) if isinstance(each, dict))
    return [{"name": each.get("name"), "type": each.get("type")} for each in columns][:COLUMNS]
