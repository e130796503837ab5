"""Programs in memory take what people have: frames of every kind, mappings, arrays and series."""

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

import numpy
import pandas
import pyarrow
import pytest

from treaty import avh, patterns
from treaty.engine.patterns.index import indexed
from treaty.engine.statistics.column_values import columns

DAYS = 30
Columns = dict[str, list[Any]]


def day(at: int, *, nulls: bool = False) -> Columns:
    noise = numpy.random.default_rng(at).normal(100, 5, 200).round(2).tolist()
    return {"amount": [None] * 100 + noise[100:] if nulls else noise, "status": ["paid", "sent"] * 100}


class PolarsLike:
    """A frame with the names of polars' methods."""

    def __init__(self, values: Columns) -> None:
        self.values, self.columns = values, list(values)

    def __getitem__(self, name: str) -> Any:
        return SeriesLike(self.values[name])


class SeriesLike:
    def __init__(self, values: list[Any]) -> None:
        self.to_list = lambda: values


def structured(values: Columns) -> Any:
    kinds = [("amount", "f8"), ("status", "U10")]
    rows = [(numpy.nan if a is None else a, s) for a, s in zip(values["amount"], values["status"], strict=True)]
    return numpy.array(rows, dtype=kinds)


FRAMES: dict[str, Callable[[Columns], Any]] = {
    "mapping": lambda values: values,
    "arrays": lambda values: {name: numpy.array(each, dtype=object) for name, each in values.items()},
    "pandas": pandas.DataFrame,
    "arrow": pyarrow.table,
    "batch": pyarrow.RecordBatch.from_pydict,
    "polars": PolarsLike,
    "structured": structured,
}


@pytest.mark.parametrize("make", FRAMES.values(), ids=FRAMES)
def test_the_same_values_give_the_same_program_in_every_frame(make: Callable[[Columns], Any]) -> None:
    program = avh.fit([make(day(at)) for at in range(DAYS)], budget=0.05)
    plain = avh.fit([day(at) for at in range(DAYS)], budget=0.05)
    assert program.table == plain.table
    assert not program.judge(make(day(DAYS))).flagged
    assert program.judge(make(day(DAYS, nulls=True))).flagged


@pytest.mark.parametrize("make", [list, numpy.array, pandas.Series, pyarrow.array, SeriesLike])
def test_a_single_column_needs_no_frame(make: Callable[[list[Any]], Any]) -> None:
    program = avh.fit([make(day(at)["amount"]) for at in range(DAYS)], budget=0.05)
    assert [*program.table.columns] == ["values"]
    assert not program.judge(make(day(DAYS)["amount"])).flagged
    assert program.judge(make([-each for each in day(DAYS)["amount"]])).flagged


def test_a_column_of_two_dimensions_is_refused() -> None:
    with pytest.raises(ValueError, match="one dimension"):
        dict(columns(numpy.zeros((2, 2))))


def test_tables_are_fitted_each_with_its_own_history() -> None:
    start = datetime(2026, 1, 1)
    dated = {start + timedelta(days=at): day(at) for at in range(DAYS)}
    programs = avh.fit_tables({"orders": dated, "items": [day(at) for at in range(DAYS)]}, budget=0.05)
    assert {name: each.judge(day(DAYS)).flagged for name, each in programs.items()} == {"orders": False, "items": False}


def test_faults_of_all_tables_are_reported_at_once() -> None:
    with pytest.raises(ValueError, match=r"orders: the history is empty.*; items: the history is empty"):
        avh.fit_tables({"orders": [], "items": []})


@pytest.mark.parametrize("make", [list, pandas.Series, pyarrow.array, SeriesLike])
def test_patterns_are_inferred_from_every_kind_of_column(make: Callable[[list[Any]], Any]) -> None:
    texts = [f"AB-{at:03d}" for at in range(50)]
    index = indexed([[f"{code}-{at:03d}" for at in range(60)] for code in ("AB", "CD", "EF", "GH", "IJ", "KL")])
    expected = patterns.infer(texts, index)
    assert expected.learned is not None
    assert patterns.infer(make([*texts, None]), index) == expected
