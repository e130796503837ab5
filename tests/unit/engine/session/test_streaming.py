"""A watched stream: every batch is folded once, whatever it is cut off at, and told before it is."""

import os
import pickle
import random
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.gates import PROPERTIES, Ending, Gated
from support.orders import check, contract, result
from support.streams import Rows, Stream

from treaty.engine.core.errors import EngineError, StateError
from treaty.engine.core.results import Outcome, Verdict
from treaty.engine.gate.publication import store_of
from treaty.engine.session.streaming import BatchRejected, GenerationConflict, watch_stream

A, B = "day=2026-01-01", "day=2026-01-02"


@pytest.fixture(autouse=True, scope="module")
def _fast() -> Any:
    """No test here loses power."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(os, "fsync", lambda _: None)
        yield


@pytest.fixture
def stream(tmp_path: Path) -> Stream:
    return Stream(tmp_path)


BATCHES = [Rows({A: [1, 2]}), Rows({A: [3], B: [4]}), Rows({B: [5, 6]})]


def test_the_states_of_all_batches_are_those_of_all_rows(stream: Stream) -> None:
    assert stream.hand_over(BATCHES)
    assert stream.values == stream.computed(BATCHES)
    assert (stream.last, [batch for batch, _ in stream.told]) == (2, [0, 1, 2])


def test_delta_is_the_batch_and_dataset_is_all_so_far(stream: Stream) -> None:
    stream.given = contract(
        check("size", "arrived", mustBe=1),
        check("size", "all", scope="dataset", mustBe=4),
        properties=PROPERTIES,
    )
    stream.hand_over(BATCHES[:2])
    (_, _), (_, run) = stream.told
    arrived = [(each.partition, each.value, each.outcome) for each in run.results if each.check_id == "arrived"]
    assert arrived == [(A, 1, Outcome.PASSED), (B, 1, Outcome.PASSED)]
    assert (result(run, "all").value, result(run, "all").outcome) == (4, Outcome.PASSED)
    assert (run.rows, run.partitions) == (2, (A, B))


def test_a_batch_that_is_handed_over_again_is_left_alone(stream: Stream) -> None:
    stream.hand_over(BATCHES)
    before = stream.store.current()
    for late in (1, 2):
        stream.sink()(BATCHES[late], late)
    assert stream.store.current() == before
    assert len(stream.told) == 3


def test_a_crash_at_any_step_folds_every_batch_once(tmp_path: Path) -> None:
    counting = Ending()
    Stream(tmp_path / "whole").hand_over(BATCHES, counting)
    assert counting.steps > 20
    for step in range(counting.steps):
        stream = Stream(tmp_path / str(step))
        assert not stream.hand_over(BATCHES, Ending(last=step, rng=random.Random(step)))
        assert stream.hand_over(BATCHES)
        assert stream.values == stream.computed(BATCHES), counting.names[step]
        assert {batch for batch, _ in stream.told} == {0, 1, 2}


NUMBERS = st.lists(st.integers(1, 5), min_size=1, max_size=3)
MANY = st.lists(st.dictionaries(st.sampled_from([A, B, "day=3"]), NUMBERS).map(Rows), min_size=1, max_size=6)


@pytest.mark.search
@settings(max_examples=60)
@given(batches=MANY, crashes=st.lists(st.integers(0, 30), max_size=4))
def test_whatever_the_batches_and_crashes_the_states_are_those_of_all_rows(
    batches: list[Rows], crashes: list[int]
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        stream = Stream(Path(folder))
        for step in crashes:
            stream.hand_over(batches, Ending(last=step, rng=random.Random(step)))
        stream.hand_over(batches)
        assert stream.values == stream.computed(batches)


def test_a_callback_that_fails_folds_nothing(stream: Stream) -> None:
    def failing(*_: Any) -> None:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        stream.hand_over(BATCHES, on_run=failing)
    assert stream.values == {}
    stream.hand_over(BATCHES)
    assert stream.values == stream.computed(BATCHES)


def test_a_stream_stops_at_a_verdict_and_goes_on_where_it_stopped(stream: Stream) -> None:
    bad = [BATCHES[0], Rows({A: [-1]}), BATCHES[2]]
    with pytest.raises(BatchRejected, match="failed, 1 check") as refused:
        stream.hand_over(bad, stop_verdicts=frozenset({Verdict.FAILED}))
    assert refused.value.run.verdict is Verdict.FAILED
    assert (stream.last, len(stream.told)) == (0, 1)
    stream.hand_over(bad)
    assert [run.verdict for _, run in stream.told] == ["passed", "failed", "passed"]
    assert stream.values == stream.computed(bad)


def test_a_batch_that_the_callback_puts_aside_is_in_no_state(stream: Stream) -> None:
    bad = [BATCHES[0], Rows({A: [-1]}), BATCHES[2]]
    stream.hand_over(bad, on_run=lambda run, *_: run.verdict == "passed")
    assert stream.values == stream.computed([BATCHES[0], BATCHES[2]])


def test_a_batch_without_rows_is_not_judged(stream: Stream) -> None:
    stream.hand_over([BATCHES[0], Rows(), Rows({"": []}), BATCHES[1]])
    assert [batch for batch, _ in stream.told] == [0, 3]


def test_a_new_checkpoint_under_an_old_name_is_told(stream: Stream) -> None:
    stream.hand_over(BATCHES)
    with pytest.raises(EngineError, match="batches up to 2 are already folded: its checkpoint is new"):
        stream.sink()(BATCHES[0], 0)
    stream.sink(name="orders-2")(BATCHES[0], 0)
    stream.sink(name="orders-2")(BATCHES[0], 0)
    assert stream.values == stream.computed([*BATCHES, BATCHES[0]])
    assert stream.last == 2


def test_another_writer_of_the_same_states_is_told(stream: Stream) -> None:
    def meanwhile(*_: Any) -> None:
        stream.sink(name="other", on_run=lambda *_: None)(BATCHES[2], 0)

    with pytest.raises(GenerationConflict):
        stream.hand_over(BATCHES[:1], on_run=meanwhile)
    assert stream.values == stream.computed([BATCHES[2]])


def test_damaged_states_and_those_of_files_are_told(stream: Stream, tmp_path: Path) -> None:
    stream.hand_over(BATCHES[:1])
    (entry,) = stream.store.current().entries.values()
    Path(stream.store.place, "bags", entry.bag).write_bytes(b"")
    with pytest.raises(StateError, match=r"the states of partition day=2026-01-01 in .* cannot be used"):
        stream.sink()(BATCHES[1], 1)
    gated = Gated(tmp_path)
    gated.publish({A: [1]})
    with pytest.raises(StateError, match="use a separate store for the stream"):
        watch_stream(stream.given, store_of(gated.table), stream="orders")(Rows(BATCHES[0]), 0)


def test_a_check_that_is_new_is_not_answered_for_partitions_that_began_without_it(stream: Stream) -> None:
    stream.hand_over(BATCHES[:1])
    stream.given = contract(check("sum", "total", scope="dataset", column="id", mustBe=0), properties=PROPERTIES)
    stream.hand_over(BATCHES[:2])
    found = result(stream.told[-1][1], "total")
    assert found.outcome is Outcome.NOT_EVALUATED
    assert found.reason == "some partitions have no state of this metric; validate all partitions again"


def test_a_sink_can_travel_to_another_process(stream: Stream) -> None:
    sink = watch_stream(stream.given, stream.store, stream="orders", partition_by=["day"], stop_verdicts=["failed"])
    again = pickle.loads(pickle.dumps(sink))
    assert (again.stream, again.stop_verdicts, again.store, again.object) == (
        "orders",
        {Verdict.FAILED},
        stream.store,
        "orders",
    )
