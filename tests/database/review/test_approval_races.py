"""Two edit and one approves, all at once, again and again: no edit is lost, and nothing is approved unseen.

`APPROVAL_RACES=1000` runs as many rounds."""

import os

import pytest
from sqlalchemy import Engine
from support.races import Race, rounds

ROUNDS = int(os.environ.get("APPROVAL_RACES", "40"))


def test_no_edit_is_lost_and_nothing_is_approved_unseen(engine: Engine) -> None:
    met = [race for race in rounds(engine, ROUNDS) if race.refused]
    assert met, "nobody ever met anybody: the rounds prove nothing"


def test_a_round_tells_a_lost_edit_and_an_approval_of_what_was_not_shown() -> None:
    kept = Race(edits=frozenset({"a"}), body=frozenset({"a"}), approved=b"x", seen=b"x", refused=0)
    kept.check()
    for wrong in (
        Race(edits=frozenset({"a", "b"}), body=frozenset({"a"}), approved=b"x", seen=b"x", refused=0),
        Race(edits=frozenset(), body=frozenset({"a"}), approved=b"x", seen=b"x", refused=0),
        Race(edits=frozenset({"a"}), body=frozenset({"a"}), approved=b"x", seen=b"y", refused=0),
    ):
        with pytest.raises(AssertionError):
            wrong.check()
