"""What came over lineage, as the API gives it."""

from datetime import datetime
from uuid import UUID

from treaty.registry.core.enums import LineageEventState
from treaty.registry.schemas.base import ApiModel


class LineageEventOut(ApiModel):
    """An accepted event: when it came and from whom, what became of it, and what it says that it is about.

    `outputs`: the first few of the datasets that it says were written, of `written_partitions`. `duplicates`: how often
    it came again. `diagnostics`: what of it was read otherwise than it was sent."""

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
    written_partitions: int


class RejectedEventOut(ApiModel):
    """A body that was refused: the status and the reason that its sender was told."""

    id: UUID
    received_at: datetime
    producer: str
    status: int
    reason: str


class RejectedEventDetailOut(RejectedEventOut):
    """The same with how the body begins; null for whom it is not to see."""

    body: str | None


class UnmatchedDatasetOut(ApiModel):
    """A dataset that runs write and no contract in force is about: how often and when, by which job last, and what is
    known of it. `location`: where Spark can read it. `candidates`: objects of contracts, by contract and object, whose
    data lie at a path that ends so: the job may have said a path below the folder that it ran in."""

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
        """The commands that make a contract of it, and those that make it a name of what has a contract."""
        short = self.location.rstrip("/").rpartition("/")[2].rpartition(".")[2] or "table"
        meant = self.candidates or (("CONTRACT", "OBJECT"),)
        return (
            ("treaty", "draft", self.location, "--id", short, "--out", f"{short}.yaml"),
            ("treaty", "propose", f"{short}.yaml"),
            *(("treaty", "lineage", "alias", *of, self.namespace, self.name) for of in meant),
        )


class LineageEventCountsOut(ApiModel):
    """What lies in the inbox: events by state, how often any came again, refused bodies by the status of the answer,
    and for how long the event waits that waits longest."""

    events: dict[LineageEventState, int]
    duplicates: int
    rejected: dict[int, int]
    oldest_received_at: datetime | None
    lag_seconds: float
