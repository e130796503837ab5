"""Association and rank, held against numpy and against plain counting."""

from collections import Counter
from decimal import Decimal
from fractions import Fraction
from math import ceil, floor, fsum, log
from types import SimpleNamespace
from typing import Any

import numpy
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from support.oracles import STATE_OF

from treaty.contracts.schema import Column, Schema
from treaty.engine.analyzers.association import Correlation, Determination, MutualInformation
from treaty.engine.analyzers.base import Analyzer
from treaty.engine.analyzers.quantiles import ExactQuantile, InterquartileRange, KllBuckets
from treaty.engine.components.comoments import CoMoments
from treaty.engine.components.frequencies import Frequencies
from treaty.engine.components.order_statistics import ranking
from treaty.engine.core.results import Value

SMALL = st.one_of(st.none(), st.integers(0, 3))
NUMBERS = st.lists(st.one_of(st.none(), st.integers(-(2**63), 2**63 - 1)), max_size=40)


def measured(analyzer: Analyzer, column_type: str = "bigint", **parts: Any) -> Value:
    schema = Schema((Column("x", column_type), Column("y", column_type)))
    return analyzer.value(SimpleNamespace(schema=schema, **parts))


@given(st.lists(st.tuples(SMALL, SMALL), max_size=50))
def test_mutual_information_is_that_of_the_rows_without_nulls(rows: list[tuple[int | None, int | None]]) -> None:
    pairs = [row for row in rows if None not in row]
    found = measured(MutualInformation(column="x", other="y"), frequencies=STATE_OF["frequencies"](rows))
    joint, left, right = Counter(pairs), Counter(x for x, _ in pairs), Counter(y for _, y in pairs)
    terms = [n / len(pairs) * log(n * len(pairs) / (left[x] * right[y])) for (x, y), n in joint.items()]
    assert found == (pytest.approx(fsum(terms), abs=1e-12) if pairs else None)


@given(st.lists(st.tuples(SMALL, SMALL), max_size=50))
def test_a_column_determines_another_but_for_the_rows_that_would_have_to_go(
    rows: list[tuple[int | None, int | None]],
) -> None:
    pairs = Counter(row for row in rows if None not in row)
    state = STATE_OF["frequencies"](rows)
    for name, other, key in (("x", "y", 0), ("y", "x", 1)):
        kept = sum(max(n for row, n in pairs.items() if row[key] == value) for value in {row[key] for row in pairs})
        found = measured(Determination(column=name, other=other), frequencies=state)
        assert found == (kept / pairs.total() if pairs else None)


@given(st.lists(st.tuples(st.integers(-1000, 1000), st.integers(-1000, 1000)), min_size=2, max_size=50), st.data())
def test_correlation_is_that_of_numpy_however_the_rows_are_cut(rows: list[tuple[int, int]], data: Any) -> None:
    x, y = zip(*rows, strict=True)
    assume(len(set(x)) > 1 and len(set(y)) > 1)
    cut = data.draw(st.integers(0, len(rows)))
    state = CoMoments().merge(*map(STATE_OF["co_moments"], (rows[:cut], rows[cut:])))
    expected = numpy.corrcoef(x, y)[0, 1]
    assert measured(Correlation(column="x", other="y"), moments=state) == pytest.approx(expected, abs=1e-9)


@given(st.floats(-1e300, 1e300), st.lists(st.integers(1, 40), min_size=1, max_size=8))
def test_a_constant_column_has_no_correlation_however_often_it_was_merged(value: float, sizes: list[int]) -> None:
    state = CoMoments.zero
    for size in sizes:
        state = CoMoments().merge(state, (size, value, 1.0, 0.0, 2.0, 0.0))
    assert measured(Correlation(column="x", other="y"), moments=state) is None


def test_a_correlation_is_never_beyond_one() -> None:
    beyond = (3, 0.0, 0.0, 2.0, 2.0, 2.0000000000000004)
    assert measured(Correlation(column="x", other="y"), moments=beyond) == 1.0


@given(NUMBERS, st.floats(0, 1))
def test_an_exact_quantile_is_the_value_of_the_nearest_rank(values: list[int | None], quantile: float) -> None:
    ordered = sorted(value for value in values if value is not None)
    rank = max(1, ceil(Fraction(repr(quantile)) * len(ordered)))
    found = measured(ExactQuantile(column="x", quantile=quantile), frequencies=STATE_OF["frequencies"](values))
    assert found == (ordered[rank - 1] if ordered else None)


@given(st.lists(st.decimals(-(10**30), 10**30, places=5), min_size=1, max_size=30))
def test_an_interquartile_range_of_decimals_loses_no_digit(values: list[Decimal]) -> None:
    ordered = sorted(values)
    low, high = (ordered[max(1, ceil(Fraction(share, 4) * len(values))) - 1] for share in (1, 3))
    found = measured(InterquartileRange(column="x"), "decimal(38,5)", frequencies=STATE_OF["frequencies"](values))
    assert Fraction(str(found)) == Fraction(high) - Fraction(low)


def test_a_quantile_is_the_number_its_author_wrote() -> None:
    tenths = STATE_OF["frequencies"](list(range(1, 11)))
    assert measured(ExactQuantile(column="x", quantile=0.7), frequencies=tenths) == 7


# Wide enough that a whole number lies within.
EDGES = st.lists(st.integers(-50, 50), min_size=1, max_size=6, unique=True).map(
    lambda edges: sorted({*edges, min(edges) + 8})
)


@pytest.mark.parametrize(
    ("column_type", "unit"), [("bigint", 1), ("decimal(38,2)", Decimal("0.01")), ("double", 0.125)]
)
@given(data=st.data())
def test_bins_hold_what_numpy_puts_into_them(column_type: str, unit: Any, data: Any) -> None:
    edges = [edge / 8 for edge in data.draw(EDGES)]
    low, high = ceil(edges[0] / float(unit)), floor(edges[-1] / float(unit))
    values = [step * unit for step in data.draw(st.lists(st.integers(low, high), min_size=1, max_size=40))]
    ranked = ranking(STATE_OF["frequencies"](values), Column("x", column_type))
    assert ranked is not None
    expected, _ = numpy.histogram([float(value) for value in values], bins=edges)
    assert ranked.between(edges) == expected.tolist()


@given(st.lists(st.floats(-1e6, 1e6, width=32), min_size=1, max_size=300), st.integers(1, 20))
def test_the_buckets_of_few_values_are_exact(values: list[float], buckets: int) -> None:
    analyzer = KllBuckets(column="x", buckets=buckets)
    state = SimpleNamespace(ranks=STATE_OF["quantiles"](values), rows=len(values))
    details = analyzer.details(state)
    assert details is not None
    assert details["error"] == 0
    edges = [details["bins"][0]["from"], *(each["to"] for each in details["bins"])]
    counts = [each["count"] for each in details["bins"]]
    if edges[0] < edges[-1] and edges == sorted(set(edges)):
        assert counts == numpy.histogram(values, bins=edges)[0].tolist()
    assert sum(counts) == len(values)
    assert analyzer.value(state) == max(counts) / len(values)


def test_the_buckets_of_many_values_are_as_wrong_as_they_say() -> None:
    values = [float((index * 7919) % 100_003) for index in range(100_003)]
    details = KllBuckets(column="x").details(SimpleNamespace(ranks=STATE_OF["quantiles"](values), rows=100_003))
    assert details is not None
    assert 0 < details["error"] < 1000
    assert all(abs(each["count"] - 10_000) <= details["error"] for each in details["bins"])


def test_the_joint_moments_of_no_rows_are_none() -> None:
    assert CoMoments().read((0, None, None, None, None, None), ()) == CoMoments.zero
    assert measured(Correlation(column="x", other="y"), moments=CoMoments.zero) is None
    assert Frequencies("{column}").dump(None) == b""
