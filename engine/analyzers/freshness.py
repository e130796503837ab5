"""Metrics of time: how old the newest row is, and how late rows arrive."""

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
from treaty.engine.analyzers.violating_rows import ViolatingRows
from treaty.engine.components.base import Component, CountComponent, MaxComponent
from treaty.engine.components.operands import TEMPORAL, Operand
from treaty.engine.components.sketches import QuantileSketch
from treaty.engine.core import clock

SECONDS = {"seconds": 1, "minutes": 60, "hours": 3600, "days": 86400}
MICROS = {unit: seconds * 1_000_000 for unit, seconds in SECONDS.items()}


class Freshness(Analyzer):
    """Age of the newest row at the moment of judgement, by a column of dates or times; negative where it lies ahead.

    A date counts from its first moment in UTC, a time without a zone is one of UTC. Texts are refused. No value for an
    empty table, for nothing but nulls, for a filter that admits no row."""

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
    """How long after `column` rows `arrived`: the longest delay, or with `quantile` the one that a share of them keeps.

    Both columns are dates or times, taken as by freshness; negative where rows arrived before. Rows in which either is
    null are left out. A quantile comes from a KLL sketch (rank error about 0.7 %). No value where no row has both."""

    name = "arrival_delay"
    unit = "time"
    value_template = "rows arrive {value} {measured_in} after {column}"
    violation_phrase = "rows arrived later"
    column: ColumnName
    arrived: ColumnName
    quantile: float | None = Field(
        default=None, ge=0, le=1, strict=False, description="between 0 and 1; none: the longest delay"
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

    def counted(self, state: Any) -> int:
        return int(state.measured)

    def breaking(self, operands: Operands, assertion: Assertion) -> ViolatingRows | None:
        if self.quantile is not None:
            return None
        return violation_bounds.too_large(operands["delay"][0], assertion, times=MICROS[self.measured_in])
