"""Exact sums of doubles: equal in any order and any grouping, bit for bit.

A double is a whole number divided by a power of two, and so is every sum of products of doubles. Such sums are added
as whole numbers and rounded once. A merged value also contains its exact sums, so further merging adds to these.

Central moments of several sets of rows cannot be added, power sums can: with M_0 = n and M_1 = 0,
S_j = sum over i of binomial(j, i) M_i mean^(j - i)."""

from collections.abc import Iterable, Sequence
from math import comb, inf, isfinite, nan
from typing import Any

# Numerator and binary exponent of the denominator; a double for infinite sums and NaN.
Exact = tuple[int, int] | float


class RoundedSum(float):
    """A sum of doubles, rounded once. `exact`: the exact sum."""

    exact: Exact

    @classmethod
    def of(cls, exact: Exact) -> "RoundedSum":
        """Round an exact sum."""
        rounded_sum = cls(rounded(exact))
        rounded_sum.exact = exact
        return rounded_sum


class RoundedSums(tuple[float, ...]):
    """Numbers derived from exact sums, each rounded once. `exact`: these sums."""

    exact: tuple[Exact, ...]

    @classmethod
    def of(cls, numbers: Iterable[float], exact: Iterable[Exact]) -> "RoundedSums":
        """Combine the rounded numbers with their exact sums."""
        rounded_sums = cls(numbers)
        rounded_sums.exact = tuple(exact)
        return rounded_sums


def ratio(value: float) -> tuple[int, int]:
    """Return a number as a whole number and the binary exponent of its denominator.

    Raises ValueError or OverflowError for NaN and infinite numbers."""
    numerator, denominator = value.as_integer_ratio()
    return numerator, denominator.bit_length() - 1


def exact_of(value: float) -> Exact:
    """Return the exact sum behind a merged value, or else the value itself as one."""
    if isinstance(value, RoundedSum):
        return value.exact
    return ratio(value) if isinstance(value, int) or isfinite(value) else value


def added(parts: Sequence[Exact]) -> Exact:
    """Return the sum of exact sums."""
    unbounded = [part for part in parts if isinstance(part, float)]
    if unbounded:
        return sum(unbounded)
    finite = [part for part in parts if not isinstance(part, float)]
    shift = max(exponent for _, exponent in finite)
    return reduced(sum([numerator << (shift - exponent) for numerator, exponent in finite]), shift)


def reduced(numerator: int, shift: int) -> tuple[int, int]:
    """Return the same number with the smallest denominator, so equal sums are written equally."""
    spare = min((numerator & -numerator).bit_length() - 1, shift) if numerator else shift
    return numerator >> spare, shift - spare


def rounded(exact: Exact) -> float:
    """Return the nearest double; infinite if there is none."""
    return exact if isinstance(exact, float) else quotient(exact[0], 1 << exact[1])


def quotient(numerator: int, denominator: int) -> float:
    """Return the double nearest to a fraction; infinite if it is too large. The denominator is positive."""
    try:
        return numerator / denominator
    except OverflowError:
        return inf if numerator > 0 else -inf


def merged_moments(states: Iterable[Any], zero: tuple[float, ...]) -> Any:
    """Return count, mean and central moments of disjoint sets of rows together.

    `zero`: the state of no rows, which gives the number of moments."""
    present = [state for state in states if state[0]]
    if len(present) < 2:
        return present[0] if present else zero
    count = sum(state[0] for state in present)
    columns = zip(*map(power_sums, present), strict=True)
    sums = [added(column) for column in columns]
    return RoundedSums.of((count, *central(count, sums)), sums)


def power_sums(state: Any) -> Sequence[Exact]:
    """Return the exact sums of the powers 1, 2, ... of a state's values."""
    if isinstance(state, RoundedSums):
        return state.exact
    count, mean, *moments = state
    if not all(map(isfinite, (mean, *moments))):
        return _unbounded_sums(count, mean, moments)
    numerator, shift = ratio(mean)
    if len(moments) == 1:
        variation, fine = ratio(moments[0])
        common = max(2 * shift, fine)
        square = (count * numerator * numerator << (common - 2 * shift)) + (variation << (common - fine))
        return (count * numerator, shift), (square, common)
    return _higher_sums(count, (numerator, shift), [ratio(each) for each in moments])


def _higher_sums(count: int, mean: tuple[int, int], moments: Sequence[tuple[int, int]]) -> Sequence[Exact]:
    """Return the exact sums of powers 1 to 4, over one denominator."""
    (p, k), fine = mean, max(shift for _, shift in moments)
    m2, m3, m4 = (numerator << (fine - shift) for numerator, shift in moments)
    square, n = p * p, count << fine
    return (
        (count * p, k),
        ((m2 << 2 * k) + n * square, 2 * k + fine),
        ((((m3 << k) + 3 * p * m2) << 2 * k) + n * square * p, 3 * k + fine),
        ((((m4 << 2 * k) + 4 * p * (m3 << k) + 6 * square * m2) << 2 * k) + n * square * square, 4 * k + fine),
    )


def _unbounded_sums(count: int, mean: float, moments: Sequence[float]) -> list[Exact]:
    """Return the power sums of a state with infinite numbers or NaN: all after the first such number are NaN."""
    if not isfinite(mean):
        return [mean, *[nan] * len(moments)]
    first = next(at for at, each in enumerate(moments) if not isfinite(each))
    finite = power_sums((count, mean, *moments[:first], *[0.0] * (len(moments) - first)))[: first + 1]
    return [*finite, moments[first], *[nan] * (len(moments) - first - 1)]


def central(count: int, sums: Sequence[Exact]) -> list[float]:
    """Return the mean and the central moments, each rounded once."""
    finite = [each for each in sums if not isinstance(each, float)]
    if len(finite) < len(sums):
        return _unbounded(count, sums)
    shift = max(exponent for _, exponent in finite)
    powers = [count << shift, *(numerator << (shift - exponent) for numerator, exponent in finite)]
    return [quotient(powers[1], powers[0]), *(_moment(count, shift, powers, at) for at in range(2, len(powers)))]


def _moment(count: int, shift: int, powers: Sequence[int], power: int) -> float:
    """Return a central moment from power sums that share a denominator of 2 ** shift."""
    total = powers[1]
    if power == 2:
        return quotient(count * (powers[2] << shift) - total * total, count << 2 * shift)
    terms = (
        (-1) ** (power - at) * comb(power, at) * powers[at] * total ** (power - at) * (count << shift) ** at
        for at in range(power + 1)
    )
    return quotient(sum(terms), (count << shift) ** power << shift)


def _unbounded(count: int, sums: Sequence[Exact]) -> list[float]:
    """Return the numbers if some sums are infinite or NaN: all after the first such sum are NaN."""
    first = next(at for at, each in enumerate(sums) if isinstance(each, float))
    finite = central(count, sums[:first]) if first else []
    return [*finite, rounded(sums[first]), *[nan] * (len(sums) - first - 1)]
