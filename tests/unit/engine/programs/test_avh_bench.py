"""The bench fits snapshots as others hold them: null is NaN or an empty text, and what is told of one is kept by it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy
import pytest
from support.snapshots import Held

from bench.programs.avh import fit
from bench.programs.avh_days import opens
from bench.programs.avh_tables import read
from treaty.engine.programs.program import Clause, ClauseVerdict, ProgramVerdict
from treaty.engine.programs.stationarity import LEVEL
from treaty.engine.programs.table_programs import TableVerdict


def numbers(at: int, *, missing: int = 0) -> Held:
    values = numpy.random.default_rng(at).normal(100, 10, 200)
    values[:missing] = numpy.nan
    return Held(values)


def texts(at: int, *, missing: int = 0) -> Held:
    values = numpy.random.default_rng(at).choice(["Aa", "Bb", "Cc"], 200).astype(object)
    values[:missing] = ""
    return Held(values)


@pytest.mark.parametrize(("kind", "made"), [("numeric", numbers), ("categorical", texts)])
def test_a_model_flags_what_is_unlike_its_history_alone(kind: str, made: Callable[..., Held]) -> None:
    model = fit([made(at) for at in range(30)], kind)
    assert not model.flag(made(99))
    assert model.flag(made(99, missing=50))
    assert model.flag(Held(made(99).v[:20]))


def test_a_short_history_flags_nothing() -> None:
    assert not fit([numbers(at) for at in range(5)], "numeric").flag(Held(numpy.zeros(3)))


FILES = {
    "no UTF-8": (b"id,name\n1,caf\xe9\n2,a\n", ["caf\ufffd", "a"]),
    "a mark of its encoding": (b"\xef\xbb\xbfid,name\n1,a\n", ["a"]),
    "a quote that is never closed": (b'id,name\n1,a\n2,"b\n3,c\n', ["a", '"b', "c"]),
    "rows that are too long": (b"id,name\n1,a\n2,b,c,d\n3,e\n", ["a", "e"]),
    "values without a name": (b"id,name\n1,a,\n2,b,\n", ["a", "b"]),
    "rows that are too short": (b"id,name\n1\n2,b\n", ["", "b"]),
    "no rows": (b"id,name\n", []),
}


@pytest.mark.filterwarnings("ignore:Length of header")
@pytest.mark.parametrize("name", FILES)
def test_a_file_is_read_as_far_as_it_can_be(name: str, tmp_path: Path) -> None:
    content, names = FILES[name]
    (tmp_path / "one.csv").write_bytes(content)
    found = read(tmp_path / "one.csv")
    assert list(found.columns) == ["id", "name"]
    assert found["name"].tolist() == names


@dataclass(frozen=True)
class Days:
    """What the programs of a table say of each snapshot."""

    found: Mapping[int, TableVerdict]

    def table_verdict(self, at: int, _: float) -> TableVerdict:
        return self.found[at]


def told(*seen: float, missing: tuple[str, ...] = ()) -> TableVerdict:
    """What is said of a mean between 0 and 1, seen so in each column."""
    clause = Clause(statistic="mean", change=LEVEL, lower=0.0, upper=1.0, middle=0.5, width=10.0, rate=0.001, points=30)
    verdicts = [ClauseVerdict(clause=clause, holds=clause.holds(each), value=each, transformed=each) for each in seen]
    return TableVerdict(columns={str(at): ProgramVerdict((each,)) for at, each in enumerate(verdicts)}, missing=missing)


OPENED = [
    ("nothing alarms", told(0.5), told(0.5), False),
    ("the first alarm", told(0.5), told(2.0), True),
    ("the same one", told(2.0), told(3.0), False),
    ("to the other side", told(2.0), told(-2.0), True),
    ("another column, too", told(2.0, 0.5), told(2.0, 2.0), True),
    ("one of two is over", told(2.0, 2.0), told(2.0, 0.5), False),
    ("a column is gone", told(0.5), told(0.5, missing=("name",)), True),
    ("it is still gone", told(0.5, missing=("name",)), told(0.5, missing=("name",)), False),
]


@pytest.mark.parametrize(("_", "before", "found", "opened"), OPENED, ids=[row[0] for row in OPENED])
def test_an_alarm_is_opened_once(_: str, before: TableVerdict, found: TableVerdict, opened: bool) -> None:
    days: Any = Days({40: before, 41: found})
    assert opens(days, 41, found, 1.0) is opened
    assert opens(days, 30, found, 1.0) is found.flagged
