"""What a look at a table begins with: what runs that wrote to it tell, what was read before, what its contract says."""

from collections.abc import Iterable, Sequence
from datetime import timedelta
from typing import NamedTuple
from uuid import UUID

from sqlmodel import Session

from treaty.contracts.document.model import Lineage
from treaty.engine.protocol.write_hints import ChangeHints, TableVersion
from treaty.registry.datasets.names import LineageName
from treaty.registry.lineage.events import write_hints
from treaty.registry.lineage.events.run_state import FoldedRun
from treaty.registry.queue import coalescing
from treaty.registry.tables import DatasetRow, LineageRunRow, TaskRow

# Clocks of producers may be that much behind.
SKEW = timedelta(seconds=60)
# Files that a version had may be gone by the time of another attempt: that one reads what is there.
PINNED_ATTEMPTS = 1


class WrittenDataset(NamedTuple):
    """A run that the task was made for, and the dataset that it wrote, by the name that it was known under."""

    run: FoldedRun
    dataset: LineageName


def written(session: Session, task: TaskRow) -> tuple[WrittenDataset, ...]:
    """The runs that wrote what the task is to look at, as far as it was triggered by now. () where one of the triggers
    is known by no run, so that nobody can tell all that was written, and for a task that no trigger made."""
    if task.payload.get("seq") is None:
        return ()
    said = coalescing.pending(session, task.payload["contract_id"], task.payload["object"])
    if not all(each.get("runs") and each.get("dataset") for each in said):
        return ()
    named = [(run, LineageName(**each["dataset"])) for each in said for run in each["runs"]]
    rows = [(session.get(LineageRunRow, UUID(run)), name) for run, name in named]
    found = [WrittenDataset(FoldedRun.model_validate(row.state), name) for row, name in rows if row and row.state]
    return tuple(found) if len(found) == len(named) else ()


def begun(
    task: TaskRow, dataset: DatasetRow, runs: Sequence[WrittenDataset], terms: Lineage, partition_by: tuple[str, ...]
) -> ChangeHints:
    """The look that the task asks for; of all there is, where no run is known to have asked for it."""
    told = [
        write_hints.write_hint(run, write_hints.outputs_of(run, name), partition_by, terms.nominal)
        for run, name in runs
    ]
    hint = write_hints.joined(told) if task.attempts <= PINNED_ATTEMPTS else write_hints.NOTHING
    latest = terms.latest if runs and terms.without_partition == "latest" else None
    return ChangeHints(hint, TableVersion.of(dataset.read_version), latest, str(task.id))


def is_past(dataset: DatasetRow, runs: Iterable[WrittenDataset], look: ChangeHints) -> bool:
    """Whether the newest look at the dataset found all that these runs wrote: it began well after they had ended, at a
    version no older than theirs. Then nothing needs to be looked at to say so."""
    ends = [run.ended for run, _ in runs]
    versions, since, seen = look.hint.versions, look.since_version, dataset.last_scanned_at
    if not ends or not versions or since is None or seen is None or not all(map(since.holds, versions)):
        return False
    return all(end is not None and end + SKEW <= seen for end in ends)
