"""Merge the daily states of past months into one state per month.

The merge loses nothing for queries on all days. Days are merged only if their states have the same metrics on the same
columns. Measurements of single days are already stored by their runs. The daily states end and become previous
generations."""

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
# Combinations of one grouping to load at once: about 1 GB. Merging larger groupings would not save space anyway.
MOST_COMBINATIONS = 5_000_000


class CompactionFiles(StateFileStore, Protocol):
    """Store of state files that counts the combinations in them."""

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
    """Merge daily states by month, for months that ended by `over`.

    Each month has its own transaction. Yields for each attempt 1 if the states were merged, else 0. States that change
    meanwhile are left as they are, and so are months that a view of a contract in force covers in part, and groupings
    too large to load."""
    with read_session(database) as session:
        stored_names = state_store.names(session, dataset_id)
        is_split = _views(session, dataset_id)
    for names in _months(stored_names, over):
        if is_split(_name(names)):
            continue
        for alike in _alike(_rows(database, dataset_id, names)):
            yield int(_merged(database, files, alike, clock=clock, ids=ids))


def _views(session: Session, dataset_id: UUID) -> Callable[[str], bool]:
    """Return a predicate on names: whether a view applies to only some of the days, which prevents merging."""
    schema, contracts = state_store.schema(session, dataset_id), in_force.all_about(session, dataset_id)
    return lambda name: any(views.tell_apart(each.object, schema, name) for each in contracts)


def _name(names: Iterable[str]) -> str:
    """Return the name of the merged days."""
    return months.merge_days(days for name in names if (days := months.days(name))).name


def _months(names: Iterable[str], over: date) -> list[list[str]]:
    """Return groups of two or more day names that belong to the same month."""
    groups = defaultdict(list)
    for name in names:
        days = months.days(name)
        if days and days.end <= over:
            groups[days.among].append(name)
    return [names for _, names in sorted(groups.items()) if len(names) > 1]


def _rows(database: Database, dataset_id: UUID, names: Sequence[str]) -> list[PartitionStateRow]:
    with read_session(database) as session:
        current = select(PartitionStateRow).where(PartitionStateRow.dataset_id == dataset_id)
        of_names = current.where(
            col(PartitionStateRow.until_version).is_(None), col(PartitionStateRow.partition).in_(names)
        )
        return list(session.exec(of_names.order_by(PartitionStateRow.partition)))


def _alike(rows: Iterable[PartitionStateRow]) -> list[list[PartitionStateRow]]:
    """Group rows with the same metrics and columns. Damaged and single rows are omitted."""
    groups = defaultdict(list)
    for row in rows:
        try:
            states, failures = inventory.inventory(row.states)
            schema, _ = inventory.describe_bag(row.states)
        except StateError:
            continue
        if bags.ALL not in failures and all(each.usable for each in states):
            groups[schema, frozenset((each.key, each.key_id) for each in states), frozenset(failures.items())].append(
                row
            )
    return [alike for alike in groups.values() if len(alike) > 1]


def _merged(
    database: Database,
    files: CompactionFiles,
    rows: Sequence[PartitionStateRow],
    *,
    clock: Callable[[], datetime],
    ids: Callable[[], UUID],
) -> bool:
    """Merge the rows and return whether that succeeded.

    False if a row cannot be read or is no longer current."""
    try:
        if not _fit(files, rows):
            return False
        packed = bags.merge_packed([row.states for row in rows], files)
        with transaction(database) as session:
            state_store.fold(session, rows, packed, now=clock(), ids=ids)
            session.commit()
    except (StateError, state_store.StateConflict) as error:
        log.warning("States of a month were not merged: %s", error)
        return False
    return True


def _fit(files: CompactionFiles, rows: Sequence[PartitionStateRow]) -> bool:
    by_key = defaultdict(list)
    for row in rows:
        for each in inventory.inventory(row.states)[0]:
            if each.file:
                by_key[each.key].append(each.file)
    return all(files.rows(names) <= MOST_COMBINATIONS for names in by_key.values())
