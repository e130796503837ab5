"""Derive a scan's change hints from lineage events, the last scan and contract terms."""

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

# Tolerated clock skew of producers.
SKEW = timedelta(seconds=60)
# Later attempts read the table as it is, because the files of a pinned version may be gone by then.
PINNED_ATTEMPTS = 1


class WrittenDataset(NamedTuple):
    """A lineage run that triggered the task, and the dataset name it wrote."""

    run: FoldedRun
    dataset: LineageName


def written(session: Session, task: TaskRow) -> tuple[WrittenDataset, ...]:
    """Return the runs that triggered the task so far.

    () if a trigger has no stored run, because then the set of writes is incomplete, or if the task was not created
    by a trigger."""
    if task.payload.get("seq") is None:
        return ()
    pending = coalescing.pending(session, task.payload["contract_id"], task.payload["object"])
    if not all(each.get("runs") and each.get("dataset") for each in pending):
        return ()
    names = [(run, LineageName(**each["dataset"])) for each in pending for run in each["runs"]]
    rows = [(session.get(LineageRunRow, UUID(run)), name) for run, name in names]
    datasets = [WrittenDataset(FoldedRun.model_validate(row.state), name) for row, name in rows if row and row.state]
    return tuple(datasets) if len(datasets) == len(names) else ()


def begun(
    task: TaskRow, dataset: DatasetRow, runs: Sequence[WrittenDataset], terms: Lineage, partition_by: tuple[str, ...]
) -> ChangeHints:
    """Return the change hints for the task's scan.

    Without known runs, and on later attempts, no written partitions are hinted. With runs, and with
    `without_partition: latest` in the terms, the number of newest partitions to read is set for writes that name no
    partitions."""
    hints = [
        write_hints.write_hint(run, write_hints.outputs_of(run, name), partition_by, terms.nominal)
        for run, name in runs
    ]
    hint = write_hints.joined(hints) if task.attempts <= PINNED_ATTEMPTS else write_hints.NOTHING
    latest = terms.latest if runs and terms.without_partition == "latest" else None
    return ChangeHints(hint, TableVersion.of(dataset.read_version), latest, str(task.id))


def is_past(dataset: DatasetRow, runs: Iterable[WrittenDataset], look: ChangeHints) -> bool:
    """Return whether the last scan already covered everything that these runs wrote.

    True if that scan began after all runs had ended, with a margin for clock skew, at a table version no older than
    theirs. The scan can then be skipped."""
    ends = [run.ended for run, _ in runs]
    versions, since_version, scanned_at = look.hint.versions, look.since_version, dataset.last_scanned_at
    if (
        not ends
        or not versions
        or since_version is None
        or scanned_at is None
        or not all(map(since_version.holds, versions))
    ):
        return False
    return all(end is not None and end + SKEW <= scanned_at for end in ends)
