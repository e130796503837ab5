"""Replays: a version judged on stored states, old against new, and that nothing is judged otherwise than by a run."""

import re
from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.orders import NOW, ROWS, SCHEMA, check, contract, on, states

from treaty.contracts.document.model import Contract
from treaty.contracts.document.reader import read
from treaty.contracts.document.writer import write
from treaty.contracts.schema import Column, Schema
from treaty.engine.checks.dataset_limits import ReferenceValue
from treaty.engine.core.results import Outcome
from treaty.engine.evaluation.evaluator import evaluate
from treaty.engine.evaluation.replay.pattern_trial import UNASKED
from treaty.engine.evaluation.replay.report import Replay, ReplayedCheck
from treaty.engine.evaluation.replay.runner import MERGED, NEEDED, ReplayRunner, ReplayStep
from treaty.engine.evaluation.replay.versions import COUNTED
from treaty.engine.evaluation.request import EvaluationRequest
from treaty.engine.states.bag import StateBag
from treaty.engine.states.incremental_merge import BLOCK, IncrementalMerge

DAY = "day=2026-04-{:02d}"
Rows = Mapping[str, Sequence[Any]]


def amounts(*values: float | None) -> Rows:
    many = len(values)
    return {"id": list(range(many)), "amount": list(values), "status": ["new"] * many}


def packed(of: Contract, rows: Rows, schema: Schema = SCHEMA) -> bytes:
    return states(of, rows, schema).pack()


def versions(old: list[dict[str, Any]], new: list[dict[str, Any]]) -> tuple[Contract, Contract]:
    return contract(*old), contract(*new)


def replay(
    old: Contract | None, new: Contract, steps: Sequence[Mapping[str, bytes] | ReplayStep], **ways: Any
) -> tuple[Replay, dict[str, ReplayedCheck]]:
    replaying = ReplayRunner(old=old, new=new, object_name="orders", **ways)
    taken = [each if isinstance(each, ReplayStep) else ReplayStep(added=each, time=NOW) for each in steps]
    for step in taken:
        replaying.take(step)
    found = replaying.report(len({name for step in taken for name in step.added}))
    return found, {line.check_id: line for line in found.lines}


def daily(of: Contract, *days: Rows) -> list[Mapping[str, bytes]]:
    """A partition a day."""
    return [{DAY.format(at): packed(of, rows)} for at, rows in enumerate(days, start=1)]


SMALLEST = check("minimum", "low", column="amount", mustBeGreaterOrEqualTo=0)
HIGHER = check("minimum", "low", column="amount", mustBeGreaterOrEqualTo=3)


def test_old_and_new_are_told_beside_each_other_with_the_days() -> None:
    old, new = versions([SMALLEST], [HIGHER])
    found, lines = replay(old, new, daily(old, amounts(5, 9), amounts(-1, 4), amounts(2, 8), amounts(3)))
    line = lines["low"]
    assert (line.old.alerts, line.new.alerts) == ((DAY.format(2),), (DAY.format(2), DAY.format(3)))
    assert (line.appeared, line.gone, line.same) == ((DAY.format(3),), (), (DAY.format(2),))
    assert (line.new.evaluated, line.new.unit) == (4, "days")
    assert line.sentence == "would have alerted on 2 of 4 days: 2026-04-02, 2026-04-03; 1 of them new: 2026-04-03"
    assert found.sentence == (
        "version 1.0.0 would have alerted on 2 of 4 days: 2026-04-02, 2026-04-03; "
        "version 1.0.0 would have alerted on 1 of 4 days: 2026-04-02"
    )


def test_a_loosening_names_the_alerts_that_are_gone() -> None:
    old, new = versions([HIGHER], [SMALLEST])
    _, lines = replay(old, new, daily(old, amounts(5), amounts(1), amounts(2)))
    assert lines["low"].gone == (DAY.format(2), DAY.format(3))
    assert lines["low"].sentence == (
        "would not have alerted on any of 3 days; "
        "2 alerts of the version in force no longer occur: 2026-04-02, 2026-04-03"
    )


def test_a_check_that_comes_or_goes_has_one_side() -> None:
    mean = check("mean", "mean", column="amount", mustBeLessThan=4)
    old, new = versions([SMALLEST], [mean])
    _, lines = replay(old, new, daily(contract(SMALLEST, mean), amounts(5), amounts(1)))
    assert lines["low"].new is None
    assert lines["low"].sentence == "the check was removed; it alerts on 0 of 2 days"
    assert lines["mean"].old is None
    assert lines["mean"].sentence == "would have alerted on 1 of 2 days: 2026-04-01"


def test_without_a_version_in_force_the_new_one_is_told_alone() -> None:
    new = contract(SMALLEST)
    found, _ = replay(None, new, daily(new, amounts(5), amounts(-1)))
    assert found.sentence == "version 1.0.0 would have alerted on 1 of 2 days: 2026-04-02"


def test_nothing_stored_is_said() -> None:
    found, lines = replay(None, contract(SMALLEST), [])
    assert found.sentence == "no states of orders are stored: version 1.0.0 cannot be evaluated"
    assert lines["low"].sentence == "no stored states to evaluate it on"


def test_a_check_whose_states_were_never_computed_needs_the_data_once() -> None:
    added = check("mean", "mean", column="amount", mustBeLessThan=4)
    old, new = versions([SMALLEST], [SMALLEST, added])
    found, lines = replay(old, new, daily(old, amounts(5), amounts(1)))
    assert lines["mean"].new.not_evaluated == {NEEDED: (DAY.format(1), DAY.format(2))}
    assert lines["mean"].sentence == f"2 could not be evaluated: {NEEDED}"
    assert found.unjudged == (lines["mean"],)
    assert found.sentence.endswith("; 1 of its checks need a new scan of the data")


def test_the_structure_is_replayed_as_it_was_recorded() -> None:
    old = contract()
    new = contract(properties=on("amount", logicalType="string"))
    wider = Schema((*SCHEMA, Column("more", "string")))
    more = {**amounts(1), "more": ["x"]}
    steps = [{DAY.format(1): packed(old, amounts(1))}, {DAY.format(2): packed(old, more, wider)}]
    _, lines = replay(old, new, steps)
    assert lines["schema-types"].appeared == (DAY.format(1), DAY.format(2))
    assert lines["schema-new-columns"].same == (DAY.format(2),)


def test_of_the_whole_dataset_the_running_states_are_judged() -> None:
    limit = check("size", "few", scope="dataset", mustBeLessOrEqualTo=5)
    new = contract(limit)
    _, lines = replay(None, new, daily(new, amounts(1, 2), amounts(1, 2, 3), amounts(1)))
    assert (lines["few"].new.evaluated, lines["few"].new.alerts) == (3, (DAY.format(3),))


def test_a_partition_that_is_replaced_counts_once_and_is_named_by_its_arrival() -> None:
    limit = check("size", "few", scope="dataset", mustBeLessOrEqualTo=3)
    new = contract(limit, SMALLEST)
    first, second = DAY.format(1), DAY.format(2)
    steps = [
        {first: packed(new, amounts(-1, -2))}, {second: packed(new, amounts(1, 2))}, {first: packed(new, amounts(4))},
        ReplayStep(added={}, time=NOW, removed=(first,)),
    ]  # fmt: skip
    found, lines = replay(None, new, steps)
    assert (lines["few"].new.evaluated, lines["few"].new.alerts) == (4, (second,))
    assert lines["low"].new.alerts == (first,)
    assert found.partitions == 2


def test_views_choose_their_partitions() -> None:
    few = check("size", "few", scope="german", mustBeLessOrEqualTo=2)
    plain = dict(contract(few, properties=[*on("id"), _partition("land")]).document) | {
        "customProperties": [{"property": "treaty", "value": {"views": [{"name": "german", "where": "land = 'DE'"}]}}]
    }
    new = read(write(plain))
    parted = Schema((*SCHEMA, Column("land", "string")))
    day = packed(new, {**amounts(1, 2), "land": ["-", "-"]}, parted)
    names = ["land=FR", "land=DE", "land=DE/x=1", "land=FR/x=1"]
    _, lines = replay(None, new, [{name: day} for name in names])
    assert (lines["few"].new.empty, lines["few"].new.not_evaluated) == (1, {})
    assert lines["few"].new.alerts == ("land=DE/x=1", "land=FR/x=1")


def _partition(name: str) -> dict[str, Any]:
    return {"name": name, "logicalType": "string", "partitioned": True, "partitionKeyPosition": 1}


def test_counts_of_values_are_merged_on_request_alone() -> None:
    new = contract(check("uniqueness", "once", column="id", mustBe=1))
    steps = daily(new, {**amounts(1), "id": [7]}, {**amounts(1), "id": [8]}, {**amounts(1), "id": [7]})
    _, lines = replay(None, new, steps)
    assert lines["once"].new.not_evaluated == {COUNTED: (DAY.format(1), DAY.format(2), DAY.format(3))}
    _, lines = replay(None, new, steps, counting=True)
    assert lines["once"].new.alerts == (DAY.format(3),)


def test_states_that_are_beyond_this_process_are_told_as_such() -> None:
    new = contract(check("uniqueness", "once", column="id", mustBe=1))
    key = next(each for each in states(new, ROWS).entries if each.startswith("frequencies"))
    _, lines = replay(None, new, daily(new, ROWS), counting=True, beyond={key: "too many"})
    assert lines["once"].new.not_evaluated == {"too many": (DAY.format(1),)}


def test_days_that_were_merged_are_not_told_apart_but_count_in_the_dataset() -> None:
    new = contract(SMALLEST, check("size", "few", scope="dataset", mustBeLessOrEqualTo=3))
    steps = [{"day=2026-03-[01-13]": packed(new, amounts(1, 2))}, {DAY.format(1): packed(new, amounts(1, 2))}]
    found, lines = replay(None, new, steps)
    assert lines["low"].new.not_evaluated == {MERGED: ("day=2026-03-[01-13]",)}
    assert (lines["low"].new.lacking, lines["low"].new.evaluated) == (13, 1)
    assert lines["few"].new.alerts == (DAY.format(1),)
    assert found.partitions == 14


def test_states_that_cannot_be_read_are_told_and_stop_nothing() -> None:
    new = contract(SMALLEST, check("size", "few", scope="dataset", mustBeLessOrEqualTo=3))
    whole = packed(new, amounts(-1))
    damaged = whole[:-40] + bytes(40)
    _, lines = replay(None, new, [{DAY.format(1): whole}, {DAY.format(2): damaged}, {DAY.format(3): whole}])
    assert lines["low"].new.alerts == (DAY.format(1), DAY.format(3))
    [reason] = lines["low"].new.not_evaluated
    assert "damaged" in reason
    assert (lines["few"].new.evaluated, lines["few"].new.lacking) == (1, 2)


def test_limits_that_refer_are_those_that_were_known_then() -> None:
    limit = {"dataset": "titles", "analyzer": "size"}
    new = contract(check("size", "few", mustBeLessOrEqualTo=limit))
    known = [2, 1, None]
    steps = [
        ReplayStep(
            added=arrived, time=NOW, references={"the size of titles": ReferenceValue(value, reason="nobody knows")}
        )
        for arrived, value in zip(daily(new, amounts(1, 2), amounts(1, 2), amounts(1)), known, strict=True)
    ]
    _, lines = replay(None, new, steps)
    assert lines["few"].new.alerts == (DAY.format(2),)
    assert list(lines["few"].new.not_evaluated.values()) == [(DAY.format(3),)]


def test_only_what_came_so_far_is_told_of_a_part() -> None:
    new = contract(SMALLEST)
    replaying = ReplayRunner(old=None, new=new, object_name="orders")
    replaying.take(ReplayStep(added=daily(new, amounts(-1))[0], time=NOW))
    assert replaying.report(9).sentence == (
        "version 1.0.0 would have alerted on 1 of 1 days: 2026-04-01; evaluated: the first 1 of 9"
    )


CHECKS = [
    SMALLEST,
    check("mean", "mean", column="amount", mustBeLessThan=5),
    check("completeness", "there", column="amount", mustBeGreaterThan=0.6),
    check("maximum", "high", column="amount", mustBeLessThan=8, scope="dataset"),
    check("size", "few", scope="dataset", mustBeLessThan=9, severity="warning"),
    check("completeness", "whole", column="amount", scope="dataset", mustBeGreaterThan=0.6),
    check("uniqueness", "once", column="id", mustBe=1),
    check("contained_in", "known", column="status", values=["new", "paid"], mustBe=1),
    check("mean", "gone", column="nowhere_there", mustBe=1),
]
PLAIN = [{**each, "name": each["id"]} for each in CHECKS]
ALL = contract(*PLAIN, properties=[])
OTHER = Schema((*SCHEMA, Column("nowhere_there", "double")))
rows = st.lists(
    st.tuples(
        st.integers(0, 30), st.one_of(st.none(), st.integers(-1, 9).map(float)), st.sampled_from(["new", "paid", "odd"])
    ),
    max_size=4,
)
histories = st.lists(
    st.dictionaries(st.sampled_from([DAY.format(at) for at in range(1, 6)]), st.one_of(st.none(), rows), max_size=3),
    max_size=6,
)


def _columns(given_rows: list[tuple[int, float | None, str]], *, wide: bool) -> Rows:
    columns = {name: [row[at] for row in given_rows] for at, name in enumerate(SCHEMA.names)}
    return {**columns, "nowhere_there": [1.0] * len(given_rows)} if wide else columns


@settings(max_examples=40, deadline=None)
@given(history=histories, wide=st.booleans())
def test_the_version_in_force_comes_out_as_in_the_runs_that_judged_each_state_of_the_table(
    history: list[dict[str, Any]], wide: bool
) -> None:
    """Each prefix is judged from scratch by `judge`, as validations did, and step by step by the replay."""
    schema = OTHER if wide else SCHEMA
    there: dict[str, bytes] = {}
    ran: list[tuple[str, str | None, Outcome]] = []
    steps = []
    for at, changes in enumerate(history):
        moment = NOW + timedelta(days=at)
        arrived = {
            name: packed(ALL, _columns(found, wide=wide), schema)
            for name, found in sorted(changes.items())
            if found is not None
        }
        gone = tuple(name for name, found in changes.items() if found is None and name in there)
        there = {name: each for name, each in there.items() if name not in gone} | arrived
        if not (arrived or gone) or not there:
            steps += [ReplayStep(added={}, time=moment, removed=gone)] if gone else []
            continue
        steps.append(ReplayStep(added=arrived, time=moment, removed=gone))
        run = evaluate(
            EvaluationRequest(
                contract=ALL,
                object_name="orders",
                states=dict(sorted(there.items())),
                delta=sorted(arrived),
                started_at=moment,
                finished_at=moment,
                schema=schema,
            )
        )
        ran += [(each.check_id, each.partition, each.outcome) for each in run.results]
    _, lines = replay(None, ALL, steps, counting=True)
    for check_id, line in lines.items():
        told = [outcome for of, _, outcome in ran if of == check_id]
        assert len(line.new.alerts) == told.count(Outcome.FAILED), check_id
        assert line.new.evaluated == told.count(Outcome.FAILED) + told.count(Outcome.PASSED), check_id
        assert line.new.empty == told.count(Outcome.NOT_APPLICABLE), check_id
        assert sum(map(len, line.new.not_evaluated.values())) == told.count(Outcome.NOT_EVALUATED), check_id
        named = [partition for of, partition, outcome in ran if of == check_id and outcome is Outcome.FAILED]
        assert not any(named) or [name.partition(" (")[0] for name in line.new.alerts] == named


def test_many_partitions_lie_in_blocks_and_together_are_what_they_are_from_scratch() -> None:
    total = contract(check("size", "few", scope="dataset", mustBeLessThan=9))
    together = IncrementalMerge()
    bags: dict[str, StateBag] = {f"day={at}": states(total, amounts(*range(at % 7))) for at in range(3 * BLOCK)}
    for name, bag in bags.items():
        together.change({name: bag})
    changed = {f"day={at}": states(total, amounts(1)) for at in (0, 5, BLOCK, 2 * BLOCK + 1)}
    merged = together.change(changed, ["day=7", "day=9"])
    left = {name: bag for name, bag in {**bags, **changed}.items() if name not in ("day=7", "day=9")}
    assert merged is not None
    assert merged.rows == sum(bag.rows for bag in left.values())
    assert together.change({}, left) is None


@pytest.mark.parametrize(
    ("names", "said"),
    [
        (["a=1", "a=2"], "2 partitions up to a=2"),
        (["day=2026-04-01/land=DE", "day=2026-04-01/land=FR"], "2026-04-01"),
        ([""], ""),
    ],
)
def test_an_arrival_is_called_by_its_partition_its_day_or_its_last(names: list[str], said: str) -> None:
    new = contract(check("size", "few", scope="dataset", mustBeLessThan=1))
    _, lines = replay(None, new, [dict.fromkeys(names, packed(new, amounts(1)))])
    assert lines["few"].new.alerts == (said,)


def pattern(pattern: str, **more: Any) -> dict[str, Any]:
    return check("pattern_match", "shape", column="status", pattern=pattern, mustBe=1, **more)


COUNTING = check("count_distinct", "many", columns=["status"], mustBeGreaterThan=0)


def statuses(*values: str | None) -> Rows:
    return {"id": list(range(len(values))), "amount": [1.0] * len(values), "status": list(values)}


def evidence(
    before: Contract, after: Contract, *days: Rows, counting: bool = True, counted: bool = True
) -> ReplayedCheck:
    """What is said of the pattern, of which no state tells how many rows match: the fake of Spark matches none."""
    stored = daily(contract(COUNTING if counted else SMALLEST), *days)
    return replay(before, after, stored, counting=counting)[1]["shape"]


@pytest.mark.parametrize(
    ("after", "said"),
    [
        ("[a-z]+x?", "tried on stored values of 2 partitions, 100.0 % of the rows with a value: no difference"),
        (
            "[a-m]+",
            "tried on stored values of 2 partitions, 100.0 % of the rows with a value: "
            "different results on 1 (2026-04-02): "
            "2 rows match only the pattern in force, 0 only the proposed one",
        ),
        (
            "[a-z]+|[A-Z]+",
            "tried on stored values of 2 partitions, 100.0 % of the rows with a value: "
            "different results on 1 (2026-04-01): "
            "0 rows match only the pattern in force, 1 only the proposed one",
        ),
    ],
)
def test_an_edit_of_a_pattern_is_tried_on_the_values_that_are_stored(after: str, said: str) -> None:
    old, new = versions([pattern("[a-z]+"), COUNTING], [pattern(after), COUNTING])
    line = evidence(old, new, statuses("a", "B", None), statuses("zz", "zz", "a"))
    assert line.evidence == f"no partition has states for both versions ({NEEDED}); {said}"
    assert not {"zz", "B"} & set(line.evidence.split())


def test_values_are_tried_on_request_alone_and_only_where_they_are_stored() -> None:
    old, new = versions([pattern("[a-z]+"), COUNTING], [pattern("[a-z]*"), COUNTING])
    assert evidence(old, new, statuses("a"), counting=False).evidence.endswith(UNASKED)
    old, new = versions([pattern("[a-z]+")], [pattern("[a-z]*")])
    assert evidence(old, new, statuses("a"), counted=False).evidence.endswith(
        "; no stored values to try both patterns on"
    )


def test_nothing_is_tried_on_values_of_a_column_that_is_classified() -> None:
    properties = on("status", classification="personal")
    old = contract(pattern("[a-z]+"), COUNTING, properties=properties)
    new = contract(pattern("[a-z]*"), COUNTING, properties=properties)
    line = evidence(old, new, statuses("a"))
    assert (line.trial, line.can_try_patterns) == (None, False)


def test_nothing_is_tried_where_more_than_the_pattern_changed() -> None:
    old, new = versions([pattern("[a-z]+"), COUNTING], [pattern("[a-z]*", nulls="break"), COUNTING])
    assert not evidence(old, new, statuses("a")).can_try_patterns


def test_of_a_threshold_that_moved_it_is_said_on_which_days_that_matters() -> None:
    old, new = versions([SMALLEST], [HIGHER])
    _, lines = replay(old, new, daily(old, amounts(5), amounts(-1), amounts(2)))
    assert lines["low"].evidence == (
        "both versions agree on 2 of 3 days; only the proposed version alerts on 1: 2026-04-03"
    )
    _, lines = replay(new, old, daily(old, amounts(5), amounts(-1), amounts(2)))
    assert lines["low"].evidence.endswith("only the version in force alerts on 1: 2026-04-03")
    _, lines = replay(old, new, daily(old, amounts(5), amounts(-1)))
    assert lines["low"].evidence == "both versions agree on all 2 days"


PATTERNS = ["[a-z]+", "[A-Z]{2,3}", r"\d+", r"\w+", "a|b", "^a", "b$", ".", r"[^a]\s?"]


@given(
    values=st.lists(st.one_of(st.none(), st.text("ab1 Z\u00e4\u0663\n", max_size=4)), max_size=8),
    before=st.sampled_from(PATTERNS), after=st.sampled_from(PATTERNS), within=st.booleans(),
)  # fmt: skip
@settings(max_examples=60, deadline=None)
def test_what_is_tried_is_what_the_patterns_do(values: list[str | None], before: str, after: str, within: bool) -> None:
    old, new = versions([pattern(before, within=within), COUNTING], [pattern(after, within=within), COUNTING])
    if before == after:
        return
    line = evidence(old, new, statuses(*values))
    find = [re.compile(each if within else rf"\A(?:{each})\Z", re.ASCII).search for each in (before, after)]
    told = [tuple(bool(one(value)) for one in find) for value in values if value is not None]
    assert line.trial is not None
    assert (line.trial.refused, line.trial.accepted) == (told.count((True, False)), told.count((False, True)))
    assert line.trial.rows == line.trial.present == len(told)


def watched(**detector: Any) -> dict[str, Any]:
    return check("size", "watched", mustHaveNoAnomalies={"detector": "online_normal", **detector})


def sizes(of: Contract, *given: int) -> list[Mapping[str, bytes]]:
    return daily(of, *(amounts(*range(size)) for size in given))


CALM = (20, 22, 19, 21, 20, 18)


def test_detectors_learn_from_the_days_before_as_validations_do() -> None:
    _, new = versions([], [watched()])
    days = sizes(new, *CALM, 90, 21)
    _, lines = replay(None, new, days)
    told = lines["watched"].new
    assert told.alerts == (DAY.format(7),)
    assert (told.evaluated, told.empty, told.not_evaluated) == (5, 3, {})
    so_far: dict[str, bytes] = {}
    for day in days:
        so_far |= day
        run = evaluate(
            EvaluationRequest(
                contract=new, object_name="orders", states=so_far, delta=list(day), started_at=NOW, finished_at=NOW
            )
        )
        outcome = next(each.outcome for each in run.results if each.check_id == "watched")
        assert (outcome is Outcome.FAILED) is (set(day) <= set(told.alerts))


def test_versions_that_share_alarms_among_more_metrics_are_judged_each_by_its_own_budget() -> None:
    watching = [check("size", f"watched-{at}", where=f"id > {at}", mustHaveNoAnomalies="auto") for at in range(9)]
    few, many = contract(*watching[:1]), contract(*watching)
    days = sizes(many, *CALM, 21, 19, 20, 27)
    alone = [replay(None, of, days)[1]["watched-0"].new for of in (few, many)]
    line = replay(few, many, days)[1]["watched-0"]
    assert [line.old, line.new] == alone
    assert [each.alerts for each in alone] == [(DAY.format(10),), ()]


@pytest.mark.parametrize(("spoilt", "alerts"), [((), (7,)), ((7, 8), (7, 8, 9))])
def test_nothing_is_learned_from_days_of_incidents(spoilt: Sequence[int], alerts: Sequence[int]) -> None:
    new, bad = contract(watched()), {DAY.format(at) for at in spoilt}
    steps = [
        ReplayStep(added=each, time=NOW, excluded_partitions=frozenset(bad & each.keys()))
        for each in sizes(new, *CALM, 90, 95, 40)
    ]
    _, lines = replay(None, new, steps)
    assert lines["watched"].new.alerts == tuple(DAY.format(at) for at in alerts)


def test_the_dataset_is_judged_beside_what_it_was_after_earlier_arrivals() -> None:
    new = contract(
        check("size", "watched", scope="dataset", mustHaveNoAnomalies={"detector": "absolute_change", "increase": 30})
    )
    steps = [ReplayStep(added=each, time=NOW + timedelta(days=at)) for at, each in enumerate(sizes(new, *CALM, 90))]
    _, lines = replay(None, new, steps)
    told = lines["watched"].new
    assert (told.evaluated, told.empty, told.alerts) == (6, 1, (DAY.format(7),))
