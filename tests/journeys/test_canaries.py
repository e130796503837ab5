"""Values of classified columns through the whole of it: they are in no table, file, log, answer and report."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter
from sqlalchemy import Engine, inspect, text
from support import canaries
from support.canaries import CLASSIFIED, OPEN
from support.loops import Services

from treaty.engine.report import REPORTS
from treaty.engine.session.verify import verify
from treaty.engine.states.state_files import StateFiles
from treaty.registry.core.enums import IncidentState, ManualResolution
from treaty.registry.demo.deliveries import DemoDelivery
from treaty.registry.demo.producer import DemoProducer
from treaty.registry.demo.scenario import DemoLoop
from treaty.registry.schemas import DraftIn, RunOut

DAYS = ("d0", "d1")
COLUMNS = "id int, who string, mail string, code string, born date"


@dataclass(frozen=True)
class People:
    """The table of the canaries under a contract that classifies its columns so, in the registry."""

    services: Services
    producer: DemoProducer
    classification: str

    @property
    def name(self) -> str:
        return f"people-{self.classification}"

    @property
    def contract(self) -> Any:
        return canaries.contract(
            self.classification, self.name, self.producer.location(self.name), canaries.FEW
        )  # fmt: skip

    def put_in_force(self) -> RunOut:
        """Proposed, approved, judged for the first time."""
        for day in DAYS:
            self.producer.write(self.day(day))
        people = self.services.people
        made = people.producer.propose(self.contract.source.decode())
        people.owner.approve(made.id, people.owner.preview(made.id).fingerprint)
        return people.owner.run(self.services.next_run(self.name, ()).id)

    def deliver(self) -> RunOut:
        """The last day once more, with other numbers."""
        before = self.services.runs(self.name)
        self.producer.deliver(self.day(DAYS[-1], offset=100))
        return self.services.people.owner.run(self.services.next_run(self.name, before).id)

    def day(self, day: str, offset: int = 0) -> DemoDelivery:
        held = [(*each[:4], date.fromisoformat(each[4])) for each in canaries.rows(offset) if each[5] == day]
        return DemoDelivery(
            table=self.name, partition=day, make=lambda session: session.createDataFrame(held * 8, COLUMNS)
        )

    def answers(self, run: RunOut) -> Iterator[str]:
        """What the API says to somebody who asks for everything, a new draft included."""
        owner, producer = self.services.people.owner, self.services.people.producer
        asked = DraftIn(
            location=self.producer.location(self.name), contract_id=self.name, object="people", partition_by=("day",)
        )
        loop = DemoLoop(lake=None, people=self.services.people, report=print)  # type: ignore[arg-type]
        # Nothing is learned from partitions of incidents, unless they are said to be as expected.
        for each in owner.incidents(contract_id=self.name, state=IncidentState.OPEN):
            owner.resolve_incident(each.id, each.revision, ManualResolution.EXPECTED_CHANGE)
        proposal = loop.finished_draft(producer.request_draft(asked))
        found = (
            run, *owner.samples(run.id), owner.contract(self.name), owner.metrics(self.name), owner.states(self.name),
            owner.metrics(self.name, metrics=["minimum:column=mail", "sql:query=SELECT max(code) FROM {object}"]),
            owner.rerun(run.id), *owner.runs(contract_id=self.name),
            producer.proposal(proposal), producer.preview(proposal),
            *(each for result in run.results if result.measurement
              for each in owner.measurements(self.name, object_name="people", identity=result.measurement)),
        )  # fmt: skip
        yield from (TypeAdapter(type(each)).dump_json(each).decode() for each in found)

    def reports(self) -> Iterator[str]:
        """What a verification in somebody's own session tells, in each form."""
        frame = self.producer.session.read.parquet(self.producer.location(self.name))
        run = verify(frame, self.contract, samples=5)
        assert run.samples
        yield from (report(run) for report in REPORTS.values())


def in_database(database: Engine, states: str) -> dict[str, set[str]]:
    """The canaries in each table, with packed states and their files opened."""
    with database.connect() as connection:
        names = inspect(connection).get_table_names()
        tables = {name: [list(row) for row in connection.execute(text(f'select * from "{name}"'))] for name in names}
    bags = [
        bytes(cell) for row in tables["partition_state"] for cell in row if isinstance(cell, bytes | memoryview)
    ]  # fmt: skip
    return canaries.in_tables({**tables, "states": [[canaries.shown(each, StateFiles(states)) for each in bags]]})


def told(texts: Iterator[str]) -> set[str]:
    return set().union(*(canaries.found(each.encode()) for each in texts))


def test_values_of_classified_columns_are_nowhere_and_the_search_finds_all_others(
    services: Services, producer_spark: Any
) -> None:
    settings = services.settings
    kept = [each for each in sorted(settings.home.iterdir()) if each.name != "lake"]
    found = {}
    for classification in (CLASSIFIED, OPEN):
        people = People(services, services.producer(producer_spark, "day"), classification)
        first, second = people.put_in_force(), people.deliver()
        assert {each.outcome for each in first.results if each.measurement} == {"failed"}
        gone = {each.check_id for each in second.results if each.outcome == "not_evaluated" and each.measurement}
        assert gone == ({"maximum-born", "histogram-who"} if classification == CLASSIFIED else set())
        found[classification] = (
            told(people.answers(second)), told(people.reports()), in_database(services.database, settings.states),
            canaries.in_files(*kept, settings.home / "states"),
        )  # fmt: skip
    assert found[CLASSIFIED] == (set(), set(), {}, {})
    answered, reported, tables, files = found[OPEN]
    texts = {*canaries.PEOPLE, *canaries.MAILS, *canaries.CODES}
    assert answered >= texts
    for some in (canaries.PEOPLE, canaries.MAILS, canaries.CODES, canaries.BORN):
        assert reported & set(some), "samples have few rows, and one of each column"
    assert {
        "partition_state",
        "states",
        "violation_sample",
        "check_result",
        "measurement",
        "proposal_suggestion",
    } <= tables.keys()
    assert set().union(*files.values()) >= texts, "in files there are frequencies"

    services.people.owner.erase(f"people-{OPEN}")
    assert in_database(services.database, settings.states) == {}
    assert canaries.in_files(*kept, settings.home / "states") == {}
    assert oct(Path(settings.key).stat().st_mode & 0o777) == "0o600"
