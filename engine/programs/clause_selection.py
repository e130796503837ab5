"""Select a program's clauses: the most issues caught within a budget of false alarms (algorithm 1).

Candidates are all statistics with all widths of the grid; the issues they catch are rows of bits. Two widths of one
statistic are one event: only the difference in rate is paid, and the narrower replaces the wider."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy
from numpy.typing import NDArray

from treaty.engine.programs.constraints import WIDTHS, ProbabilityBound, StatisticSummary

Array = NDArray[Any]

# A value this many times beyond the limit is caught reliably, not only in one draw, and counts twice. Chosen by hand.
SURELY = 2.0
# Smallest cost of a clause: two widths may have equal rates, and this avoids division by zero.
LEAST_PAID = 1e-7
ROUNDS = 20


@dataclass(frozen=True)
class ConstraintChoice:
    """A statistic with the width of its constraint in spreads, and its false-alarm rate."""

    past: StatisticSummary
    width: float
    rate: float


@dataclass(frozen=True, eq=False)
class ConstraintCandidates:
    """All candidates: each statistic with each width.

    `caught`: a row of bits per candidate; first whether each issue is caught, then whether it is caught reliably.
    `rates`: false-alarm rate of each candidate. `of`: index of its statistic in `pasts`."""

    pasts: tuple[StatisticSummary, ...]
    caught: Array
    rates: Array
    of: Array

    @staticmethod
    def of_pasts(
        pasts: Sequence[StatisticSummary], observed: Sequence[Array], bound: ProbabilityBound
    ) -> "ConstraintCandidates":
        """Build the candidates from statistics and their values for every issue."""
        widths = numpy.array(WIDTHS)[:, None]
        caught = []
        for past, values in zip(pasts, observed, strict=True):
            away = past.away(values)[None, :]
            caught.append(numpy.hstack([breaks(away, widths), breaks(away, SURELY * widths)]))
        bits = numpy.concatenate(caught) if caught else numpy.zeros((0, 0), dtype=bool)
        rates = numpy.array([bound.rate(past, widths[:, 0]) for past in pasts]).ravel()
        return ConstraintCandidates(tuple(pasts), bits, rates, numpy.repeat(numpy.arange(len(pasts)), len(WIDTHS)))

    def choice(self, at: int) -> ConstraintChoice:
        """Return the candidate in that row."""
        return ConstraintChoice(self.pasts[self.of[at]], WIDTHS[at % len(WIDTHS)], float(self.rates[at]))


def breaks(away: Any, width: Any) -> Any:
    """Return whether a value at that distance, in spreads, violates a constraint of that width; NaN does not."""
    return away > width


@dataclass(frozen=True, eq=False, kw_only=True)
class ClauseSearch:
    """A search for at most `most` clauses whose rates sum to at most the `budget`.

    `caught`: issues that are caught anyway. `price`: share of the issues that must be gained per false alarm per
    batch; 0 spends the budget on any gain."""

    candidates: ConstraintCandidates
    budget: float
    most: int
    caught: Array
    price: float = 0.0

    def chosen(self) -> list[ConstraintChoice]:
        """Select clauses by algorithm 1, then improve them by exchanges.

        Algorithm 1 takes the better of its greedy set and the best single clause. An exchange never lowers the
        worth, so without a price the algorithm's proven approximation still applies."""
        if not len(self.candidates.rates):
            return []
        picked = self._greedy()
        single = self._best(frozenset())
        if single is not None and self._worth([single]) > self._worth(picked):
            picked = [single]
        return [self.candidates.choice(at) for at in self._exchanged(picked)]

    def _greedy(self) -> list[int]:
        picked: dict[int, int] = {}
        covered = self._free.copy()
        while True:
            gains = (self.candidates.caught & ~covered).sum(axis=1)
            current_rates = numpy.array(
                [self.candidates.rates[picked[at]] if at in picked else 0.0 for at in range(self._pasts)]
            )
            paid = self.candidates.rates - current_rates[self.candidates.of]
            spent = sum(self.candidates.rates[at] for at in picked.values())
            full = len(picked) >= self.most
            already_picked = numpy.isin(self.candidates.of, list(picked))
            allowed = (gains > 0) & (spent + paid <= self.budget) & (already_picked | (not full))
            if not allowed.any():
                return list(picked.values())
            at = int(numpy.argmax(numpy.where(allowed, gains / (numpy.maximum(paid, 0.0) + LEAST_PAID), -1.0)))
            picked[int(self.candidates.of[at])] = at
            covered |= self.candidates.caught[at]

    @cached_property
    def _free(self) -> Array:
        """Return the issues caught anyway, as a row of bits; they also count as reliable."""
        return numpy.tile(self.caught, 2)

    @property
    def _pasts(self) -> int:
        return int(self.candidates.of[-1]) + 1

    def _worth(self, picked: Sequence[int]) -> float:
        """Return the bits that these candidates add, minus the price of their false alarms."""
        caught = self.candidates.caught[list(picked)].any(axis=0) & ~self._free
        return float(caught.sum() - self._cost(self._spent(picked)))

    def _cost(self, rates: Any) -> Any:
        """Return the price of false alarms in bits."""
        return self.price * len(self._free) * rates

    def _spent(self, picked: Iterable[int]) -> float:
        return float(sum(self.candidates.rates[at] for at in picked))

    def _best(self, chosen: frozenset[int]) -> int | None:
        """Return the most valuable candidate to add, the cheapest among equals; None if none fits."""
        selected = list(chosen)
        covered = self._free | self.candidates.caught[selected].any(axis=0) if selected else self._free
        worth = (self.candidates.caught & ~covered).sum(axis=1) - self._cost(self.candidates.rates)
        remaining = self.budget - self._spent(selected)
        allowed = (
            (self.candidates.rates <= remaining)
            & ~numpy.isin(self.candidates.of, self.candidates.of[selected])
            & (worth > 0)
        )
        if not allowed.any():
            return None
        return int(numpy.lexsort((self.candidates.rates, numpy.where(allowed, -worth, 1)))[0])

    def _exchanged(self, picked: list[int]) -> list[int]:
        for _ in range(ROUNDS):
            better = self._exchange(picked)
            if better == picked:
                break
            picked = better
        return picked

    def _exchange(self, picked: list[int]) -> list[int]:
        """Replace, remove or add one clause for more worth, or equal worth at lower rate."""
        alternatives = [picked]
        for leaving in [None, *picked]:
            reduced = [at for at in picked if at != leaving]
            best = self._best(frozenset(reduced)) if len(reduced) < self.most else None
            alternatives += [reduced] if best is None else [reduced, [*reduced, best]]
        return max(alternatives, key=lambda each: (self._worth(each), -self._spent(each)))
