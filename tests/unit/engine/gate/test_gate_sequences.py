"""Whatever happens to a gated table, in whatever order: its states are those of its files."""

import os
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.gates import Crash, Ending, Gated, Rows

from treaty.engine.gate.gate import CandidateRejected, PublicationOpen, open_gate

DAYS = st.sampled_from(["day=1", "day=2", "day=3"])
# A number below 1 breaks the contract.
CANDIDATES = st.dictionaries(DAYS, st.lists(st.integers(0, 9), min_size=1, max_size=3), min_size=1)
STEPS = st.one_of(
    st.tuples(st.just("publish"), CANDIDATES, st.none()),
    st.tuples(st.just("crash"), CANDIDATES, st.integers(0, 45)),
    st.tuples(st.just("recover"), st.just({}), st.none()),
    st.tuples(st.just("recover"), st.just({}), st.integers(0, 15)),
)


class Model:
    """What the table must hold: `rows`, or while a publication is open, `rows` or `candidate`."""

    def __init__(self, gated: Gated) -> None:
        self.gated = gated
        self.rows: dict[str, list[int]] = {}
        self.candidate: dict[str, list[int]] = {}

    def publish(self, rows: Rows, last: int | None) -> None:
        if self.gated.open:
            with pytest.raises(PublicationOpen), open_gate(self.gated.gate()):
                pass
            return
        self.candidate = {**self.rows, **{name: sorted(each) for name, each in rows.items()}}
        try:
            self.gated.publish(rows, Ending(last=last))
            self.rows = self.candidate
        except CandidateRejected:
            assert min(min(each) for each in rows.values()) < 1
        except Crash:
            self._cut_off(good=min(min(each) for each in rows.values()) > 0)

    def _cut_off(self, *, good: bool) -> None:
        if not self.gated.open and self.gated.rows != self.rows:
            assert good
            self.rows = self.candidate

    def recover(self, last: int | None) -> None:
        was_open = self.gated.open
        try:
            done = self.gated.recover(Ending(last=last))
        except Crash:
            if was_open and not self.gated.open:
                self.rows = self.candidate
            return
        assert done == ("forward" if was_open else "nothing")
        self.rows = self.candidate if was_open else self.rows

    def hold(self) -> None:
        """The law."""
        if self.gated.open:
            assert self.gated.answer == "unknown"
            return
        assert self.gated.rows == self.rows
        assert self.gated.agree()
        assert self.gated.answer == ("passed" if self.rows else "unknown")


@pytest.mark.search
@given(st.lists(STEPS, max_size=8))
def test_table_and_states_agree_after_any_sequence(steps: list[tuple[str, Rows, Any]]) -> None:
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "fsync", lambda _: None)
        model = Model(Gated(Path(folder)))
        for name, rows, last in steps:
            model.recover(last) if name == "recover" else model.publish(rows, last)
            model.hold()
        model.recover(None)
        model.hold()
        assert (model.gated.open, model.gated.leftovers) == (False, [])
