"""What OpenLineage's listener 1.53.0 sent of jobs on Spark 4.2.0, as it sent it: what of it is to be looked at."""

import json
from typing import Any

import pytest
from support.folders import DATA
from support.lineage import asked
from support.spark_job import OPERATIONS

from treaty.registry.lineage.events import model
from treaty.registry.lineage.events.run_state import FoldedRun, join, state_of_event

SENT = DATA / "lineage" / "spark_4_2.jsonl"
LINES = [json.loads(line) for line in SENT.read_text(encoding="utf-8").splitlines()]
CAPTURED = list(dict.fromkeys(line["operation"] for line in LINES))


def runs(operation: str) -> list[FoldedRun]:
    """The runs that were told of while the job did that."""
    told: dict[Any, FoldedRun] = {}
    for line in LINES:
        if line["operation"] == operation:
            each = state_of_event(model.parse_event(line["event"]))
            told[each.key] = join(told[each.key], each) if each.key in told else each
    return list(told.values())


@pytest.mark.parametrize("operation", CAPTURED)
def test_what_the_listener_sent_asks_for_what_was_written(operation: str) -> None:
    expected = OPERATIONS[operation]

    found = {each for run in runs(operation) for each in asked(run)}

    tables = {each for each in found if not each[0].startswith("/lake/incoming")}
    assert tables == ({(f"/lake/{expected.table}", expected.asks)} if expected.asks else set())


def test_a_failed_write_is_told_as_complete_and_without_a_count() -> None:
    (run,) = runs("an append fails")

    assert (run.types, run.failed) == (("COMPLETE", "START"), False)
    assert [each.own_facet("outputStatistics") for each in run.outputs] == [{}]


def test_no_event_of_delta_names_a_version() -> None:
    outputs = [each for name in CAPTURED if "Delta" in name for run in runs(name) for each in run.outputs]

    assert outputs
    assert {json.dumps(each.facet("version")) for each in outputs} == {"{}"}


def test_only_a_folder_of_a_partition_is_told_as_one() -> None:
    subsets = {name: [each.own_facet("subset") for run in runs(name) for each in run.outputs] for name in CAPTURED}

    assert [name for name, each in subsets.items() if any(each)] == ["a partition is overwritten by its folder"]
