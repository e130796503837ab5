"""What goes wrong is said in words, with its code or status, and takes nothing else with it."""

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any
from uuid import uuid4

import httpx
import pytest
from sqlmodel import col, select
from support.events import event
from support.loops import Services
from support.payments import MISSING, TEXT_MEAN, Payments
from support.processes import treaty

from treaty.engine.core.results import Outcome, Verdict
from treaty.registry.core.database import transaction
from treaty.registry.demo.deliveries import DemoLake
from treaty.registry.demo.scenario import DemoLoop, DemoTimeout
from treaty.registry.schemas import AliasIn, DraftIn, RunOut
from treaty.registry.tables import DatasetRow, PartitionStateRow

MONDAY, TUESDAY, WEDNESDAY = "2026-10-05", "2026-10-06", "2026-10-07"
Table = Callable[[str], Payments]


@pytest.fixture(scope="module")
def table(services: Services, producer_spark: Any) -> Table:
    """Makes a table of that name with a Monday and a Tuesday."""

    def make(name: str) -> Payments:
        made = Payments(services, services.producer(producer_spark, "day"), name)
        made.write(MONDAY, [(1, 5.0), (2, 6.0)])
        made.write(TUESDAY, [(3, 7.0)])
        return made

    return make


def outcomes(run: RunOut, check_id: str) -> set[Outcome]:
    """How the check ended."""
    return {each.outcome for each in run.results if each.check_id == check_id}


def test_a_damaged_state_is_computed_again_and_the_verdict_is_right(table: Table) -> None:
    payments = table("damaged_state")
    assert payments.put_in_force().verdict is Verdict.PASSED
    damage(payments, MONDAY)

    run = payments.deliver(WEDNESDAY, [(1, 8.0)])

    assert run.partitions == (f"day={WEDNESDAY}",)
    assert run.verdict is Verdict.FAILED
    assert {each.check_id for each in run.results if each.outcome is Outcome.FAILED} == {"id-unique"}
    assert payments.deliver(WEDNESDAY, [(9, 8.0)]).verdict is Verdict.PASSED


def damage(payments: Payments, day: str) -> None:
    """Flips a bit in the middle of what is stored of that day."""
    of_day = select(PartitionStateRow).join(DatasetRow, col(DatasetRow.id) == col(PartitionStateRow.dataset_id))
    with transaction(payments.services.database) as tx:
        row = tx.exec(
            of_day.where(
                DatasetRow.name == str(payments.location),
                PartitionStateRow.partition == f"day={day}",
                col(PartitionStateRow.until_version).is_(None),
            )
        ).one()
        middle = len(row.states) // 2
        row.states = row.states[:middle] + bytes([row.states[middle] ^ 1]) + row.states[middle + 1 :]
        tx.commit()


def test_a_partition_that_vanished_is_named_in_the_run(table: Table) -> None:
    payments = table("vanished")
    payments.put_in_force()
    shutil.rmtree(payments.location / f"day={MONDAY}")

    run = payments.deliver(WEDNESDAY, [(1, 8.0)])

    assert run.reason == f"1 partition no longer exists: day={MONDAY}"
    assert run.verdict is Verdict.PASSED


def test_a_check_that_cannot_be_computed_is_not_evaluated_alone(table: Table) -> None:
    payments = table("text_mean")

    run = payments.put_in_force(TEXT_MEAN)

    assert run.verdict is Verdict.NOT_EVALUATED
    assert outcomes(run, "mean-of-a-text") == {Outcome.NOT_EVALUATED}
    assert outcomes(run, "not-negative") == outcomes(run, "id-unique") == {Outcome.PASSED}
    (reason,) = {each.reason for each in run.results if each.outcome is Outcome.NOT_EVALUATED}
    assert reason
    assert "note" in reason


def test_a_partition_that_cannot_be_read_hides_no_other_and_is_judged_once_it_can(table: Table) -> None:
    payments = table("garbled")
    payments.put_in_force()
    payments.write(WEDNESDAY, [(4, 1.0)])
    (file,) = (payments.location / f"day={WEDNESDAY}").glob("*.parquet")
    file.write_bytes(b"no parquet at all")
    for checksum in file.parent.glob(".*.crc"):
        checksum.unlink()

    run = payments.deliver("2026-10-08", [(5, -1.0)])

    assert outcomes(run, "not-negative") == {Outcome.FAILED, Outcome.NOT_EVALUATED}
    assert run.verdict is Verdict.FAILED
    assert payments.deliver(WEDNESDAY, [(4, 1.0)]).verdict is Verdict.PASSED


def test_a_table_that_is_not_there_fails_its_draft_with_what_to_do(services: Services, table: Table) -> None:
    place = str(services.settings.home / "lake" / "nowhere")
    asked = DraftIn(
        location=place, contract_id="nowhere", object="nowhere", aliases=(AliasIn(namespace="file", name=place),)
    )
    task = services.people.producer.request_draft(asked)

    with pytest.raises(DemoTimeout) as failed:
        DemoLoop(
            lake=DemoLake(column="day", tables=(), history=(), deliveries=()), people=services.people, report=print
        ).finished_draft(task)

    assert str(failed.value) == (
        f"The draft failed: unreachable: {place} does not exist or is not readable: check the path and its permissions"
    )


@pytest.mark.parametrize(
    ("body", "status", "said"),
    [
        (b"{not json", 400, "JSON"),
        (b"", 400, "JSON"),
        (b'{"eventType": "COMPLETE"}', 422, "job"),
        ("no job name", 422, "job.name"),
        ("complete", 201, ""),
    ],
)
def test_a_body_that_is_no_event_is_refused_in_words(
    services: Services, body: bytes | str, status: int, said: str
) -> None:
    whole = event("COMPLETE", run=str(uuid4()))
    sent = {"content": body} if isinstance(body, bytes) else {"json": whole}
    if body == "no job name":
        del whole["job"]["name"]
    headers = {"Authorization": f"Bearer {services.people.token}"}

    answer = httpx.post(f"{services.settings.api}/api/v1/lineage", headers=headers, trust_env=False, **sent)

    assert answer.status_code == status
    assert said in answer.text
    assert "Traceback" not in answer.text


def test_the_command_line_says_what_it_could_not_do(table: Table, tmp_path: Path) -> None:
    payments = table("by_hand")
    contract, missing = tmp_path / "contract.yaml", tmp_path / "missing.yaml"
    contract.write_text(payments.contract())
    missing.write_text(payments.contract(MISSING))

    nowhere = treaty("verify", str(tmp_path / "nowhere"), "--contract", str(contract), folder=tmp_path)
    lacking = treaty("verify", str(payments.location), "--contract", str(missing), folder=tmp_path)

    assert nowhere.returncode == 3
    assert nowhere.stderr == (
        f"treaty: {tmp_path / 'nowhere'} does not exist or is not readable: check the path and its permissions\n"
    )
    assert lacking.returncode == 1
    assert "missing: refund" in lacking.stdout
    assert "Traceback" not in nowhere.stderr + lacking.stderr
