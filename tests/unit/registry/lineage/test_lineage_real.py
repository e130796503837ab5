"""The real events lead to what people who read them say: in any order, repeated, and with steps lost on the way."""

import json
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import reduce
from random import Random
from typing import Any, NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.events import real
from support.folders import DATA

from treaty.registry.lineage.events.model import DatasetEvent, LineageEvent, NotAnEvent, parse
from treaty.registry.lineage.events.run_state import FoldedRun, LineageRunKey, join, state_of_event
from treaty.registry.lineage.events.triggers import Trigger, of_dataset, orphaned, triggers

LABELS = DATA / "lineage" / "expected_triggers.json"
COPIES = 3
KNOWN: dict[str, FoldedRun] = {}


class Asked(NamedTuple):
    """What a run asked for, in the words of the labels."""

    job: str
    run: str
    dataset: str
    reads: str
    streaming: bool


def events() -> list[LineageEvent]:
    """All real events that are events."""
    found = []
    for _, raw in real():
        try:
            found.append(parse(raw))
        except NotAnEvent:
            continue
    return found


def alone(key: str, event: LineageEvent) -> FoldedRun:
    """The event folded, once however often it is asked for."""
    if key not in KNOWN:
        KNOWN[key] = state_of_event(event)
    return KNOWN[key]


def runs(told: Iterable[LineageEvent]) -> dict[LineageRunKey, FoldedRun]:
    parts: dict[LineageRunKey, list[FoldedRun]] = defaultdict(list)
    for each in told:
        if each.run is not None:
            one = alone(each.key, each)
            parts[one.key].append(one)
    return {key: reduce(join, several) for key, several in parts.items()}


def asked(told: Sequence[LineageEvent]) -> set[Asked]:
    """What these events lead to in the end, runs without an end included."""
    found = set()
    for key, run in runs(told).items():
        name = f"{key.job_namespace} {key.job_name}"
        found |= {labelled(name, key.run_id, each) for each in (*triggers(run), *orphaned(run))}
    datasets = (each.content for each in told if isinstance(each.content, DatasetEvent))
    return found | {labelled("DATASET", "", each) for each in map(of_dataset, datasets) if each}


def labelled(job: str, run: str, trigger: Trigger) -> Asked:
    return Asked(job, run, str(trigger.dataset), trigger.reads.value, trigger.streaming)


def expected(labels: Iterable[Mapping[str, Any]], told: Sequence[LineageEvent]) -> set[Asked]:
    """The labels, each with the run that it means: that of its job where it names none."""
    ids = {f"{key.job_namespace} {key.job_name}": key.run_id for key in runs(told)}
    return {
        Asked(
            each["job"],
            each.get("run") or ids.get(each["job"], ""),
            each["dataset"],
            each["reads"],
            each.get("streaming", False),
        )
        for each in labels
    }


@pytest.fixture(scope="module")
def told() -> list[LineageEvent]:
    return events()


LABELLED: list[dict[str, Any]] = json.loads(LABELS.read_text())["expected"]


def test_every_label_says_why_and_which_run_where_its_job_has_several(told: list[LineageEvent]) -> None:
    several = defaultdict(set)
    for key in runs(told):
        several[f"{key.job_namespace} {key.job_name}"].add(key.run_id)
    unclear = [
        each for each in LABELLED if not each["because"] or (len(several[each["job"]]) > 1 and "run" not in each)
    ]
    assert unclear == []


def test_real_events_lead_to_what_they_are_labelled_with(told: list[LineageEvent]) -> None:
    assert asked(told) == expected(LABELLED, told)


@pytest.mark.search
@given(st.randoms(use_true_random=False))
def test_any_order_and_any_repetition_leads_to_the_same(told: list[LineageEvent], random: Random) -> None:
    shuffled = [each for each in told for _ in range(random.randint(1, COPIES))]
    random.shuffle(shuffled)
    assert asked(shuffled) == expected(LABELLED, told)


@pytest.mark.search
@given(st.randoms(use_true_random=False), st.floats(0, 1))
def test_steps_that_are_lost_on_the_way_are_not_missed_where_the_end_says_as_much(
    told: list[LineageEvent], random: Random, share: float
) -> None:
    left = [each for each in told if not (is_step(each) and random.random() < share)]
    random.shuffle(left)
    alone = expected((each for each in LABELLED if each.get("told_by_start_alone")), told)
    assert asked(left) - alone == expected(LABELLED, told) - alone


def is_step(event: LineageEvent) -> bool:
    """Whether it tells of a run on its way: its start, or that it goes on."""
    return event.run is not None and event.run.type in {"START", "RUNNING"}
