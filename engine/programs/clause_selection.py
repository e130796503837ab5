"""Which clauses a program is made of: the most issues caught for the false alarms that may be spent (algorithm 1).

Candidates are the pasts in every width of the grid. What they catch are rows of bits. Two widths of one past are one
event: only the difference is paid, and the narrower one takes the place of the wider."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy
from numpy.typing import NDArray

from treaty.engine.programs.constraints import WIDTHS, ProbabilityBound, StatisticSummary

Array = NDArray[Any]

# What lies so many times as far as the limit is caught surely, not in one draw alone: it counts once more. By hand.
SURELY = 2.0
# So little is paid at least: two widths may cost the same, and nothing is divided by nothing.
LEAST_PAID = 1e-7
ROUNDS = 20


@dataclass(frozen=True)
class ConstraintChoice:
    """A past and the width of its constraint, in spreads; `rate`: of its false alarms."""

    past: StatisticSummary
    width: float
    rate: float


@dataclass(frozen=True, eq=False)
class ConstraintCandidates:
    """Every choice there is, each past in every width: `caught` has a row of bits for each, `rates` what each costs,
    `of` whose past it is.

    The bits are of all issues, whether they are caught, and then of all again, whether surely."""

    pasts: tuple[StatisticSummary, ...]
    caught: Array
    rates: Array
    of: Array

    @staticmethod
    def of_pasts(
        pasts: Sequence[StatisticSummary], seen: Sequence[Array], bound: ProbabilityBound
    ) -> "ConstraintCandidates":
        """The candidates of pasts with what each sees of every issue."""
        widths = numpy.array(WIDTHS)[:, None]
        caught = []
        for past, values in zip(pasts, seen, strict=True):
            away = past.away(values)[None, :]
            caught.append(numpy.hstack([breaks(away, widths), breaks(away, SURELY * widths)]))
        bits = numpy.concatenate(caught) if caught else numpy.zeros((0, 0), dtype=bool)
        rates = numpy.array([bound.rate(past, widths[:, 0]) for past in pasts]).ravel()
        return ConstraintCandidates(tuple(pasts), bits, rates, numpy.repeat(numpy.arange(len(pasts)), len(WIDTHS)))

    def choice(self, at: int) -> ConstraintChoice:
        """The choice that has that row."""
        return ConstraintChoice(self.pasts[self.of[at]], WIDTHS[at % len(WIDTHS)], float(self.rates[at]))


def breaks(away: Any, width: Any) -> Any:
    """Whether a value so many spreads away breaks a constraint of that width; one that is missing does not."""
    return away > width


@dataclass(frozen=True, eq=False, kw_only=True)
class ClauseSearch:
    """A search for at most `most` clauses whose rates add up to at most the `budget`; some are `caught` anyway.

    `price`: how large a share of the issues a false alarm in every batch is worth. Without one the budget is spent on
    whatever catches one issue more."""

    candidates: ConstraintCandidates
    budget: float
    most: int
    caught: Array
    price: float = 0.0

    def chosen(self) -> list[ConstraintChoice]:
        """Algorithm 1, the better of its greedy set and the best single one; then each clause for a better one.

        The exchange is never worth less: without a price the approximation that is proven of the algorithm remains."""
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
            held = numpy.array(
                [self.candidates.rates[picked[at]] if at in picked else 0.0 for at in range(self._pasts)]
            )
            paid = self.candidates.rates - held[self.candidates.of]
            spent = sum(self.candidates.rates[at] for at in picked.values())
            full = len(picked) >= self.most
            known = numpy.isin(self.candidates.of, list(picked))
            may = (gains > 0) & (spent + paid <= self.budget) & (known | (not full))
            if not may.any():
                return list(picked.values())
            at = int(numpy.argmax(numpy.where(may, gains / (numpy.maximum(paid, 0.0) + LEAST_PAID), -1.0)))
            picked[int(self.candidates.of[at])] = at
            covered |= self.candidates.caught[at]

    @cached_property
    def _free(self) -> Array:
        """What is caught anyway, as a row of the candidates' bits: surely, too."""
        return numpy.tile(self.caught, 2)

    @property
    def _pasts(self) -> int:
        return int(self.candidates.of[-1]) + 1

    def _worth(self, picked: Sequence[int]) -> float:
        """How many bits these add to what is caught anyway, less what their false alarms cost."""
        caught = self.candidates.caught[list(picked)].any(axis=0) & ~self._free
        return float(caught.sum() - self._cost(self._spent(picked)))

    def _cost(self, rates: Any) -> Any:
        """False alarms in bits."""
        return self.price * len(self._free) * rates

    def _spent(self, picked: Iterable[int]) -> float:
        return float(sum(self.candidates.rates[at] for at in picked))

    def _best(self, others: frozenset[int]) -> int | None:
        """The one that is worth most beside the others, for the least; None where there is none that may be added."""
        kept = list(others)
        covered = self._free | self.candidates.caught[kept].any(axis=0) if kept else self._free
        worth = (self.candidates.caught & ~covered).sum(axis=1) - self._cost(self.candidates.rates)
        left = self.budget - self._spent(kept)
        may = (self.candidates.rates <= left) & ~numpy.isin(self.candidates.of, self.candidates.of[kept]) & (worth > 0)
        if not may.any():
            return None
        return int(numpy.lexsort((self.candidates.rates, numpy.where(may, -worth, 1)))[0])

    def _exchanged(self, picked: list[int]) -> list[int]:
        for _ in range(ROUNDS):
            better = self._exchange(picked)
            if better == picked:
                break
            picked = better
        return picked

    def _exchange(self, picked: list[int]) -> list[int]:
        """With one clause in another's place, one less or one more, where that is worth more, or as much for less."""
        tried = [picked]
        for leaving in [None, *picked]:
            kept = [at for at in picked if at != leaving]
            found = self._best(frozenset(kept)) if len(kept) < self.most else None
            tried += [kept] if found is None else [kept, [*kept, found]]
        return max(tried, key=lambda each: (self._worth(each), -self._spent(each)))
