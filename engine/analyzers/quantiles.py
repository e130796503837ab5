"""Metrics of rank."""

from typing import Annotated, Any

from pydantic import Field

from engine.analyzers.arguments import ColumnName
from engine.analyzers.base import Analyzer
from engine.analyzers.sketches import Quantiles


class ApproxQuantile(Analyzer):
    """The value below which a share `quantile` of the numbers lies, by a KLL sketch (rank error about 0.7 %).

    Dates and timestamps are ranked as microseconds since 1970. Nulls and NaN are ignored; no value if none is left."""

    name = "approx_quantile"
    unit = "value"
    column: ColumnName
    quantile: Annotated[float, Field(ge=0, le=1, strict=False, description="between 0 and 1")]
    ranks = Quantiles("{column}")

    def value(self, state: Any) -> float | None:
        if state.ranks is None:
            return None
        sketch = Quantiles.sketch(state.ranks)
        return None if sketch.is_empty() else float(sketch.get_quantile(self.quantile, inclusive=True))
