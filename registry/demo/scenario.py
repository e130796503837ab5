"""Run the demo's loop through the API: draft, review, approve, deliver, and read verdicts."""

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TypeVar
from uuid import UUID

from treaty.engine.core.partitions.partition_names import escape_name
from treaty.engine.core.results import Outcome, Verdict
from treaty.registry.client import Client
from treaty.registry.core.enums import Decision, Permission, Role, TaskState
from treaty.registry.demo.deliveries import DemoDelivery, DemoLake
from treaty.registry.demo.producer import DemoProducer
from treaty.registry.schemas import AliasIn, CheckResultOut, DraftIn, RunOut, RunSummaryOut, TaskOut

FoundT = TypeVar("FoundT")
WAIT_SECONDS = 300.0
POLL_SECONDS = 0.1
ALARMS = frozenset({Verdict.FAILED, Verdict.WARNED})


class DemoTimeout(Exception):
    """The registry did not finish in time, or a task failed."""


@dataclass(frozen=True, kw_only=True)
class DemoPeople:
    """Signed-in clients of the demo's users, the pipeline's token, and passwords by user."""

    admin: Client
    producer: Client
    owner: Client
    token: str
    passwords: dict[str, str]


@dataclass(frozen=True)
class DeliveryResult:
    """Result of a delivery.

    `broken`: checks that failed or could not be evaluated.
    `seconds`: time from event to verdict."""

    delivery: DemoDelivery
    run: RunSummaryOut
    broken: tuple[CheckResultOut, ...]
    seconds: float

    @property
    def alarmed(self) -> bool:
        return self.run.verdict in ALARMS


@dataclass(kw_only=True)
class DemoLoop:
    """One run of the loop over a lake.

    `report`: called with each line of progress."""

    lake: DemoLake
    people: DemoPeople
    report: Callable[[str], None]
    drafts: dict[str, TaskOut] = field(default_factory=dict)
    results: list[DeliveryResult] = field(default_factory=list)

    def land_history(self, producer: DemoProducer) -> None:
        """Write the history without lineage events, and request a draft of each table."""
        for table in self.lake.tables:
            partitions = [each for each in self.lake.history if each.table == table]
            for delivery in partitions:
                producer.write(delivery)
            self.drafts[table] = self.request_draft(producer, table)
            self.report(f"  {table}: {len(partitions)} partitions written")

    def approve_all(self) -> None:
        """Approve each table's draft as the owner, and wait until its history is validated."""
        for table, task in self.drafts.items():
            proposal_id = self.finished_draft(task)
            self.people.producer.submit(proposal_id)
            accepted = self._approve(proposal_id)
            self.report(f"  {table}: drafted, {accepted} suggestions, approved by the owner")
        for table in self.lake.tables:
            first = self._run_of(table, lambda run: True)
            size = f"{len(first.partitions)} partitions, {first.rows or 0:,} rows"
            self.report(f"  {table}: history validated, {first.verdict} ({size})")

    def request_draft(self, producer: DemoProducer, table: str) -> TaskOut:
        """Request a draft of a table as the producer."""
        location = producer.location(table)
        alias = AliasIn(namespace="file", name=location)
        return self.people.producer.request_draft(
            DraftIn(
                location=location, contract_id=table, object=table, partition_by=(self.lake.column,), aliases=(alias,)
            )
        )

    def _approve(self, proposal_id: UUID) -> int:
        proposal = self.people.owner.proposal(proposal_id)
        pending = [each.id for each in proposal.suggestions]
        if pending:
            self.people.owner.decide(proposal_id, pending, Decision.ACCEPTED, revision=proposal.revision)
        self.people.owner.approve(proposal_id, self.people.owner.preview(proposal_id).fingerprint)
        return len(pending)

    def deliver_all(self, producer: DemoProducer) -> Iterator[DeliveryResult]:
        """Deliver group by group, and yield each result as soon as its verdict is available."""
        for group in self.lake.deliveries:
            started = {}
            for delivery in group:
                producer.deliver(delivery)
                started[delivery] = time.monotonic()
            for delivery in group:
                result = self._verdict(delivery, started[delivery])
                self.results.append(result)
                yield result

    def _verdict(self, delivery: DemoDelivery, begun: float) -> DeliveryResult:
        name, target = f"{escape_name(self.lake.column)}={escape_name(delivery.partition)}", delivery.target
        earlier = {each.run.id for each in self.results if each.delivery.target == target}
        run = self._run_of(delivery.table, lambda each: name in each.partitions and each.id not in earlier)
        report = self.people.owner.run(run.id)
        return DeliveryResult(delivery, run, tuple(_broken(report)), time.monotonic() - begun)

    def _run_of(self, table: str, matches: Callable[[RunSummaryOut], bool]) -> RunSummaryOut:
        def find() -> RunSummaryOut | None:
            return next((run for run in self.people.owner.runs(contract_id=table, limit=5) if matches(run)), None)

        return _awaited(find, f"a verdict on {table}")

    def finished_draft(self, task: TaskOut) -> UUID:
        """Wait for the draft task and return its proposal. Raises DemoTimeout if the task failed."""
        return UUID(str((self._finished(task).result or {})["proposal_id"]))

    def _finished(self, task: TaskOut) -> TaskOut:
        def find() -> TaskOut | None:
            current = self.people.producer.task(task.id)
            if current.state is TaskState.FAILED or current.error:
                raise DemoTimeout(f"The draft failed: {current.error}")
            return current if current.state is TaskState.DONE else None

        return _awaited(find, "a draft")


def _broken(report: RunOut) -> Iterator[CheckResultOut]:
    return (each for each in report.results if each.outcome in (Outcome.FAILED, Outcome.NOT_EVALUATED))


def _awaited(find: Callable[[], FoundT | None], what: str) -> FoundT:
    deadline = time.monotonic() + WAIT_SECONDS
    while (answer := find()) is None:
        if time.monotonic() > deadline:
            raise DemoTimeout(f"Timed out after {WAIT_SECONDS:.0f} s waiting for {what}. See the worker's log.")
        time.sleep(POLL_SECONDS)
    return answer


def enlist(url: str, link: str, password: Callable[[], str]) -> DemoPeople:
    """Complete the setup with the one-time link, and create the demo's users.

    `password`: generates a password for each user."""
    passwords = {name: password() for name in ("admin", "producer", "owner")}
    with Client(url) as anonymous:
        anonymous.set_up(link.rpartition("token=")[2], name="admin", password=passwords["admin"])
    admin = _signed_in(url, "admin", passwords)
    for role in (Role.PRODUCER, Role.OWNER):
        admin.create_user(role.value, roles=[role], password=passwords[role.value])
    pipeline = admin.create_user("pipeline", roles=[Role.SERVICE])
    token = admin.issue_token("lineage", scopes=[Permission.LINEAGE], user_id=pipeline.id)
    producer, owner = (_signed_in(url, name, passwords) for name in ("producer", "owner"))
    return DemoPeople(admin=admin, producer=producer, owner=owner, token=token.secret, passwords=passwords)


def _signed_in(url: str, name: str, passwords: dict[str, str]) -> Client:
    with Client(url) as anonymous:
        return Client(url, anonymous.sign_in(name, passwords[name]).secret)


def names_of(broken: Sequence[CheckResultOut], *, most: int = 3) -> str:
    """Describe the broken checks with their measured values, failed ones first, without duplicates.

    `most`: maximum number of checks in the text."""
    failed_first = sorted(broken, key=lambda each: each.outcome is not Outcome.FAILED)
    words = list(dict.fromkeys(_words(each) for each in failed_first))
    more = [f"and {len(words) - most} more"] if len(words) > most else []
    return "; ".join([*words[:most], *more])


def _words(broken: CheckResultOut) -> str:
    if broken.outcome is not Outcome.FAILED:
        return f"{broken.name}: could not be evaluated"
    return f"{broken.name} ({broken.reason or broken.finding or 'failed'})"
