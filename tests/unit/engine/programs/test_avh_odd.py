"""What strangers' tables hold: whatever comes, a model says yes or no, and no limit is infinite."""

from collections.abc import Callable
from datetime import date, datetime, timedelta
from decimal import Decimal
from functools import cache
from itertools import product
from math import isfinite
from typing import Any

import numpy
import pandas
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.random import default_rng
from support.every import every
from support.snapshots import Held

from bench.programs.avh import Watcher, fit
from treaty.engine.programs import fitting
from treaty.engine.programs.history import Batch, ColumnHistory
from treaty.engine.programs.program import NoProgram
from treaty.engine.programs.recipe import RECIPE
from treaty.engine.statistics.column_values import column
from treaty.engine.statistics.summaries import summary

ROWS, NEW = 12, 99
Make = Callable[[int], Any]
pytestmark = pytest.mark.filterwarnings("error")


def normal(at: int) -> Any:
    return default_rng(at).normal(100, 10, ROWS)


def several(*values: Any) -> Make:
    """The same values in every batch, as objects."""

    def made(_: int) -> Any:
        found = numpy.empty(ROWS, dtype=object)
        found[:] = [values[at % len(values)] for at in range(ROWS)]
        return found

    return made


def first(count: int, one: Make, other: Make) -> Make:
    """One kind of values in so many batches, another one after them."""
    return lambda at: one(at) if at < count else other(at)


def every_third(one: Make, other: Make) -> Make:
    return lambda at: other(at) if at % 3 == 0 else one(at)


def full(value: float) -> Make:
    return lambda _: numpy.full(ROWS, value)


def infinite(at: int) -> Any:
    return numpy.where(default_rng(at).random(ROWS) < 0.3, (-1) ** at * numpy.inf, normal(at))


NOTHING, EMPTY, WORDS = full(numpy.nan), lambda _: numpy.zeros(0), several("Aa", "Bb 1", None)
ODD: dict[str, Make] = {
    "constant": full(5.0),
    "minus zero": full(-0.0),
    "all null": NOTHING,
    "null, then values": first(8, NOTHING, normal),
    "values, then null": first(8, normal, NOTHING),
    "gaps": every_third(normal, NOTHING),
    "empty": EMPTY,
    "empty at times": every_third(normal, EMPTY),
    "infinite": infinite,
    "infinite once": first(14, normal, infinite),
    "all infinite": full(numpy.inf),
    "the largest numbers": lambda at: numpy.full(ROWS, 1.7e308) * (-1) ** at,
    "the smallest numbers": lambda at: default_rng(at).integers(-3, 3, ROWS) * 5e-324,
    "one huge batch": lambda at: normal(at) * (1e300 if at == 7 else 1.0),
    "one row": lambda at: numpy.array([float(at % 3)]),
    "the same rows": lambda _: normal(0),
    "growing": lambda at: numpy.arange(at + 1.0),
    "whole numbers": lambda at: default_rng(at).integers(0, 9, ROWS),
    "unsigned": lambda at: default_rng(at).integers(0, 2**64 - 1, ROWS, dtype=numpy.uint64),
    "half precision": lambda at: normal(at).astype(numpy.float16),
    "truths": lambda at: default_rng(at).random(ROWS) < 0.5,
    "truths and none": several(True, False, None),
    "beyond doubles": several(10**400, -(10**5000), 3),
    "decimals": several(Decimal("1.5"), Decimal("NaN"), Decimal("sNaN"), Decimal("-1e999999"), None),
    "numbers of arrays": several(numpy.float32(1), numpy.float64(2.5), numpy.int64(3), numpy.nan),
    "complex": lambda _: numpy.array([1 + 2j, 3]),
    "moments": lambda at: several(datetime(2020, 1, 1) + timedelta(days=at))(at),
    "days": lambda at: several(date(2020, 1, 1) + timedelta(days=at), None)(at),
    "moments of arrays": lambda _: numpy.array(["2020-01-01", "NaT", "30000-01-01"], dtype="datetime64[us]"),
    "spans": lambda _: numpy.array([1, 2, "NaT"], dtype="timedelta64[s]"),
    "letters of all kinds": several("é", "日本", "\U0001f600", "\ud800", "\U0010ffff", "", "  x ", "İ", "a\n\x00b"),
    "texts of arrays": lambda _: numpy.array(["a", "bb", ""]),
    "bytes": several(b"a", b"\xff\x00", None),
    "bytes of arrays": lambda _: numpy.array([b"a", b"\xff"]),
    "very long": lambda at: several("x" * 20_000, "y" * (10_000 + at))(at)[:2],
    "empty texts": several(""),
    "all sorts": several(1, "a", None, float("nan"), float("inf"), True),
    "lists": several([1, 2], {"a": 1}, (1,), None),
    "nulls of all kinds": several("a", float("nan"), pandas.NA, pandas.NaT, None),
    "another type": first(8, normal, WORDS),
    "now and then another type": every_third(normal, WORDS),
    "another type at last": first(14, normal, WORDS),
    "a frame's column": lambda at: pandas.Series(normal(at), index=range(7, 7 + ROWS)),
    "a frame's whole numbers": lambda _: pandas.Series([1, 2, None], dtype="Int64"),
    "a frame's texts": lambda _: pandas.Series(["a", None, "b"], dtype="string"),
    "a frame's categories": lambda _: pandas.Series(["a", None, "b"], dtype="category"),
    "a frame's moments": lambda _: pandas.Series(pandas.to_datetime(["2020-01-01", None])),
    "lists of numbers": lambda _: [1.0, 2, None],
    "lists of texts": lambda _: ["a", ""],
    "lists of nothing": lambda _: [],
    "masked": lambda at: numpy.ma.array(normal(at), mask=default_rng(at).random(ROWS) < 0.2),
}
AS_TEXTS = (
    "all null", "infinite", "whole numbers", "truths", "beyond doubles", "decimals", "moments of arrays", "bytes",
    "lists", "all sorts", "nulls of all kinds", "letters of all kinds", "now and then another type", "a frame's column",
    "masked",
)  # fmt: skip
BESIDE = (normal, WORDS, NOTHING, EMPTY, infinite)


@cache
def usual(kind: str) -> Watcher:
    return fit([Held(normal(at)) for at in range(15)], kind)


@pytest.mark.search
@every(("name", "kind"), [*product(ODD, ["numeric"]), *product(AS_TEXTS, ["categorical"])])
def test_a_model_of_anything_says_yes_or_no_of_anything(name: str, kind: str) -> None:
    make = ODD[name]
    model = fit([Held(make(at)) for at in range(15)], kind)
    told = [model.flag(Held(each(NEW))) for each in (make, *BESIDE)]
    assert {type(each) for each in told} == {bool}
    assert type(usual(kind).flag(Held(make(NEW)))) is bool


@pytest.mark.search
@every("name", ODD)
def test_no_limit_of_a_program_is_infinite(name: str) -> None:
    columns = [column(ODD[name](at)) for at in range(15)]
    history = ColumnHistory.of(Batch(str(at), summary(each)) for at, each in enumerate(columns))
    found = fitting.fit(history, RECIPE, columns[-1])
    if isinstance(found, NoProgram):
        assert found.have < found.need == 14
        return
    limits = [(each.lower, each.upper) for each in found.clauses]
    assert all(limit is None or isfinite(limit) for pair in limits for limit in pair)
    assert all(low is None or high is None or low <= high for low, high in limits)
    for make in BESIDE:
        assert type(found.judge(summary(column(make(NEW))), history).flagged) is bool


@pytest.mark.parametrize("count", [0, 1, 2, 7, 13])
def test_a_short_history_flags_nothing(count: int) -> None:
    model = fit([Held(normal(at)) for at in range(count)], "numeric")
    assert not any(model.flag(Held(make(NEW))) for make in BESIDE)


@pytest.mark.parametrize("count", [28, 120])
def test_infinite_values_are_told_of_where_there_were_none(count: int) -> None:
    model = fit([Held(normal(at)) for at in range(count)], "numeric")
    assert not model.flag(Held(normal(NEW)))
    for value in (numpy.inf, -numpy.inf):
        assert model.flag(Held(numpy.append(normal(NEW)[1:], value)))


def test_infinite_values_are_nothing_new_where_there_always_were_some() -> None:
    model = fit([Held(infinite(at)) for at in range(30)], "numeric")
    assert not any(model.flag(Held(infinite(at))) for at in range(100, 110))


@pytest.mark.parametrize(
    ("kind", "make", "other"), [("numeric", normal, WORDS), ("categorical", WORDS, several("1", "2"))]
)
def test_a_column_of_other_values_is_flagged(kind: str, make: Make, other: Make) -> None:
    model = fit([Held(make(at)) for at in range(30)], kind)
    assert not model.flag(Held(make(NEW)))
    assert model.flag(Held(other(NEW)))


def test_a_day_without_values_does_not_decide_what_a_column_is() -> None:
    model = fit([Held(first(29, WORDS, NOTHING)(at)) for at in range(30)], "categorical")
    assert not model.flag(Held(WORDS(NEW)))
    columns = [column(first(29, WORDS, NOTHING)(at)) for at in range(30)]
    history = ColumnHistory.of(Batch(str(at), summary(each)) for at, each in enumerate(columns))
    assert history.points == 29
    assert isinstance(fitting.fit(history, RECIPE, columns[-1]), fitting.ColumnProgram)


def test_what_is_no_column_is_refused_in_words() -> None:
    with pytest.raises(ValueError, match=r"one dimension.*\(12, 1\)"):
        fit([Held(normal(0).reshape(-1, 1))], "numeric")
    with pytest.raises(ValueError, match="numeric or categorical, not 'texts'"):
        fit([], "texts")


VALUES = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.decimals(),
    st.text(max_size=9),
    st.binary(max_size=5),
    st.datetimes(),
    st.sampled_from([pandas.NA, pandas.NaT, numpy.float32("nan"), numpy.int8(3), 10**400, [1], numpy.array([1, 2])]),
)


@settings(max_examples=40)
@given(st.lists(VALUES, max_size=12), st.booleans())
def test_any_values_are_a_column_of_one_type_with_a_summary(values: list[Any], is_text: bool) -> None:
    made = column(values, is_text=is_text)
    assert len(made.values) == len(made.present) == len(values)
    assert made.is_text or not is_text
    told = summary(made)
    assert (told.rows, told.present) == (len(values), int(made.present.sum()))
    again = column(made.values, is_text=is_text)
    assert repr(again.values.tolist()) == repr(made.values.tolist())
