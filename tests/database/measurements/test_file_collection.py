"""Files that some generation's row names are kept, whoever wrote the row, and the others are removed."""

from datetime import timedelta
from pathlib import Path

import pytest
from sqlalchemy import delete, update
from sqlmodel import col, select
from support.api import NOW
from support.memories import DAYS, ROWS, Memory

from treaty.engine.core import clock
from treaty.registry.core import ids
from treaty.registry.core.database import transaction
from treaty.registry.measurements.states import state_store
from treaty.registry.measurements.states.file_collection import RemovedFiles, collect
from treaty.registry.queue import task_queue
from treaty.registry.tables import DatasetRow, PartitionStateRow, ReadCheckpointRow

LATER = clock.now() + timedelta(days=2)
OTHER_ROWS = {**ROWS, "id": [5, 6, 7, 8]}


def there(memory: Memory) -> set[str]:
    return {each.name for each in memory.files.list_files()}


def prune(memory: Memory) -> None:
    """Deletes all that is not current."""
    with transaction(memory.world.engine) as tx:
        state_store.prune(tx, tx.exec(select(DatasetRow)).one().id, before=LATER)
        tx.commit()


def test_a_file_is_removed_once_no_generation_names_it(memory: Memory) -> None:
    first = there(memory)
    memory.save(*DAYS, rows=OTHER_ROWS)
    both = there(memory)
    assert (len(first), len(both)) == (1, 2)
    assert collect(memory.world.engine, memory.files, before=LATER) == RemovedFiles()
    prune(memory)
    size = sum(memory.files.sizes(first).values())
    assert collect(memory.world.engine, memory.files, before=LATER) == RemovedFiles(1, size)
    assert there(memory) == both - first
    _, told = memory.metrics()
    assert {each.reason for each in told.values()} == {None}


def test_what_was_written_within_the_grace_is_kept(memory: Memory) -> None:
    memory.files.write(b"of a validation that goes on")
    before = there(memory)
    assert collect(memory.world.engine, memory.files, before=clock.now() - timedelta(days=1)) == RemovedFiles()
    assert there(memory) == before


@pytest.mark.parametrize("unlooked", [DAYS, DAYS[:1]])
def test_rows_that_do_not_say_which_files_they_name_are_opened(memory: Memory, unlooked: list[str]) -> None:
    memory.save(*DAYS[1:], rows=OTHER_ROWS)
    Path(memory.files.url, "0" * 64 + ".parquet").write_bytes(b"left over")
    named = there(memory) - {"0" * 64 + ".parquet"}
    with transaction(memory.world.engine) as tx:
        tx.exec(update(PartitionStateRow).where(col(PartitionStateRow.partition).in_(unlooked)).values(files=None))
        tx.commit()
    assert collect(memory.world.engine, memory.files, before=LATER) == RemovedFiles(1, 9)
    assert there(memory) == named


def test_damaged_states_name_no_file_and_stop_nothing(memory: Memory) -> None:
    (name,) = there(memory)
    memory.put(b"damaged")
    prune(memory)
    assert collect(memory.world.engine, memory.files, before=LATER).files == 1
    assert memory.files.sizes([name]) == {}


def test_files_of_what_a_task_has_read_so_far_are_kept(memory: Memory) -> None:
    (name,) = there(memory)
    with transaction(memory.world.engine) as tx:
        packed = tx.exec(select(PartitionStateRow)).first()
        assert packed
        task = task_queue.enqueue(tx, kind="validate", payload={}, key="reads", now=NOW, task_id=ids.new())
        assert task
        tx.add(ReadCheckpointRow(task_id=task.id, partition="day=1", fingerprint="f", states=packed.states))
        tx.exec(delete(PartitionStateRow))
        tx.commit()
    assert collect(memory.world.engine, memory.files, before=LATER) == RemovedFiles()
    with transaction(memory.world.engine) as tx:
        tx.exec(delete(ReadCheckpointRow))
        tx.commit()
    assert collect(memory.world.engine, memory.files, before=LATER).files == 1
    assert name not in there(memory)
