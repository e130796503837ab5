"""Define the recipe for learning a program, with its hand-chosen constants."""

from collections.abc import Mapping
from dataclasses import dataclass

from treaty.engine.core.learning_options import LEAST_BATCHES
from treaty.engine.statistics.statistics import Statistic

SAMPLE = 2000
# A guard is as wide as that many deviations, two rows, or for the row count half a percent of it. The widest one is
# broken by less than a tenth of the smallest count so far, as by an empty or all-null batch. Chosen by hand.
COMPLETE, ROW_COUNT = "complete_ratio", "row_count"
GUARDS: Mapping[str, float] = {COMPLETE: 0.0, ROW_COUNT: 0.005}
GUARD_WIDTHS, GUARD_ROWS, ALMOST_EMPTY = (80.0, 40.0, 20.0, 10.0), 2.0, 0.1
# A gain of one in a hundred issues is worth a false alarm in 200 batches: chosen by hand; it costs almost no recall on
# the tuning set, while four times as much costs 0.006.
PRICE = 2.0


@dataclass(frozen=True, kw_only=True)
class Recipe:
    """Parameters for learning a program.

    - `budget`: rate of false alarms per batch.
    - `bound`: name of the bound on this rate.
    - `most`: largest number of clauses besides guards; 0 means guards alone.
    - `price`: share of the issues that must be gained per false alarm per batch.
    - `distances`: also compare with the previous partition.
    - `tested`: use the one transform found by the stationarity test (as in the paper) instead of several.
    - `guarded`: add guards for completeness and row count.
    - `paper_only`: use only statistics of the paper.
    - `least`: number of batches required.
    - `elsewhere`: issues that are caught without this column.
    - `excluded_guards`: statistics that are not used, as guards or clauses.
    - `seed`: seed for drawing issues."""

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
        """Return whether clauses may use that statistic."""
        allowed = (self.distances or not statistic.is_distance) and (statistic.in_paper or not self.paper_only)
        return allowed and statistic.name not in self.excluded_guards


RECIPE = Recipe()
