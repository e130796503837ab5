"""A small table of payments by day, under a contract that is in force: what journeys break in every way."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from support.loops import Services

from treaty.registry.demo.deliveries import DemoDelivery
from treaty.registry.demo.producer import DemoProducer
from treaty.registry.schemas import RunOut

COLUMNS = "id bigint, amount double, note string"
CONTRACT = """\
apiVersion: v3.1.0
kind: DataContract
id: {name}
name: {name}
version: 1.0.0
status: active
schema:
  - name: payments
    physicalName: {location}
    properties:
      - {{name: id, logicalType: integer, required: true, unique: true}}
      - name: amount
        logicalType: number
        quality:
          - id: not-negative
            type: custom
            engine: treaty
            implementation: {{analyzer: minimum, mustBeGreaterOrEqualTo: 0}}
      - name: note
        logicalType: string
{more}      - {{name: day, logicalType: string, partitioned: true, partitionKeyPosition: 1}}
"""
TEXT_MEAN = """\
        quality:
          - id: mean-of-a-text
            type: custom
            engine: treaty
            implementation: {analyzer: mean, mustBeGreaterThan: 0}
"""
MISSING = "      - {name: refund, logicalType: number, required: true}\n"
Payment = tuple[int, float]


@dataclass(frozen=True)
class Payments:
    """The table of that name, and the services that know its contract."""

    services: Services
    producer: DemoProducer
    name: str

    @property
    def location(self) -> Path:
        return Path(self.producer.location(self.name))

    def contract(self, more: str = "") -> str:
        """The contract's document; `more` are further lines about the note, or further columns."""
        return CONTRACT.format(name=self.name, location=self.location, more=more)

    def write(self, day: str, payments: Sequence[Payment]) -> None:
        """Writes a day, and tells nobody."""
        self.producer.write(delivery(self.name, day, payments))

    def deliver(self, day: str, payments: Sequence[Payment]) -> RunOut:
        """Writes a day and tells of it; the report of the run that comes of it."""
        before = self.services.runs(self.name)
        self.producer.deliver(delivery(self.name, day, payments))
        return self.services.people.owner.run(self.services.next_run(self.name, before).id)

    def put_in_force(self, more: str = "") -> RunOut:
        """Proposes the contract and has the owner approve it; the report of the run over what is there."""
        people = self.services.people
        proposal = people.producer.propose(self.contract(more)).id
        people.owner.approve(proposal, people.owner.preview(proposal).fingerprint)
        return people.owner.run(self.services.next_run(self.name, ()).id)


def delivery(table: str, day: str, payments: Sequence[Payment]) -> DemoDelivery:
    """The payments of a day."""

    def make(session: Any) -> Any:
        return session.createDataFrame([(*each, "a note") for each in payments], COLUMNS)

    return DemoDelivery(table=table, partition=day, make=make)
