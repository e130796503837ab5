"""The gate: what was written is judged before anybody sees it, and what was cut off is ended one way or the other."""

import os
import shutil
import time
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
from support.gates import PROPERTIES, Crash, Ending, Gated, Rows
from support.orders import check, contract

from treaty.engine.analyzers.quantiles import ApproxQuantile
from treaty.engine.core.disk import LockHeld, file_lock
from treaty.engine.core.errors import EngineError, StateError
from treaty.engine.core.results import MetricKey, RunResult, Value, Verdict
from treaty.engine.gate.gate import (
    CandidateRejected,
    GenerationConflict,
    PublicationOpen,
    StateFolder,
    TableGate,
    open_gate,
    recover,
)
from treaty.engine.gate.parquet_folders import FolderPublication, local_folder
from treaty.engine.gate.publication import intent_of
from treaty.engine.protocol.requests import MeasureRequest, MeasureResult
from treaty.engine.protocol.row_requests import ExactRequest
from treaty.engine.states.bag import StateBag


@pytest.fixture(autouse=True)
def _fast(monkeypatch: pytest.MonkeyPatch) -> None:
    """No test here loses power."""
    monkeypatch.setattr(os, "fsync", lambda _: None)


@pytest.fixture
def gated(tmp_path: Path) -> Gated:
    return Gated(tmp_path)


A, B, C = "day=2026-01-01", "day=2026-01-02", "day=2026-01-03"


def interrupted(
    gated: Gated, rows: Rows, meanwhile: Callable[[Gated], object], through: TableGate | None = None
) -> None:
    """Publishes rows, with something else done while they are measured."""
    gate = through or gated.gate()

    def measure(asked: MeasureRequest) -> MeasureResult:
        found = gate.measure(asked)
        if asked.source.location != gate.table:
            meanwhile(gated)
        return found

    with open_gate(replace(gate, measure=measure)) as candidate:
        candidate.write(rows)


def test_what_keeps_the_contract_is_published_with_its_states(gated: Gated) -> None:
    run = gated.publish({A: [1, 2], B: [3]}).run
    assert run is not None
    assert (run.verdict, run.partitions, gated.answer) == (Verdict.PASSED, (A, B), "passed")
    assert gated.rows == {A: [1, 2], B: [3]}
    assert gated.agree()
    assert gated.leftovers == []


def test_what_breaks_the_contract_changes_nothing_and_says_why(gated: Gated) -> None:
    gated.publish({A: [1, 2]})
    before = gated.store.current(), gated.fingerprints
    with pytest.raises(CandidateRejected, match="failed, 1 check") as refused:
        gated.publish({A: [5], B: [-1]})
    broken = [(each.check_id, each.partition) for each in refused.value.run.results if each.outcome == "failed"]
    assert broken == [("positive", B)]
    assert (gated.store.current(), gated.fingerprints) == before
    assert (gated.answer, gated.leftovers, refused.value.folder) == ("passed", [], None)


def test_the_whole_table_is_judged_with_the_candidate_in_place_of_what_it_replaces(gated: Gated) -> None:
    gated.publish({A: [1] * 60, B: [1] * 30})
    with pytest.raises(CandidateRejected):
        gated.publish({C: [1] * 10})
    gated.publish({A: [1] * 50, C: [1] * 10})
    assert {name: len(rows) for name, rows in gated.rows.items()} == {A: 50, B: 30, C: 10}
    assert gated.agree()


def test_a_rejected_candidate_is_kept_when_asked_for(gated: Gated) -> None:
    with pytest.raises(CandidateRejected) as refused:
        gated.publish({A: [-1]}, keep=True)
    kept = Path(str(refused.value.folder))
    assert [each.read_text() for each in kept.rglob("*.parquet")] == ["-1"]
    gated.publish({A: [1]})
    assert gated.recover() == "nothing"
    assert kept.is_dir()


def test_warnings_are_published_unless_they_are_not_admitted(gated: Gated) -> None:
    gated.given = contract(check("size", severity="warning", mustBe=5), properties=PROPERTIES)
    with pytest.raises(CandidateRejected):
        gated.publish({A: [1]}, admitted=frozenset({Verdict.PASSED}))
    assert gated.rows == {}
    gated.publish({A: [1]})
    assert (gated.rows, gated.answer) == ({A: [1]}, "warned")


def test_what_cannot_be_judged_is_not_published(gated: Gated) -> None:
    gated.given = contract(check("mean", column="amount", mustBe=5))
    with pytest.raises(CandidateRejected) as refused:
        gated.publish({A: [1]})
    assert (refused.value.run.verdict in ("not_evaluated", "failed"), gated.rows) == (True, {})


def test_an_error_within_the_block_publishes_nothing(gated: Gated) -> None:
    def failing(*_: Any) -> None:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError), open_gate(replace(gated.gate(), stage=failing)) as candidate:
        candidate.write({A: [1]})
    assert (gated.rows, gated.leftovers) == ({}, [])


def test_a_block_that_writes_nothing_is_told(gated: Gated) -> None:
    with pytest.raises(EngineError, match="nothing was written"), open_gate(gated.gate()):
        pass


def test_a_table_without_partitions_is_replaced_as_a_whole(tmp_path: Path) -> None:
    gated = Gated(tmp_path, partition_by=())
    gated.publish({"": [1, 2]})
    with pytest.raises(CandidateRejected):
        gated.publish({"": [-1]})
    gated.publish({"": [3]})
    assert (gated.rows, gated.answer, gated.agree(), gated.leftovers) == ({"": [3]}, "passed", True, [])


def test_what_was_written_past_the_gate_is_measured_and_leaves_no_answer(gated: Gated) -> None:
    gated.publish({A: [1], B: [2]})
    past(gated, {C: [3]})
    shutil.rmtree(Path(gated.table) / A)
    assert gated.answer == "unknown"
    gated.publish({B: [7]})
    assert (gated.rows, gated.agree(), gated.answer) == ({B: [7], C: [3]}, True, "passed")


def test_states_that_are_damaged_or_of_other_checks_are_computed_again(gated: Gated) -> None:
    gated.publish({A: [1], B: [2]})
    damaged = Path(gated.store.place) / "bags" / gated.store.current().entries[A].bag
    damaged.write_bytes(damaged.read_bytes()[:-1] + b"?")
    gated.given = contract(check("maximum", column="id", scope="dataset", mustBe=9), properties=PROPERTIES)
    assert gated.answer == "unknown"
    gated.publish({C: [9]})
    assert (gated.agree(), gated.answer) == (True, "passed")


def past(gated: Gated, rows: Rows) -> None:
    """Writes to the table past its gate."""
    gated.gate().stage(rows, gated.table, {})


def test_a_table_written_past_the_gate_during_the_block_is_not_published_to(gated: Gated) -> None:
    gated.publish({A: [1]})
    with pytest.raises(GenerationConflict, match="bypassed the gate"):
        interrupted(gated, {B: [2]}, lambda other: past(other, {C: [3]}))
    assert (gated.rows, gated.answer) == ({A: [1], C: [3]}, "unknown")


def test_what_was_read_of_all_rows_at_once_holds_as_long_as_no_other_partition_changes(gated: Gated) -> None:
    gated.publish({A: [1]})
    measured = gated.gate().measure
    all_read = replace(
        gated.gate(), measure=lambda asked: replace(measured(asked), whole_table_states=StateBag({}).pack())
    )
    with pytest.raises(GenerationConflict, match=f"another writer published {C}"):
        interrupted(gated, {B: [2]}, lambda other: other.publish({C: [3]}), all_read)
    interrupted(gated, {B: [2]}, lambda _: None, all_read)
    assert gated.rows == {A: [1], B: [2], C: [3]}


@dataclass(frozen=True)
class Contested(StateFolder):
    """A store to which another writer always comes first."""

    def swap(self, expected: int, *_: Any) -> Any:
        raise GenerationConflict(f"no longer of {expected}")


def test_where_the_store_has_another_generation_no_file_is_moved(gated: Gated) -> None:
    gated.publish({A: [1]})
    before = gated.fingerprints
    contested = replace(gated.gate(), store=Contested(gated.store.place))
    with pytest.raises(GenerationConflict, match="no longer of 1"), open_gate(contested) as candidate:
        candidate.write({A: [2]})
    assert (gated.fingerprints, gated.open, gated.answer) == (before, False, "passed")
    assert gated.recover() == "nothing"
    assert gated.leftovers == []


def test_of_two_writers_of_one_partition_one_wins(gated: Gated) -> None:
    with pytest.raises(GenerationConflict, match=f"another writer published {A}"):
        interrupted(gated, {A: [1], B: [1]}, lambda other: other.publish({A: [2]}))
    assert (gated.rows, gated.agree(), gated.leftovers) == ({A: [2]}, True, [])


def test_writers_of_other_partitions_do_not_hinder_each_other_and_are_judged_together(gated: Gated) -> None:
    interrupted(gated, {A: [1] * 40}, lambda other: other.publish({B: [1] * 50}))
    assert gated.agree()
    with pytest.raises(CandidateRejected):
        interrupted(gated, {C: [1] * 9}, lambda other: other.publish({A: [1] * 45}))
    assert {name: len(rows) for name, rows in gated.rows.items()} == {A: 45, B: 50}


def test_who_begins_while_another_publishes_waits_for_it(gated: Gated, monkeypatch: pytest.MonkeyPatch) -> None:
    gated.publish({A: [1]})
    publish = FolderPublication.publish
    with ThreadPoolExecutor(1) as later:
        begun = []

        def slowly(folders: FolderPublication, changes: Any) -> None:
            begun.append(later.submit(gated.publish, {B: [2]}))
            time.sleep(0.2)
            monkeypatch.setattr(FolderPublication, "publish", publish)
            publish(folders, changes)

        monkeypatch.setattr(FolderPublication, "publish", slowly)
        gated.publish({A: [3]})
        assert begun[0].result().run.verdict == "passed"
    assert (gated.rows, gated.agree()) == ({A: [3], B: [2]}, True)


def test_many_writers_at_once_leave_one_of_their_candidates(gated: Gated) -> None:
    def attempt(number: int) -> int | None:
        try:
            gated.publish({A: [number] * 3, B: [number] * 2})
        except GenerationConflict:
            return None
        return number

    with ThreadPoolExecutor(8) as writers:
        won = [each for each in writers.map(attempt, range(1, 17)) if each]
    assert won
    assert gated.rows in [{A: [each] * 3, B: [each] * 2} for each in won]
    assert (gated.agree(), gated.answer, gated.leftovers) == (True, "passed", [])
    assert gated.store.current().number == len(won)


def test_states_within_the_table_are_refused(gated: Gated) -> None:
    inside = replace(gated.gate(), store=StateFolder(f"{gated.table}/_states"))
    with pytest.raises(EngineError, match="inside the table"), open_gate(inside):
        pass
    assert os.listdir(gated.folder) == []


REFUSED = {
    "a place elsewhere": (lambda folder: "s3://bucket/orders", "is not a folder on this machine"),
    "a file": (lambda folder: made(folder / "orders", ""), "is not a folder on this machine"),
    "files outside the partitions": (
        lambda folder: made(folder / "orders" / "x.parquet", "orders"), "not partitioned by day"),
    "folders of more columns": (
        lambda folder: made(folder / "orders" / "hour=1" / "day=1" / "x.parquet", "orders"), "not partitioned by day"),
    "a table format": (lambda folder: made(folder / "orders" / "_delta_log" / "0.json", "orders"), "not partitioned"),
}  # fmt: skip


def made(path: Path, table: str) -> str:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("1")
    return str(path if not table else next(each for each in path.parents if each.name == table))


@pytest.mark.parametrize("name", REFUSED)
def test_tables_that_cannot_be_published_to_by_renaming_are_refused(name: str, tmp_path: Path) -> None:
    table, said = REFUSED[name]
    place = table(tmp_path)
    if "_delta_log" in [path.name for path in tmp_path.rglob("*")]:
        made(tmp_path / "orders" / "day=1" / "x.parquet", "orders")
    with pytest.raises(EngineError, match=said), open_gate(_at(Gated(tmp_path), place)):
        pass


def _at(gated: Gated, table: str) -> Any:
    return replace(gated.gate(), table=local_folder(table))


# What is published last, onto {A: [1], B: [2]}; for a table without partitions onto its rows.
@dataclass(frozen=True)
class Scenario:
    before: Rows
    candidate: Rows
    partition_by: tuple[str, ...] = ("day",)


SCENARIOS = {
    "a partition is replaced": Scenario({A: [1], B: [2]}, {A: [3]}),
    "a partition is new": Scenario({A: [1]}, {B: [2]}),
    "the table is new": Scenario({}, {A: [1]}),
    "several are replaced and new": Scenario({A: [1], B: [2]}, {A: [4], B: [5], C: [6]}),
    "a table without partitions": Scenario({"": [1]}, {"": [2]}, ()),
    "a table of two levels": Scenario(
        {"day=1/hour=1": [1], "day=1/hour=2": [2]}, {"day=1/hour=2": [3], "day=2/hour=1": [4]}, ("day", "hour")
    ),
    "a candidate is rejected": Scenario({A: [1]}, {A: [-1]}),
}


def prepared(folder: Path, scenario: Scenario) -> Gated:
    gated = Gated(folder, scenario.partition_by)
    if scenario.before:
        gated.publish(scenario.before)
    return gated


def cut_off(gated: Gated, rows: Rows, disk: Ending) -> bool:
    """Whether the process ended before it was done."""
    try:
        gated.publish(rows, disk)
    except Crash:
        return True
    except CandidateRejected:
        return False
    return False


@pytest.mark.search
@pytest.mark.parametrize("name", SCENARIOS)
def test_a_crash_at_any_step_is_recovered_to_the_old_or_the_new(name: str, tmp_path: Path) -> None:
    scenario, seen, last = SCENARIOS[name], set(), 0
    while True:
        gated = prepared(tmp_path / str(last), scenario)
        disk = Ending(last=last)
        ended = cut_off(gated, scenario.candidate, disk)
        at = f"{name}: step {last}, {disk.names[-1]}"
        seen.add(lawful(gated, scenario, at) if ended else "done")
        if not ended:
            break
        last += 1
    # The steps are many, and all that may come of them came.
    rejected = name == "a candidate is rejected"
    assert last >= (1 if rejected else 14)
    assert seen == ({"nothing", "done"} if rejected else {"nothing", "forward", "done"})


def lawful(gated: Gated, scenario: Scenario, at: str) -> str:
    """What recovery did; the law is held to before it and after."""
    old, new = dict(scenario.before), {**scenario.before, **scenario.candidate}
    if gated.open:
        assert gated.answer == "unknown", at
        with pytest.raises(PublicationOpen, match="was not completed"), open_gate(gated.gate()):
            pass
    else:
        assert gated.rows in (old, new), at
        assert gated.agree(), at
    was_open, seen, done = gated.open, None if gated.open else gated.rows, gated.recover()
    assert (done == "nothing") == (not was_open), at
    assert gated.rows == {"nothing": seen, "forward": new, "back": old}[done], at
    assert (gated.agree(), gated.open, gated.leftovers) == (True, False, []), at
    assert gated.recover() == "nothing", at
    assert gated.answer == ("passed" if gated.rows else "unknown"), at
    return done


@pytest.mark.search
@pytest.mark.parametrize("name", ["several are replaced and new", "a table without partitions"])
def test_a_recovery_that_is_cut_off_at_any_step_is_done_again(name: str, tmp_path: Path) -> None:
    scenario = SCENARIOS[name]
    # Every third: the steps in between leave what their neighbours leave.
    for first in steps_while_open(tmp_path / "counted", scenario)[::3]:
        last = 0
        while True:
            gated = prepared(tmp_path / f"{first}-{last}", scenario)
            assert cut_off(gated, scenario.candidate, Ending(last=first))
            try:
                gated.recover(Ending(last=last))
            except Crash:
                lawful_again(gated, scenario, f"{name}: published to step {first}, recovered to step {last}")
                last += 1
                continue
            break
        assert last >= 3


def lawful_again(gated: Gated, scenario: Scenario, at: str) -> None:
    assert not gated.open or gated.answer == "unknown", at
    gated.recover()
    assert gated.rows == {**scenario.before, **scenario.candidate}, at
    assert (gated.agree(), gated.leftovers, gated.answer) == (True, [], "passed"), at


def steps_while_open(folder: Path, scenario: Scenario) -> list[int]:
    """The steps of a publication after which its intent is there."""
    found, last = [], 0
    while True:
        gated = prepared(folder / str(last), scenario)
        if not cut_off(gated, scenario.candidate, Ending(last=last)):
            return found
        if gated.open:
            found.append(last)
        last += 1


LOSSES: dict[str, Callable[[Path], object]] = {"lost": Path.unlink, "cut short": lambda path: path.write_bytes(b"")}


@pytest.mark.search
@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("name", ["a partition is replaced", "several are replaced and new"])
def test_where_new_files_are_lost_everything_goes_back(name: str, loss: str, tmp_path: Path) -> None:
    scenario = SCENARIOS[name]
    seen = set()
    for last in steps_while_open(tmp_path / "counted", scenario):
        gated = prepared(tmp_path / str(last), scenario)
        before = gated.store.current()
        cut_off(gated, scenario.candidate, Ending(last=last))
        staged = sorted(Path(gated.table).parent.glob(".orders.gate/candidate-*/new/*/*.parquet"))
        if not staged:
            continue
        LOSSES[loss](staged[-1])
        seen.add(gated.recover())
        assert gated.rows == dict(scenario.before), last
        assert (gated.agree(), gated.leftovers, gated.answer) == (True, [], "passed"), last
        assert gated.store.current().entries == before.entries
    assert seen == {"back"}


def test_where_a_bag_is_lost_before_the_states_are_swapped_everything_goes_back(tmp_path: Path) -> None:
    scenario, seen = SCENARIOS["a partition is replaced"], []
    for last in steps_while_open(tmp_path / "counted", scenario):
        gated = prepared(tmp_path / str(last), scenario)
        before = gated.store.current()
        cut_off(gated, scenario.candidate, Ending(last=last))
        if gated.store.current() != before:
            break
        named = {entry.bag for entry in before.entries.values()}
        for bag in (Path(gated.store.place) / "bags").iterdir():
            if bag.name not in named:
                bag.unlink()
        seen.append(gated.recover())
        assert (gated.rows, gated.agree(), gated.answer) == (dict(scenario.before), True, "passed")
    assert seen
    assert set(seen) == {"back"}


def test_in_the_gap_with_both_sides_damaged_recovery_changes_nothing(tmp_path: Path) -> None:
    scenario, seen = Scenario({A: [1], B: [2]}, {A: [3]}), 0
    for last in steps_while_open(tmp_path / "counted", scenario):
        gated = prepared(tmp_path / str(last), scenario)
        cut_off(gated, scenario.candidate, Ending(last=last))
        if A in gated.rows:
            continue
        for path in Path(gated.table).parent.glob(f".orders.gate/candidate-*/*/{A}/*.parquet"):
            path.write_bytes(b"")
        with pytest.raises(PublicationOpen, match="are complete"):
            gated.recover()
        assert (gated.rows, gated.answer) == ({B: [2]}, "unknown")
        seen += 1
    assert seen >= 2


def test_where_neither_is_complete_nothing_is_changed_and_it_is_told(gated: Gated) -> None:
    gated.publish({A: [1]})
    steps = steps_while_open(gated.folder / "counted", Scenario({A: [1]}, {A: [2]}))
    assert cut_off(gated, {A: [2]}, Ending(last=steps[0]))
    shutil.rmtree(Path(gated.table) / A)
    past(gated, {A: [9]})
    with pytest.raises(PublicationOpen, match="neither the old nor the new files of day=2026-01-01 are complete"):
        gated.recover()
    assert (gated.rows, gated.answer) == ({A: [9]}, "unknown")
    os.remove(intent_of(gated.table))
    gated.publish({B: [1]})
    assert (gated.rows, gated.agree()) == ({A: [9], B: [1]}, True)


def test_a_damaged_intent_is_told_and_left_for_people(gated: Gated) -> None:
    assert cut_off(gated, {A: [1]}, Ending(last=steps_while_open(gated.folder / "x", Scenario({}, {A: [1]}))[0]))
    place = Path(intent_of(gated.table))
    place.write_bytes(place.read_bytes()[:-2] + b"??")
    with pytest.raises(StateError, match=r"intent.json is damaged"):
        gated.recover()
    assert gated.answer == "unknown"


def test_an_intent_belongs_to_one_store(gated: Gated, tmp_path: Path) -> None:
    assert cut_off(gated, {A: [1]}, Ending(last=steps_while_open(gated.folder / "x", Scenario({}, {A: [1]}))[0]))
    with pytest.raises(PublicationOpen, match="belongs to the states in"):
        recover(gated.table, StateFolder(str(tmp_path / "others")))


def test_of_two_recoveries_one_does_it(tmp_path: Path) -> None:
    scenario = SCENARIOS["several are replaced and new"]
    for last in steps_while_open(tmp_path / "counted", scenario):
        gated = prepared(tmp_path / str(last), scenario)
        cut_off(gated, scenario.candidate, Ending(last=last))
        with ThreadPoolExecutor(2) as both:
            done = sorted(each.result() for each in [both.submit(gated.recover), both.submit(gated.recover)])
        assert done == ["forward", "nothing"]
        assert (gated.agree(), gated.answer) == (True, "passed")


def test_recovery_leaves_a_candidate_that_is_being_written(gated: Gated) -> None:
    with open_gate(gated.gate()) as candidate:
        candidate.write({A: [1]})
        assert gated.recover() == "nothing"
    assert gated.rows == {A: [1]}


def test_nobody_recovers_what_is_being_published(gated: Gated, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("treaty.engine.gate.publication.PATIENCE_SECONDS", 0.05)
    gated.publish({A: [1]})
    with (
        file_lock(str(Path(intent_of(gated.table)).parent / "lock"), patience=0),
        pytest.raises(LockHeld, match="retry when it has finished"),
    ):
        gated.recover()


def test_a_table_that_has_no_gate_has_nothing_to_recover_and_no_answer(tmp_path: Path) -> None:
    gated = Gated(tmp_path)
    past(gated, {A: [1]})
    assert (gated.recover(), gated.answer, sorted(os.listdir(tmp_path))) == ("nothing", "unknown", ["orders"])


def test_a_failing_disk_leaves_the_publication_open_and_says_what_to_do(
    gated: Gated, monkeypatch: pytest.MonkeyPatch
) -> None:
    gated.publish({A: [1]})

    def full(*_: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("treaty.engine.gate.parquet_folders.FolderPublication.publish", full)
    with pytest.raises(PublicationOpen, match=r"No space left on device.*--recover"):
        gated.publish({A: [2]})
    monkeypatch.undo()
    assert (gated.answer, gated.recover()) == ("unknown", "forward")
    assert (gated.rows, gated.agree()) == ({A: [2]}, True)


IDS = list(range(20_000))
AT_BORDER = contract(
    check("approx_quantile", column="id", quantile=0.5, mustBeLessOrEqualTo=len(IDS) / 2 - 1), properties=PROPERTIES
)


@pytest.mark.parametrize(("exact", "verdict"), [(9_999.0, Verdict.PASSED), (10_001.0, Verdict.FAILED)])
def test_a_check_that_an_estimate_cannot_decide_is_computed_exactly(
    gated: Gated, exact: float, verdict: Verdict
) -> None:
    asked: list[ExactRequest] = []

    def compute(request: ExactRequest) -> Mapping[MetricKey, Value]:
        asked.append(request)
        return {(identity, A): exact}

    identity = ApproxQuantile(column="id", quantile=0.5).identity
    given = replace(gated, given=AT_BORDER)
    run = _audited(given, exact=compute)
    assert (run.verdict, run.results[-1].is_exact) == (verdict, True)
    assert [dict(each.uncertain_checks) for each in asked] == [{"c": (A,)}]
    assert asked[0].source.location != given.gate().table


@pytest.mark.parametrize(("answer", "published"), [("block", False), ("warn", True), ("allow", True)])
def test_the_contract_decides_whether_an_uncertain_candidate_is_published(
    gated: Gated, answer: str, published: bool
) -> None:
    terms = AT_BORDER.terms.model_copy(update={"on_uncertain": answer})
    given = replace(gated, given=replace(AT_BORDER, terms=terms))
    assert _audited(given).verdict is Verdict.UNCERTAIN
    assert bool(given.rows) is published


def _audited(gated: Gated, **more: Any) -> RunResult:
    """The run of a candidate of one partition, published or not."""
    try:
        run = gated.publish({A: IDS}, **more).run
    except CandidateRejected as rejected:
        return rejected.run
    assert run is not None
    return run
