"""A service and a job that tells it what it writes: what was asked of each operation, and what was judged of it."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from support.agents import Job
from support.lineage import asked, runs
from support.loops import Services
from support.orders import check
from support.spark_job import Operation

from treaty.contracts.document import writer
from treaty.registry.schemas import RunSummaryOut

PROPERTIES = [
    {"name": "id", "logicalType": "integer"},
    {"name": "amount", "logicalType": "number"},
    {"name": "day", "logicalType": "string", "partitioned": True},
]
# Two Sparks start first, with a table format: on a crowded machine that takes minutes.
COLD = 400.0


@dataclass(frozen=True)
class Outcome:
    """What came of an operation: how it ended, what lineage asked to be looked at, and the runs that judged."""

    ended: str
    asked: frozenset[tuple[str, str]]
    judged: tuple[RunSummaryOut, ...]


@dataclass
class Watched:
    """A service, a job, and the folder of its tables. `without`: those that nobody promised anything about."""

    service: Services
    job: Job
    root: Path
    without: frozenset[str] = frozenset()

    def done(self, name: str, operation: Operation) -> Outcome:
        """Has the job do it, and waits until nothing is left to be done about it."""
        told, before = {each.key for each in runs(self.service)}, self._runs(operation)
        ended = self.job.do(name)
        self.service.settle(within=COLD)
        news = [each for each in runs(self.service) if each.key not in told]
        new = [each for each in self._runs(operation) if each not in before]
        return Outcome(ended, frozenset(one for each in news for one in asked(each)), tuple(new))

    def promise(self, table: str, *aliases: Mapping[str, str], location: str | None = None) -> None:
        """Puts a contract in force about the table, which judges all of it at once. `location`: what the contract calls
        it, where that is not its folder."""
        people, name = self.service.people, contract_of(table)
        lies = location or str(self.root / table)
        document = writer.write(promised(name, lies, aliases)).decode()
        proposal = people.producer.propose(document)
        people.owner.approve(proposal.id, people.owner.preview(proposal.id).fingerprint)
        self.service.settle(within=COLD)

    def _runs(self, operation: Operation) -> list[RunSummaryOut]:
        if operation.table in self.without:
            return []
        return self.service.runs(contract_of(operation.table))


def contract_of(table: str) -> str:
    """The id of the contract about that table."""
    return Path(table).name


def promised(name: str, location: str, aliases: Sequence[Mapping[str, str]] = ()) -> dict[str, Any]:
    """A contract that asks for rows in every partition, and holds. `aliases`: what else lineage calls the table."""
    some = check("size", "some", scope="delta", mustBeGreaterThan=0)
    table = {"name": name, "physicalName": location, "properties": PROPERTIES, "quality": [some]}
    head = {"apiVersion": "v3.1.0", "kind": "DataContract", "id": name, "name": name, "version": "1.0.0"}
    named = [{"namespace": "file", "name": location}] if location.startswith("/") else []
    known = [{"object": name, **each} for each in (*named, *aliases)]
    # Each operation is judged by itself: nothing waits for more to come.
    terms = {"aliases": known, "lineage": {"quiet": 0, "stream_interval": 0.001}}
    return {**head, "status": "draft", "schema": [table], "customProperties": [{"property": "treaty", "value": terms}]}


def changed(days: Sequence[str]) -> list[str]:
    """The partitions of these days, as runs name them."""
    return [f"day={each}" for each in days]


def told_of(outcome: Outcome) -> set[tuple[str, str]]:
    """What lineage asked to be looked at, by the tables' names below the job's folder; without what streams read."""
    every = {(re.split(r"/job\d+/", name)[-1], reads) for name, reads in outcome.asked}
    return {each for each in every if not each[0].startswith("incoming")}
