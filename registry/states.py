"""The memory of partitions: for each partition of a dataset the packed states of its current generation."""

from collections.abc import Callable, Collection
from datetime import datetime
from uuid import UUID

from sqlalchemy import delete
from sqlalchemy.orm import defer
from sqlmodel import Session, col, select

from contracts.logical_types import Column, Schema
from engine.requests import Measured
from registry.errors import Conflict
from registry.tables import PartitionState

CHUNK = 500


class Overtaken(Conflict):
    """Another validation of the same data came first: this one has to look again."""


def known(session: Session, dataset_id: UUID) -> dict[str, str]:
    """The fingerprint that each stored partition was read at; empty for a dataset never measured."""
    query = select(PartitionState.partition, PartitionState.fingerprint).where(PartitionState.dataset_id == dataset_id)
    return dict(session.exec(query.order_by(PartitionState.partition)).all())


def load(session: Session, dataset_id: UUID) -> dict[str, bytes]:
    """The packed states of every stored partition."""
    query = select(PartitionState.partition, PartitionState.states).where(PartitionState.dataset_id == dataset_id)
    return dict(session.exec(query.order_by(PartitionState.partition)).all())


def schema(session: Session, dataset_id: UUID) -> Schema:
    """The columns as last stored; without columns where nothing is stored."""
    query = select(PartitionState.columns).where(PartitionState.dataset_id == dataset_id)
    columns = session.exec(
        query.order_by(col(PartitionState.created).desc(), col(PartitionState.id).desc()).limit(1)
    ).first()
    return Schema(tuple(Column(**column) for column in columns or ()))


def save(session: Session, dataset_id: UUID, measured: Measured, *, now: datetime, ids: Callable[[], UUID]) -> None:
    """Makes the measured states the current ones: a new generation where the partition was known before."""
    rows = _rows(session, dataset_id)
    columns = [{"name": column.name, "type": column.type, "nullable": column.nullable} for column in measured.schema]
    for partition, packed in measured.states.items():
        row = rows.get(partition) or PartitionState(
            id=ids(), dataset_id=dataset_id, partition=partition, generation=0, fingerprint="", states=b"", created=now
        )
        row.generation += 1
        row.fingerprint, row.states = measured.fingerprints[partition], packed
        row.columns, row.created = columns, now
        session.add(row)
    session.flush()


def forget(session: Session, dataset_id: UUID, partitions: Collection[str]) -> None:
    """Removes vanished partitions from the current set; unknown ones are no matter."""
    names = sorted(partitions)
    for start in range(0, len(names), CHUNK):
        some = col(PartitionState.partition).in_(names[start : start + CHUNK])
        session.exec(delete(PartitionState).where(col(PartitionState.dataset_id) == dataset_id, some))


def _rows(session: Session, dataset_id: UUID) -> dict[str, PartitionState]:
    query = select(PartitionState).where(PartitionState.dataset_id == dataset_id)
    return {row.partition: row for row in session.exec(query.options(defer(PartitionState.states)))}  # type: ignore[arg-type]
