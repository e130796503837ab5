"""The comparison of non-conforming shares, held against exact fractions and scipy's two-sided test."""

from fractions import Fraction
from math import comb

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import chi2_contingency  # type: ignore[import-untyped]

from treaty.engine.analyzers.conformity_test import (
    MOST_VALUES,
    ConformityCounts,
    ConformitySeverity,
    chi_squared,
    compare,
    critical,
    detectable,
    fisher_greater,
)

counts = st.integers(1, 60).flatmap(lambda of: st.builds(ConformityCounts, st.integers(0, of), st.just(of)))
many = st.integers(1, 3000).flatmap(lambda of: st.builds(ConformityCounts, st.integers(0, of), st.just(of)))
# Boost, which scipy asks, has a table of primes up to here; beyond, each chance loses digits as counts grow.
EXACT = 100_000
few_of_millions = st.integers(100, 10**8).flatmap(
    lambda of: st.builds(ConformityCounts, st.integers(0, 60), st.just(of))
)


def exactly(trained: ConformityCounts, judged: ConformityCounts) -> float:
    """The chance by Fisher's definition, in whole numbers."""
    bad = trained.bad + judged.bad
    reachable = range(max(judged.bad, bad - trained.of), min(bad, judged.of) + 1)
    ways = sum(comb(judged.of, each) * comb(trained.of, bad - each) for each in reachable)
    return float(Fraction(ways, comb(trained.of + judged.of, bad)))


@settings(max_examples=100)
@given(counts | many | few_of_millions, counts | many | few_of_millions)
def test_fishers_exact_test_agrees_with_whole_numbers(trained: ConformityCounts, judged: ConformityCounts) -> None:
    of = trained.of + judged.of
    close = 1e-12 if of <= EXACT else 1e-15 * of
    assert fisher_greater(trained, judged) == pytest.approx(exactly(trained, judged), rel=close, abs=1e-290)


@given(counts | many)
def test_no_values_are_no_evidence(given: ConformityCounts) -> None:
    assert fisher_greater(given, ConformityCounts()) == fisher_greater(ConformityCounts(), given) == 1.0


@settings(max_examples=60)
@given(counts | many, counts | many)
def test_chi_squared_is_scipys_with_yates_correction_on_one_side(
    trained: ConformityCounts, judged: ConformityCounts
) -> None:
    found = chi_squared(trained, judged)
    if trained.bad + judged.bad in {0, trained.of + judged.of}:
        assert found is None
        return
    table = [[judged.bad, judged.of - judged.bad], [trained.bad, trained.of - trained.bad]]
    half = chi2_contingency(table, correction=True).pvalue / 2
    more = judged.bad * trained.of >= trained.bad * judged.of
    assert found == pytest.approx(half if more else 1 - half, rel=1e-12, abs=1e-290)


@pytest.mark.parametrize("of", [MOST_VALUES, 10**18, 10**30])
def test_counts_beyond_any_table_are_approximated_at_once(of: int) -> None:
    trained = ConformityCounts(of // 100, of)
    assert fisher_greater(trained, trained) == pytest.approx(0.5)
    assert critical(trained, of) == pytest.approx(of / 100, rel=1e-3)


@given(counts, st.integers(1, 200))
def test_the_critical_number_is_the_least_that_is_significant(trained: ConformityCounts, of: int) -> None:
    least = critical(trained, of)
    if least is None:
        assert fisher_greater(trained, ConformityCounts(of, of)) > 0.01
    else:
        assert fisher_greater(trained, ConformityCounts(least, of)) <= 0.01
        assert least == 0 or fisher_greater(trained, ConformityCounts(least - 1, of)) > 0.01


CASES = [
    ("fewer than before is no alarm", ConformityCounts(3, 30), ConformityCounts(0, 270), 0.0, ConformitySeverity.NONE),
    (
        "0.1 % before and 0.11 % now",
        ConformityCounts(1, 1000),
        ConformityCounts(11, 10_000),
        0.0,
        ConformitySeverity.NONE,
    ),
    ("0.1 % before and 5 % now", ConformityCounts(1, 1000), ConformityCounts(50, 1000), 0.0, ConformitySeverity.ERROR),
    (
        "significant, but few of them",
        ConformityCounts(1, 1000),
        ConformityCounts(50, 1000),
        0.4,
        ConformitySeverity.WARNING,
    ),
    (
        "significant, and most of them",
        ConformityCounts(1, 1000),
        ConformityCounts(900, 1000),
        0.4,
        ConformitySeverity.ERROR,
    ),
    (
        "five values prove nothing against one",
        ConformityCounts(0, 5),
        ConformityCounts(1, 1),
        0.0,
        ConformitySeverity.NONE,
    ),
    ("nothing judged", ConformityCounts(0, 100), ConformityCounts(0, 0), 0.0, ConformitySeverity.NONE),
    ("nothing learned", ConformityCounts(0, 0), ConformityCounts(100, 100), 0.0, ConformitySeverity.NONE),
    (
        "a billion rows",
        ConformityCounts(0, 10_000),
        ConformityCounts(40_000_000, 1_000_000_000),
        0.0,
        ConformitySeverity.ERROR,
    ),
]


@pytest.mark.parametrize(("_", "trained", "judged", "floor", "severity"), CASES, ids=[each[0] for each in CASES])
def test_a_difference_is_as_severe_as_it_is_certain_and_large(
    _: str, trained: ConformityCounts, judged: ConformityCounts, floor: float, severity: ConformitySeverity
) -> None:
    found = compare(trained, judged, floor=floor)
    assert found.severity is severity
    assert f"{judged.bad:,} of {judged.of:,}" in found.reason


def test_the_smallest_detectable_share_falls_with_the_values_learned_from() -> None:
    shares = [detectable(ConformityCounts(0, n), 1000) for n in (5, 30, 100, 1000)]
    assert shares == sorted(shares, key=lambda share: -(share or 0))
    assert shares[-1] == pytest.approx(0.007)
