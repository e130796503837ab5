"""The comparison of non-conforming shares, held against scipy."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import chi2_contingency, fisher_exact  # type: ignore[import-untyped]

from treaty.engine.analyzers.conformity_test import (
    Counts,
    Severity,
    chi_squared,
    compare,
    critical,
    detectable,
    fisher_greater,
)

counts = st.integers(1, 60).flatmap(lambda of: st.builds(Counts, st.integers(0, of), st.just(of)))


@settings(max_examples=60)
@given(counts, counts)
def test_fishers_exact_test_is_scipys_one_sided(trained: Counts, judged: Counts) -> None:
    table = [[judged.bad, judged.of - judged.bad], [trained.bad, trained.of - trained.bad]]
    expected = fisher_exact(table, alternative="greater").pvalue
    assert fisher_greater(trained, judged) == pytest.approx(expected, rel=1e-9, abs=1e-12)


@settings(max_examples=60)
@given(counts, counts)
def test_chi_squared_is_scipys_with_yates_correction_on_one_side(trained: Counts, judged: Counts) -> None:
    found = chi_squared(trained, judged)
    if trained.bad + judged.bad in {0, trained.of + judged.of}:
        assert found is None
        return
    table = [[judged.bad, judged.of - judged.bad], [trained.bad, trained.of - trained.bad]]
    half = chi2_contingency(table, correction=True).pvalue / 2
    assert found == pytest.approx(half if judged.share >= trained.share else 1 - half, rel=1e-7, abs=1e-9)


@given(counts, st.integers(1, 200))
def test_the_critical_number_is_the_least_that_is_significant(trained: Counts, of: int) -> None:
    least = critical(trained, of)
    if least is None:
        assert fisher_greater(trained, Counts(of, of)) > 0.01
    else:
        assert fisher_greater(trained, Counts(least, of)) <= 0.01
        assert least == 0 or fisher_greater(trained, Counts(least - 1, of)) > 0.01


CASES = [
    ("fewer than before is no alarm", Counts(3, 30), Counts(0, 270), 0.0, Severity.NONE),
    ("0.1 % before and 0.11 % now", Counts(1, 1000), Counts(11, 10_000), 0.0, Severity.NONE),
    ("0.1 % before and 5 % now", Counts(1, 1000), Counts(50, 1000), 0.0, Severity.ERROR),
    ("significant, but few of them", Counts(1, 1000), Counts(50, 1000), 0.4, Severity.WARNING),
    ("significant, and most of them", Counts(1, 1000), Counts(900, 1000), 0.4, Severity.ERROR),
    ("five values prove nothing against one", Counts(0, 5), Counts(1, 1), 0.0, Severity.NONE),
    ("nothing judged", Counts(0, 100), Counts(0, 0), 0.0, Severity.NONE),
    ("nothing learned", Counts(0, 0), Counts(100, 100), 0.0, Severity.NONE),
    ("a billion rows", Counts(0, 10_000), Counts(40_000_000, 1_000_000_000), 0.0, Severity.ERROR),
]


@pytest.mark.parametrize(("_", "trained", "judged", "floor", "severity"), CASES, ids=[each[0] for each in CASES])
def test_a_difference_is_as_severe_as_it_is_certain_and_large(
    _: str, trained: Counts, judged: Counts, floor: float, severity: Severity
) -> None:
    found = compare(trained, judged, floor=floor)
    assert found.severity is severity
    assert f"{judged.bad} of {judged.of}" in found.reason


def test_the_smallest_detectable_share_falls_with_the_values_learned_from() -> None:
    shares = [detectable(Counts(0, n), 1000) for n in (5, 30, 100, 1000)]
    assert shares == sorted(shares, key=lambda share: -(share or 0))
    assert shares[-1] == pytest.approx(0.007)
