"""Store the packed states of partitions in generations. One generation of a partition is current.

Every change of a dataset's states creates a new states version. A run records the version it evaluated, so that it can
be repeated as long as the generations are stored."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import datetime
from uuid import UUID

from sqlalchemy import ColumnElement, bindparam, delete, func, or_, update
from sqlmodel import Session, col, select

from treaty.contracts.fingerprint import fingerprint
from treaty.contracts.schema import Column, Schema
from treaty.engine.core.errors import StateError
from treaty.engine.core.partitions import months
from treaty.engine.protocol.requests import MeasureResult
from treaty.engine.states.inventory import inventory
from treaty.registry.core.errors import Conflict
from treaty.registry.tables import DatasetRow, PartitionStateRow

CHUNK = 500


class StateConflict(Conflict):
    """Another validation stored states of the same data first."""

    default_message = "Another validation of the same data finished first. Try again."


def stored_fingerprints(session: Session, dataset_id: UUID, *, version: int | None = None) -> dict[str, str]:
    """Return the fingerprint of each stored partition at its last scan; {} if none was ever measured.

    `version`: states version to use, as far as it is still stored; None means the current one. Merged days are listed
    individually."""
    row = PartitionStateRow
    query = select(row.partition, row.fingerprint, row.members).where(*_at(dataset_id, version))
    rows = session.exec(query.order_by(row.partition)).all()
    return {
        name: mark for partition, own, members in rows for name, mark in (members or {partition: own}).items()
    }  # fmt: skip


def names(session: Session, dataset_id: UUID, *, version: int | None = None) -> list[str]:
    """Return the names of stored states: partitions and merged days.

    `version`: states version to use; None means the current one."""
    query = select(PartitionStateRow.partition).where(*_at(dataset_id, version))
    return list(session.exec(query.order_by(PartitionStateRow.partition)))


def merged_names(session: Session, dataset_id: UUID) -> frozenset[str]:
    """Return the names that stand for several days whose states were merged."""
    several = col(PartitionStateRow.members).is_not(None)
    return frozenset(session.exec(select(PartitionStateRow.partition).where(*_at(dataset_id), several)))


def load(session: Session, dataset_id: UUID, *, version: int | None = None) -> dict[str, bytes]:
    """Return the packed states by name.

    `version`: states version to use, as far as it is still stored; None means the current one."""
    query = select(PartitionStateRow.partition, PartitionStateRow.states).where(*_at(dataset_id, version))
    return dict(session.exec(query.order_by(PartitionStateRow.partition)).all())


def entries(session: Session, dataset_id: UUID, *, version: int) -> dict[str, tuple[str, str]]:
    """Return the fingerprint and bag name of each partition at that version.

    A bag without a name of its own is named by its row id."""
    row = PartitionStateRow
    query = select(row.partition, row.fingerprint, row.bag, row.id).where(*_at(dataset_id, version))
    rows = session.exec(query.order_by(row.partition))
    return {name: (fingerprint, bag or str(row_id)) for name, fingerprint, bag, row_id in rows}


def bag(session: Session, dataset_id: UUID, name: str) -> bytes | None:
    """Return the newest packed states of the bag, current or not; None if there are none."""
    row = PartitionStateRow
    by_row_id = [col(row.id) == UUID(name)] if len(name) == len(str(dataset_id)) else []
    query = select(row.states).where(row.dataset_id == dataset_id, or_(col(row.bag) == name, *by_row_id))
    return session.exec(query.order_by(col(row.id).desc()).limit(1)).first()


def name(session: Session, dataset_id: UUID, bags: Mapping[str, str]) -> None:
    """Set the bag names of the current states of these partitions."""
    row = col(PartitionStateRow.partition) == bindparam("of")
    statement = update(PartitionStateRow).where(*_at(dataset_id), row).values(bag=bindparam("named"))
    if bags:
        session.connection().execute(statement, [{"of": of, "named": named} for of, named in bags.items()])


def load_partitions(
    session: Session, dataset_id: UUID, partitions: Collection[str], *, version: int
) -> Iterator[PartitionStateRow]:
    """Yield the rows of these partitions at that version, sorted by name.

    Rows are loaded in batches."""
    names = sorted(partitions)
    query = select(PartitionStateRow).where(*_at(dataset_id, version)).order_by(PartitionStateRow.partition)
    for start in range(0, len(names), CHUNK):
        yield from session.exec(query.where(col(PartitionStateRow.partition).in_(names[start : start + CHUNK])))


def schema(session: Session, dataset_id: UUID, *, version: int | None = None) -> Schema:
    """Return the last stored columns of the dataset; an empty schema if nothing is stored.

    `version`: states version to use; None means the current one."""
    query = select(PartitionStateRow.columns).where(*_at(dataset_id, version))
    columns = session.exec(
        query.order_by(col(PartitionStateRow.created_at).desc(), col(PartitionStateRow.id).desc()).limit(1)
    ).first()
    return Schema(tuple(Column(**column) for column in columns or ()))


def save(
    session: Session,
    dataset_id: UUID,
    measured: MeasureResult | None,
    *,
    vanished: Collection[str] = (),
    now: datetime,
    ids: Callable[[], UUID],
) -> int:
    """Store measured states as a new generation of their partitions, and end vanished ones.

    Merged states end if any of their days is measured or vanished; days of theirs that are not measured count as never
    read. Returns the new states version of the dataset, or the existing one if nothing changes."""
    dataset = session.get_one(DatasetRow, dataset_id)
    states = measured.states if measured else {}
    if not states and not vanished:
        return dataset.states_version
    dataset.states_version += 1
    generations = _generations(session, dataset_id, states)
    ended = {*states, *vanished}
    broken = {name for name in merged_names(session, dataset_id) if not ended.isdisjoint(months.members(name))}
    _end(session, dataset_id, ended | broken, version=dataset.states_version, now=now)
    columns = [{"name": each.name, "type": each.type, "nullable": each.nullable} for each in _columns(measured)]
    session.add_all(
        PartitionStateRow(
            id=ids(),
            dataset_id=dataset_id,
            partition=partition,
            generation=generations.get(partition, 0) + 1,
            from_version=dataset.states_version,
            fingerprint=measured.fingerprints[partition] if measured else "",
            states=packed,
            columns=columns,
            created_at=now,
            files=files_of(packed),
        )
        for partition, packed in states.items()
    )
    session.flush()
    return dataset.states_version


def fold(
    session: Session, rows: Sequence[PartitionStateRow], packed: bytes, *, now: datetime, ids: Callable[[], UUID]
) -> PartitionStateRow:
    """Replace the states of several days by their merged state.

    All rows must be of one dataset. Raises StateConflict if one of them is no longer current."""
    dataset = session.get_one(DatasetRow, rows[0].dataset_id, with_for_update=True, populate_existing=True)
    current_ids = session.exec(
        select(PartitionStateRow.id).where(*_at(dataset.id), col(PartitionStateRow.id).in_(_ids(rows)))
    ).all()
    if len(current_ids) != len(rows):
        raise StateConflict
    dataset.states_version += 1
    _end(session, dataset.id, {row.partition for row in rows}, version=dataset.states_version, now=now)
    row = _folded(rows, packed, ids())
    row.from_version = dataset.states_version
    row.generation += _generations(session, dataset.id, {row.partition}).get(row.partition, 0)
    session.add(row)
    session.flush()
    return row


def _ids(rows: Iterable[PartitionStateRow]) -> list[UUID]:
    return [row.id for row in rows]


def _folded(rows: Sequence[PartitionStateRow], packed: bytes, row_id: UUID) -> PartitionStateRow:
    """Return a row with the age and columns of the newest of these rows."""
    newest = max(rows, key=lambda row: (row.created_at, row.id))
    merged_days = months.merge_days(days for row in rows if (days := months.days(row.partition)))
    members = {
        name: partition_fingerprint
        for row in rows
        for name, partition_fingerprint in (row.members or {row.partition: row.fingerprint}).items()
    }
    return PartitionStateRow(
        id=row_id,
        dataset_id=newest.dataset_id,
        partition=merged_days.name,
        fingerprint=fingerprint(members),
        states=packed,
        columns=newest.columns,
        created_at=newest.created_at,
        files=files_of(packed),
        members=dict(sorted(members.items())),
    )


def files_of(packed: bytes) -> list[str]:
    """Return the names of the files that the packed states reference; [] if the bytes are not valid states."""
    with suppress(StateError):
        states, _ = inventory(packed)
        return sorted({each.file for each in states if each.file})
    return []


def prune(session: Session, dataset_id: UUID, *, before: datetime) -> int:
    """Delete the generations that ended before that time, and return their number."""
    ended = col(PartitionStateRow.ended_at) < before
    return session.exec(
        delete(PartitionStateRow).where(col(PartitionStateRow.dataset_id) == dataset_id, ended)
    ).rowcount


def _columns(measured: MeasureResult | None) -> Schema:
    return measured.schema if measured else Schema(())


def _at(dataset_id: UUID, version: int | None = None) -> tuple[ColumnElement[bool], ...]:
    """Return the SQL conditions for current states, or for those of a states version."""
    of_dataset, until = col(PartitionStateRow.dataset_id) == dataset_id, col(PartitionStateRow.until_version)
    if version is None:
        return of_dataset, until.is_(None)
    return of_dataset, col(PartitionStateRow.from_version) <= version, until.is_(None) | (until > version)


def _generations(session: Session, dataset_id: UUID, partitions: Collection[str]) -> dict[str, int]:
    """Return the latest stored generation of each of these partitions."""
    row = PartitionStateRow
    query = select(row.partition, func.max(row.generation)).where(row.dataset_id == dataset_id).group_by(row.partition)
    return {name: generation for name, generation in session.exec(query) if name in partitions}


def _end(session: Session, dataset_id: UUID, partitions: Collection[str], *, version: int, now: datetime) -> None:
    names = sorted(partitions)
    for start in range(0, len(names), CHUNK):
        in_batch = col(PartitionStateRow.partition).in_(names[start : start + CHUNK])
        statement = (
            update(PartitionStateRow).where(*_at(dataset_id), in_batch).values(until_version=version, ended_at=now)
        )
        session.exec(statement, execution_options={"synchronize_session": False})
