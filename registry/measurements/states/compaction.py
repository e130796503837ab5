"""States of the days of a month that is long over, merged into one: what can be asked of all of them stays the same.

Days are merged that have states of the same metrics on the same columns: so nothing is lost of any question that takes
all of them. What is measured of each day alone has been stored by its run. The days' own states end, and are kept as
generations of before."""

import logging
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from datetime import date, datetime
from typing import Protocol
from uuid import UUID

from sqlalchemy import Engine as Database
from sqlmodel import Session, col, select

from treaty.engine.core.errors import StateError
from treaty.engine.core.partitions import months, views
from treaty.engine.states import bag as bags
from treaty.engine.states import inventory
from treaty.engine.states.bag import StateFileStore
from treaty.registry.contracts import in_force
from treaty.registry.core.database import read_session, transaction
from treaty.registry.measurements.states import state_store
from treaty.registry.tables import PartitionStateRow

log = logging.getLogger("treaty.worker")
# Combinations of one grouping that are loaded at once: about 1 GB. So many would be kept together as apart, besides.
MOST_COMBINATIONS = 5_000_000


class CompactionFiles(StateFileStore, Protocol):
    """Where large states lie, and how many combinations they count."""

    def rows(self, names: Collection[str]) -> int: ...


def compact(
    database: Database,
    files: CompactionFiles,
    dataset_id: UUID,
    *,
    over: date,
    clock: Callable[[], datetime],
    ids: Callable[[], UUID],
) -> Iterator[int]:
    """Merges the states of days by month, of months that were over by that day, each in a transaction of its own.

    Says after each how many names stand for several days now that did not before. What changes meanwhile is left as it
    is, and so are months that a view of a contract in force takes in part, and those of more combinations of one
    grouping than can be loaded at once."""
    with read_session(database) as session:
        named = state_store.names(session, dataset_id)
        keeps_apart = _views(session, dataset_id)
    for names in _months(named, over):
        if keeps_apart(_name(names)):
            continue
        for alike in _alike(_rows(database, dataset_id, names)):
            yield int(_merged(database, files, alike, clock=clock, ids=ids))


def _views(session: Session, dataset_id: UUID) -> Callable[[str], bool]:
    """What tells of a name whether a view is true for some of its days alone: then these are not merged."""
    schema, found = state_store.schema(session, dataset_id), in_force.all_about(session, dataset_id)
    return lambda name: any(views.tell_apart(each.object, schema, name) for each in found)


def _name(names: Iterable[str]) -> str:
    """What stands for the days of all these names."""
    return months.merge_days(told for name in names if (told := months.days(name))).name


def _months(names: Iterable[str], over: date) -> list[list[str]]:
    """The names of days that are of one month and alike otherwise, where there are several."""
    found = defaultdict(list)
    for name in names:
        told = months.days(name)
        if told and told.end <= over:
            found[told.among].append(name)
    return [names for _, names in sorted(found.items()) if len(names) > 1]


def _rows(database: Database, dataset_id: UUID, names: Sequence[str]) -> list[PartitionStateRow]:
    with read_session(database) as session:
        current = select(PartitionStateRow).where(PartitionStateRow.dataset_id == dataset_id)
        of_names = current.where(
            col(PartitionStateRow.until_version).is_(None), col(PartitionStateRow.partition).in_(names)
        )
        return list(session.exec(of_names.order_by(PartitionStateRow.partition)))


def _alike(rows: Iterable[PartitionStateRow]) -> list[list[PartitionStateRow]]:
    """The rows whose states are of the same metrics and columns together; damaged ones, and single ones, left out."""
    found = defaultdict(list)
    for row in rows:
        try:
            held, failures = inventory.inventory(row.states)
            schema, _ = inventory.describe_bag(row.states)
        except StateError:
            continue
        if bags.ALL not in failures and all(each.usable for each in held):
            found[schema, frozenset((each.key, each.key_id) for each in held), frozenset(failures.items())].append(row)
    return [alike for alike in found.values() if len(alike) > 1]


def _merged(
    database: Database,
    files: CompactionFiles,
    rows: Sequence[PartitionStateRow],
    *,
    clock: Callable[[], datetime],
    ids: Callable[[], UUID],
) -> bool:
    """Whether the rows were merged into one: not where one of them cannot be read, or is current no more."""
    try:
        if not _fit(files, rows):
            return False
        packed = bags.merge_packed([row.states for row in rows], files)
        with transaction(database) as session:
            state_store.fold(session, rows, packed, now=clock(), ids=ids)
            session.commit()
    except (StateError, state_store.StateConflict) as error:
        log.warning("states of a month were left as they are: %s", error)
        return False
    return True


def _fit(files: CompactionFiles, rows: Sequence[PartitionStateRow]) -> bool:
    by_key = defaultdict(list)
    for row in rows:
        for each in inventory.inventory(row.states)[0]:
            if each.file:
                by_key[each.key].append(each.file)
    return all(files.rows(names) <= MOST_COMBINATIONS for names in by_key.values())
