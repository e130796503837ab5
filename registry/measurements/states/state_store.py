"""The memory of partitions: generations of packed states, of which one a partition is current.

Every change of a dataset's states makes a version of them; a run names the one it judged, so that it can be done
again for as long as the generations are kept."""

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
    """Another validation of the same data came first: this one has to look again."""


def stored_fingerprints(session: Session, dataset_id: UUID, *, version: int | None = None) -> dict[str, str]:
    """The fingerprint that each stored partition was read at; empty for a dataset never measured.

    With `version` as it was then, as far as it is kept. Days whose states were merged are known one by one."""
    row = PartitionStateRow
    query = select(row.partition, row.fingerprint, row.members).where(*_at(dataset_id, version))
    found = session.exec(query.order_by(row.partition)).all()
    return {
        name: mark for partition, own, members in found for name, mark in (members or {partition: own}).items()
    }  # fmt: skip


def names(session: Session, dataset_id: UUID, *, version: int | None = None) -> list[str]:
    """What states are stored under: partitions, and days whose states were merged; with `version` as it was then."""
    query = select(PartitionStateRow.partition).where(*_at(dataset_id, version))
    return list(session.exec(query.order_by(PartitionStateRow.partition)))


def merged_names(session: Session, dataset_id: UUID) -> frozenset[str]:
    """The names that stand for several days, whose states were merged."""
    several = col(PartitionStateRow.members).is_not(None)
    return frozenset(session.exec(select(PartitionStateRow.partition).where(*_at(dataset_id), several)))


def load(session: Session, dataset_id: UUID, *, version: int | None = None) -> dict[str, bytes]:
    """The packed states of every stored partition; with `version` as they were then, as far as they are kept."""
    query = select(PartitionStateRow.partition, PartitionStateRow.states).where(*_at(dataset_id, version))
    return dict(session.exec(query.order_by(PartitionStateRow.partition)).all())


def entries(session: Session, dataset_id: UUID, *, version: int) -> dict[str, tuple[str, str]]:
    """Of each partition at that version the fingerprint it was read at, and the name of its bag: as it was kept, else
    the row's id."""
    row = PartitionStateRow
    query = select(row.partition, row.fingerprint, row.bag, row.id).where(*_at(dataset_id, version))
    found = session.exec(query.order_by(row.partition))
    return {name: (fingerprint, bag or str(row_id)) for name, fingerprint, bag, row_id in found}


def bag(session: Session, dataset_id: UUID, name: str) -> bytes | None:
    """The packed states of the bag of that name, the newest of them, current or not; None where there are none."""
    row = PartitionStateRow
    own = [col(row.id) == UUID(name)] if len(name) == len(str(dataset_id)) else []
    query = select(row.states).where(row.dataset_id == dataset_id, or_(col(row.bag) == name, *own))
    return session.exec(query.order_by(col(row.id).desc()).limit(1)).first()


def name(session: Session, dataset_id: UUID, bags: Mapping[str, str]) -> None:
    """Gives the current bags of these partitions the names under which they were kept."""
    row = col(PartitionStateRow.partition) == bindparam("of")
    naming = update(PartitionStateRow).where(*_at(dataset_id), row).values(bag=bindparam("named"))
    if bags:
        session.connection().execute(naming, [{"of": of, "named": named} for of, named in bags.items()])


def load_partitions(
    session: Session, dataset_id: UUID, partitions: Collection[str], *, version: int
) -> Iterator[PartitionStateRow]:
    """The rows of these partitions as they were at that version, in the order of their names, a portion at a time."""
    names = sorted(partitions)
    query = select(PartitionStateRow).where(*_at(dataset_id, version)).order_by(PartitionStateRow.partition)
    for start in range(0, len(names), CHUNK):
        yield from session.exec(query.where(col(PartitionStateRow.partition).in_(names[start : start + CHUNK])))


def schema(session: Session, dataset_id: UUID, *, version: int | None = None) -> Schema:
    """The columns as last stored, up to `version`; without columns where nothing is stored."""
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
    """Makes the measured states the current ones, a new generation of each partition, and ends those that vanished.

    Merged states of days end with any of them: what is not among the measured states counts as never read. Returns the
    version of the dataset's states that this makes; where nothing changes, the one there is."""
    dataset = session.get_one(DatasetRow, dataset_id)
    fresh = measured.states if measured else {}
    if not fresh and not vanished:
        return dataset.states_version
    dataset.states_version += 1
    before = _generations(session, dataset_id, fresh)
    ended = {*fresh, *vanished}
    lost = {name for name in merged_names(session, dataset_id) if not ended.isdisjoint(months.members(name))}
    _end(session, dataset_id, ended | lost, version=dataset.states_version, now=now)
    columns = [{"name": each.name, "type": each.type, "nullable": each.nullable} for each in _columns(measured)]
    session.add_all(
        PartitionStateRow(
            id=ids(),
            dataset_id=dataset_id,
            partition=partition,
            generation=before.get(partition, 0) + 1,
            from_version=dataset.states_version,
            fingerprint=measured.fingerprints[partition] if measured else "",
            states=packed,
            columns=columns,
            created_at=now,
            files=files_of(packed),
        )
        for partition, packed in fresh.items()
    )
    session.flush()
    return dataset.states_version


def fold(
    session: Session, rows: Sequence[PartitionStateRow], packed: bytes, *, now: datetime, ids: Callable[[], UUID]
) -> PartitionStateRow:
    """Puts the merged states of these generations in their place. They are of one dataset, and their names are days.

    Raises Overtaken where one of them is not current any more."""
    dataset = session.get_one(DatasetRow, rows[0].dataset_id, with_for_update=True, populate_existing=True)
    found = session.exec(
        select(PartitionStateRow.id).where(*_at(dataset.id), col(PartitionStateRow.id).in_(_ids(rows)))
    ).all()
    if len(found) != len(rows):
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
    """A row that is as old as the newest of these, whose columns it has."""
    newest = max(rows, key=lambda row: (row.created_at, row.id))
    told = months.merge_days(found for row in rows if (found := months.days(row.partition)))
    members = {name: mark for row in rows for name, mark in (row.members or {row.partition: row.fingerprint}).items()}
    return PartitionStateRow(
        id=row_id,
        dataset_id=newest.dataset_id,
        partition=told.name,
        fingerprint=fingerprint(members),
        states=packed,
        columns=newest.columns,
        created_at=newest.created_at,
        files=files_of(packed),
        members=dict(sorted(members.items())),
    )


def files_of(packed: bytes) -> list[str]:
    """The names of the files that the packed states lie in; none for bytes that are no states: they name nothing."""
    with suppress(StateError):
        held, _ = inventory(packed)
        return sorted({each.file for each in held if each.file})
    return []


def prune(session: Session, dataset_id: UUID, *, before: datetime) -> int:
    """Deletes the generations that ended before that moment, current ones never. Returns how many there were."""
    ended = col(PartitionStateRow.ended_at) < before
    return session.exec(
        delete(PartitionStateRow).where(col(PartitionStateRow.dataset_id) == dataset_id, ended)
    ).rowcount


def _columns(measured: MeasureResult | None) -> Schema:
    return measured.schema if measured else Schema(())


def _at(dataset_id: UUID, version: int | None = None) -> tuple[ColumnElement[bool], ...]:
    """The generations that are current, or that were in that version of the dataset's states."""
    mine, until = col(PartitionStateRow.dataset_id) == dataset_id, col(PartitionStateRow.until_version)
    if version is None:
        return mine, until.is_(None)
    return mine, col(PartitionStateRow.from_version) <= version, until.is_(None) | (until > version)


def _generations(session: Session, dataset_id: UUID, partitions: Collection[str]) -> dict[str, int]:
    """The newest generation of each of these partitions that ever was, as far as any is kept."""
    row = PartitionStateRow
    query = select(row.partition, func.max(row.generation)).where(row.dataset_id == dataset_id).group_by(row.partition)
    return {name: generation for name, generation in session.exec(query) if name in partitions}


def _end(session: Session, dataset_id: UUID, partitions: Collection[str], *, version: int, now: datetime) -> None:
    names = sorted(partitions)
    for start in range(0, len(names), CHUNK):
        some = col(PartitionStateRow.partition).in_(names[start : start + CHUNK])
        ending = update(PartitionStateRow).where(*_at(dataset_id), some).values(until_version=version, ended_at=now)
        session.exec(ending, execution_options={"synchronize_session": False})
