"""Metrics of time: the age of the newest row and the arrival delay of rows."""

from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from pydantic import Field

from treaty.contracts.assertions import Assertion
from treaty.contracts.schema import Schema
from treaty.engine.analyzers import violation_bounds
from treaty.engine.analyzers.arguments import ColumnName, TimeUnit
from treaty.engine.analyzers.base import Analyzer, NotApplicableToTable
from treaty.engine.analyzers.bound import Operands
from treaty.engine.analyzers.exact import ExactMetric, quantiles
from treaty.engine.analyzers.violating_rows import ViolatingRows
from treaty.engine.components.base import Component, CountComponent, MaxComponent
from treaty.engine.components.operands import TEMPORAL, Operand
from treaty.engine.components.sketches import QuantileSketch
from treaty.engine.core import clock

SECONDS = {"seconds": 1, "minutes": 60, "hours": 3600, "days": 86400}
MICROS = {unit: seconds * 1_000_000 for unit, seconds in SECONDS.items()}


class Freshness(Analyzer):
    """Age of the newest row at evaluation time, by a date or time column; negative for the future.

    A date counts from 00:00 UTC; a time without a zone is in UTC. Text columns are not supported. No value for an
    empty table, if all values are null, or if no row matches `where`."""

    name = "freshness"
    unit = "time"
    value_template = "the newest {column} is {value} {measured_in} old"
    column: ColumnName
    measured_in: TimeUnit = "hours"
    newest = MaxComponent("{column}", takes=TEMPORAL)

    def value(self, state: Any) -> float | None:
        if state.newest is None or state.now is None:
            return None
        return (state.now - clock.aware(state.newest)) / timedelta(seconds=SECONDS[self.measured_in])  # type: ignore[no-any-return]


class ArrivalDelay(Analyzer):
    """Delay from `column` to `arrived`: the longest, or the given `quantile` of all delays.

    Both columns are dates or times, interpreted as by freshness; the delay is negative if a row arrived before
    `column`. Rows in which either value is null are excluded. A quantile is estimated by a KLL sketch (rank error
    about 0.7 %). No value if no row has both values."""

    name = "arrival_delay"
    unit = "time"
    value_template = "rows arrive {value} {measured_in} after {column}"
    violation_phrase = "rows arrived later"
    column: ColumnName
    arrived: ColumnName
    quantile: float | None = Field(
        default=None, ge=0, le=1, strict=False, description="between 0 and 1; omit it for the longest delay"
    )
    measured_in: TimeUnit = "hours"
    measured = CountComponent("{delay}")
    longest = MaxComponent("{delay}")

    def parts(self) -> Mapping[str, Component]:
        if self.quantile is None:
            return self.components
        return {"measured": CountComponent("{delay}"), "ranks": QuantileSketch("{delay}")}

    def operands(self, schema: Schema) -> Operands:
        named = super().operands(schema)
        earlier, later = named["column"][0], named["arrived"][0]
        for each in (earlier, later):
            if each.base_type not in TEMPORAL:
                raise NotApplicableToTable(f"{self.name} cannot be computed on {each.sql}: its type is {each.type}")
        return {**named, "delay": (Operand(sql=f"{later.micros()} - {earlier.micros()}", type="bigint"),)}

    def value(self, state: Any) -> float | None:
        micros: float | None = state.longest if self.quantile is None else QuantileSketch.at(state.ranks, self.quantile)
        return None if micros is None else micros / MICROS[self.measured_in]

    def bounds(self, state: Any) -> tuple[float, float] | None:
        ranks = None if self.quantile is None else QuantileSketch.ranks(state.ranks)
        limits = ranks.bounds(self.quantile) if ranks and self.quantile is not None else None
        return limits and (limits[0] / MICROS[self.measured_in], limits[1] / MICROS[self.measured_in])

    def exact(self, operands: Operands) -> ExactMetric | None:
        if self.quantile is None:
            return None
        return quantiles(operands["delay"][0], [self.quantile], lambda row: row[0] / MICROS[self.measured_in])

    def counted(self, state: Any) -> int:
        return int(state.measured)

    def breaking(self, operands: Operands, assertion: Assertion) -> ViolatingRows | None:
        if self.quantile is not None:
            return None
        return violation_bounds.too_large(operands["delay"][0], assertion, times=MICROS[self.measured_in])
