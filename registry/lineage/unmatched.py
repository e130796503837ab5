"""Datasets that runs write and no contract in force is about: what a contract or an alias could be made of."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import delete
from sqlmodel import Session, col, select

from registry.lineage.aliases import groups
from registry.lineage.fold import FoldedDataset, FoldedRun
from registry.lineage.links import LONGEST
from registry.lineage.names import Name, normalise, trim
from registry.lineage.triggers import Trigger
from registry.tables import LineageRun, UnmatchedDataset

LASTS = timedelta(days=90)
# What more a schema has is told by the event itself.
COLUMNS = 200


def remember(
    session: Session, trigger: Trigger, run: LineageRun | None, folded: FoldedRun | None, *, now: datetime
) -> None:
    """Keeps that the dataset was written, and what the run said of it. Names that no key can hold are not kept."""
    if len(str(trigger.dataset).encode()) > LONGEST:
        return
    row = session.get(UnmatchedDataset, (trigger.dataset.namespace, trigger.dataset.name), with_for_update=True)
    if row is None:
        row = UnmatchedDataset(
            namespace=trigger.dataset.namespace, name=trigger.dataset.name, first_seen=now, last_seen=now, times=0
        )
        session.add(row)
    row.last_seen, row.times = now, row.times + 1
    row.lineage_run_id = run.id if run else None
    row.told = told(trigger, folded)
    session.flush()


def told(trigger: Trigger, run: FoldedRun | None) -> dict[str, Any]:
    """What is known of the dataset: its other names, the job that wrote it, its columns and format as far as told."""
    outputs = [each for each in run.outputs if _table(each) == trigger.dataset] if run else []
    columns = next(filter(None, map(_columns, outputs)), [])
    formats = filter(None, (each.facet("storage").get("fileFormat") for each in outputs))
    return {
        "also": [{"namespace": each.namespace, "name": each.name} for each in trigger.also],
        "job": {"namespace": run.job_namespace, "name": run.job_name} if run else None,
        "columns": columns,
        "format": next(formats, None),
        "partitions": [dict(each) for each in trigger.partitions[:10]],
    }


def listed(session: Session, *, limit: int = 100) -> Sequence[UnmatchedDataset]:
    """Datasets that nobody promises anything about still, what was written last first."""
    query = select(UnmatchedDataset).order_by(col(UnmatchedDataset.last_seen).desc(), col(UnmatchedDataset.name))
    rows = session.exec(query.limit(limit)).all()
    known = groups(session, [Name(each.namespace, each.name) for each in rows])
    return [each for each in rows if not known[Name(each.namespace, each.name)].about]


def forget(session: Session, *, now: datetime) -> int:
    """Forgets those that nobody wrote for 90 days; how many these were."""
    return int(session.exec(delete(UnmatchedDataset).where(col(UnmatchedDataset.last_seen) < now - LASTS)).rowcount)


def _table(dataset: FoldedDataset) -> Name:
    return trim(normalise(dataset.namespace, dataset.name)).dataset


def _columns(dataset: FoldedDataset) -> list[dict[str, Any]]:
    fields = dataset.facet("schema").get("fields")
    told = (each for each in (fields if isinstance(fields, list) else ()) if isinstance(each, dict))
    return [{"name": each.get("name"), "type": each.get("type")} for each in told][:COLUMNS]
