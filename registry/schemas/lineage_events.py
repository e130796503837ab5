"""Models of received lineage events."""

from datetime import datetime
from uuid import UUID

from treaty.registry.core.enums import LineageEventState
from treaty.registry.schemas.base import ApiModel


class LineageEventOut(ApiModel):
    """An accepted lineage event.

    - `outputs`: the first few datasets that the event reports as written.
    - `written_datasets`: number of all datasets that the event reports as written.
    - `duplicates`: number of times the event was received again.
    - `diagnostics`: parts of the event that were ignored or corrected.
    - `error`: why processing failed; null if it did not.
    - `original_size`: size of the received body in bytes.
    - `content_hash`: hash of the event; equal events are stored once.
    - `job`: namespace and name of the job."""

    id: UUID
    content_hash: str
    received_at: datetime
    producer: str
    state: LineageEventState
    duplicates: int
    attempts: int
    error: str | None
    diagnostics: tuple[str, ...]
    original_size: int
    kind: str
    event_time: str
    job: str
    run_id: str
    outputs: tuple[str, ...]
    written_datasets: int


class RejectedEventOut(ApiModel):
    """A rejected event body with the status and reason of the response.

    - `status`: HTTP status of the response."""

    id: UUID
    received_at: datetime
    producer: str
    status: int
    reason: str


class RejectedEventDetailOut(RejectedEventOut):
    """A rejected event body with its content.

    - `body`: beginning of the body; null if the caller may not see it."""

    body: str | None


class UnmatchedDatasetOut(ApiModel):
    """A dataset that jobs write and no contract in force covers.

    - `location`: where Spark can read it.
    - `write_count`: number of writes between `first_seen_at` and `last_seen_at`.
    - `job`: the last job that wrote it.
    - `candidates`: contract and object pairs whose location ends with this path; the job may have reported a path
      relative to its working directory."""

    namespace: str
    name: str
    location: str
    first_seen_at: datetime
    last_seen_at: datetime
    write_count: int
    job: str
    columns: tuple[str, ...]
    format: str | None
    candidates: tuple[tuple[str, str], ...] = ()

    @property
    def remedies(self) -> tuple[tuple[str, ...], ...]:
        """Return the commands that create a contract for the dataset or add an alias."""
        short = self.location.rstrip("/").rpartition("/")[2].rpartition(".")[2] or "table"
        targets = self.candidates or (("CONTRACT", "OBJECT"),)
        return (
            ("treaty", "draft", self.location, "--id", short, "--out", f"{short}.yaml"),
            ("treaty", "propose", f"{short}.yaml"),
            *(("treaty", "lineage", "alias", *target, self.namespace, self.name) for target in targets),
        )


class LineageEventCountsOut(ApiModel):
    """Number of events in the inbox.

    - `events`: events by state.
    - `duplicates`: number of repeated deliveries.
    - `rejected`: rejected bodies by status of the response.
    - `oldest_received_at`, `lag_seconds`: reception time and age of the oldest waiting event."""

    events: dict[LineageEventState, int]
    duplicates: int
    rejected: dict[int, int]
    oldest_received_at: datetime | None
    lag_seconds: float
