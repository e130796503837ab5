"""Metric of the distance between a partition's distribution and the previous one, from stored states."""

from collections.abc import Callable, Mapping
from typing import Any, ClassVar, Literal, Self

from pydantic import Field, model_validator

from treaty.engine.analyzers import exact
from treaty.engine.analyzers.arguments import ColumnName
from treaty.engine.analyzers.base import Analyzer
from treaty.engine.analyzers.bound import Operands
from treaty.engine.analyzers.exact import ExactMetric
from treaty.engine.components.base import Component
from treaty.engine.components.moments import Moments
from treaty.engine.components.operands import Operand
from treaty.engine.components.sketches import HeavyHitters, QuantileSketch
from treaty.engine.components.text_masks import PatternProfile, mask

_OF_TEXTS = ("l1", "l_infinity", "cosine", "chi_squared", "jensen_shannon", "kullback_leibler", "new")
By = Literal[
    "kolmogorov_smirnov", "earth_movers_distance", "cohens_d", "jensen_shannon", "kullback_leibler",
    "l1", "l_infinity", "cosine", "chi_squared", "new",
]  # fmt: skip
Looked = Literal["values", "masks", "shapes"]
# Available distances of numbers and of texts, by aspect; None means the numbers themselves.
OF_NUMBERS: Mapping[str | None, tuple[str, ...]] = {
    None: ("kolmogorov_smirnov", "earth_movers_distance", "cohens_d", "jensen_shannon", "kullback_leibler"),
}
OF_TEXTS: Mapping[str | None, tuple[str, ...]] = {"values": _OF_TEXTS, "masks": _OF_TEXTS, "shapes": ("new",)}
DISTANCES = {**OF_NUMBERS, **OF_TEXTS}
PARTS = {None: "ranks", "values": "listed", "masks": "masks", "shapes": "masks"}
COUNTED: Mapping[str, Callable[[Any], int]] = {
    "moments": lambda arguments: int(arguments[0]),
    "ranks": QuantileSketch.count,
    "listed": HeavyHitters.rows,
    "masks": HeavyHitters.rows,
}

EXACT_STATES: Mapping[str, Callable[[Operand], ExactMetric]] = {
    "ranks": lambda column: exact.ranks(column, "ranks"),
    "listed": lambda column: exact.frequent_values(column.sql, "listed"),
    "masks": lambda column: exact.frequent_values(mask(column.sql), "masks"),
}


def statistic(by: str, of: str | None) -> str:
    """Return the name of the distance among the statistics of programs."""
    return f"{by}_of_{of}" if of else by


class DistributionDistance(Analyzer):
    """Distance of the column's values from those of the previous partition, from stored states.

    The previous partition is the newest earlier one of the same segment that has values and belongs to no open
    incident. Numbers are compared by a KLL sketch or by their moments; texts by their 1,024 most frequent values,
    masks (`Aaa 00`) or shapes of masks (`Aa 0`). `new` is the share of values, masks or shapes that the previous
    partition does not have. The reference of distances defines each distance and its accuracy (after
    Auto-Validate-by-History, KDD 2023, Tables 2 and 4). No value for a partition without values, if no earlier
    partition has values, or if several partitions are evaluated together."""

    name = "distance"
    unit = "distance"
    value_template = "{phrase} is {value}"
    needs_previous: ClassVar[bool] = True
    no_value_reason: ClassVar[str] = "nothing to compare: this partition or all earlier partitions have no values"
    column: ColumnName
    by: By = Field(description="the distance; `new` is the share of values that the previous partition does not have")
    of: Looked | None = Field(default=None, description="`values`, `masks` or `shapes` of texts; omit it for numbers")
    ranks = QuantileSketch("{column}")
    moments = Moments("{column}")
    listed = HeavyHitters("{column}")
    masks = PatternProfile("{column}")

    @model_validator(mode="after")
    def _told_of_that(self) -> Self:
        if self.by not in DISTANCES[self.of]:
            raise ValueError(
                f"{self.by} is not available for {self.of or 'numbers'}; use one of {', '.join(DISTANCES[self.of])}"
            )
        return self

    @property
    def phrase(self) -> str:
        distance = self.by.replace("_", " ") + (f" of {self.of}" if self.of else "")
        return f"{distance} of {self.column} from the previous partition" + (
            f" where {self.where}" if self.where else ""
        )

    def parts(self) -> Mapping[str, Component]:
        return {self._part: self.components[self._part]}

    @property
    def _part(self) -> str:
        """Return the name of the component whose states are compared."""
        return "moments" if self.by == "cohens_d" else PARTS[self.of]

    def counted(self, state: Any) -> int:
        return COUNTED[self._part](getattr(state, self._part))

    def value(self, state: Any) -> float | None:
        from treaty.engine.statistics.statistics import STATISTICS

        if state.before is None:
            return None
        pair = self._pair(state)
        return STATISTICS[statistic(self.by, self.of)].value(pair.now, pair)

    def bounds(self, state: Any) -> tuple[float, float] | None:
        from treaty.engine.statistics.distance_bounds import distance_bounds

        if state.before is None or self._part == "moments":
            return None
        return distance_bounds(self.by, self.of, self._pair(state))

    def exact(self, operands: Operands) -> ExactMetric | None:
        column = operands["column"][0]
        return EXACT_STATES[self._part](column) if self._part in EXACT_STATES else None

    def _pair(self, state: Any) -> Any:
        from treaty.engine.statistics.statistics import PartitionPair

        return PartitionPair(self._side(state), self._side(state.before))

    def _side(self, state: Any) -> Any:
        from treaty.engine.statistics import stored_summaries

        component_state = getattr(state, self._part)
        if self.of in OF_NUMBERS:
            moments, ranks = (component_state, None) if self._part == "moments" else (Moments.zero, component_state)
            return stored_summaries.numbers(state.rows, moments, ranks)
        counts = (
            {"values": stored_summaries.frequent(component_state)}
            if self.of == "values"
            else stored_summaries.mask_counts(component_state)
        )
        return stored_summaries.texts(state.rows, state.rows, None, **counts)
