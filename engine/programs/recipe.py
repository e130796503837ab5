"""How a program is to be learned: a recipe, and the numbers that were chosen by hand."""

from collections.abc import Mapping
from dataclasses import dataclass

from treaty.engine.statistics.statistics import Statistic

# Below these no rate of 1 of 100 can be told: with 7 batches 3 of 100 clean ones alarmed, with 14 one (measured).
LEAST_BATCHES = 14
SAMPLE = 2000
# A guard is as wide as ten deviations, two rows, or for the number of rows half a percent of them: by hand, so that
# thousands of clean batches of public tables broke none.
GUARDS: Mapping[str, float] = {"complete_ratio": 0.0, "row_count": 0.005}
GUARD_WIDTH, GUARD_ROWS = 10.0, 2.0
# One of a hundred issues is worth a false alarm in 200 batches: by hand, what costs next to nothing of recall on the
# tuning part, where four times as much costs 0.006.
PRICE = 2.0


@dataclass(frozen=True, kw_only=True)
class Recipe:
    """How a program is to be learned.

    `budget`: the rate of false alarms of a batch; `bound`: by which law it is kept; `most`: clauses beside guards.
    `price`: the share of the issues that one false alarm a batch is worth: less is not paid for. `distances`: also
    compare with the partition before. `tested`: take the one change that the test of stationarity tells (the paper),
    instead of several. `guarded`: complete and row count stand in every program. `least`: how many batches are needed.
    `elsewhere`: issues that are told without the column. `seed`: of the issues that are drawn."""

    budget: float = 0.01
    bound: str = "measured"
    most: int = 3
    price: float = PRICE
    distances: bool = True
    tested: bool = False
    guarded: bool = True
    paper_only: bool = False
    least: int = LEAST_BATCHES
    elsewhere: frozenset[str] = frozenset()
    excluded_guards: frozenset[str] = frozenset()
    seed: int = 0

    def admits(self, statistic: Statistic) -> bool:
        """Whether clauses may be of that statistic."""
        wanted = (self.distances or not statistic.is_distance) and (statistic.in_paper or not self.paper_only)
        return wanted and statistic.name not in self.excluded_guards


RECIPE = Recipe()
