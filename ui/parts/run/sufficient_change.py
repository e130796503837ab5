"""Describe the smallest change of the data that would have satisfied a failed check."""

from dataclasses import replace
from math import ceil, floor

from treaty.registry.schemas import CheckResultOut
from treaty.ui import texts as ui_texts
from treaty.ui.texts import run as texts
from treaty.ui.widgets.charts import ChartBand, number

# Shares are quotients of counts: a smaller difference is rounding.
ROUNDING = 1e-9


def sentence(result: CheckResultOut, band: ChartBand) -> str | None:
    """Return the change in words: fewer violating rows, else a value; None if it is unknown.

    `band`: the limits that the value was compared with."""
    value = number(result.value)
    if result.outcome != "failed" or value is None or band.admits(value):
        return None
    rows = _fewer_rows(result, value, band)
    if rows is not None:
        return texts.fewer_rows(rows)
    if band.lower is not None and value <= band.lower:
        return _enough(replace(band, upper=None), band.lower - value, texts.MORE)
    return _enough(replace(band, lower=None), value - (band.upper or 0.0), texts.LESS)


def _enough(limit: ChartBand, difference: float, direction: str) -> str:
    distance = f"{ui_texts.value(difference)} {direction}" if difference else ""
    return texts.enough(limit.words(), distance)


def _fewer_rows(result: CheckResultOut, value: float, band: ChartBand) -> int | None:
    """Return how many violating rows fewer suffice; None if the value is neither their number nor a share of rows."""
    rows, violating = result.row_count, result.violating_rows
    if not (rows and violating):
        return None
    if value == violating and band.upper is not None:
        return violating - _most(band.upper, strict=band.strict)
    if band.lower is not None and abs((rows - violating) / rows - value) < ROUNDING:
        return violating - _most(rows * (1 - band.lower), strict=band.strict)
    return None


def _most(limit: float, *, strict: bool) -> int:
    """Return the largest number of rows up to the limit, or below it."""
    return ceil(limit - ROUNDING) - 1 if strict else floor(limit + ROUNDING)
