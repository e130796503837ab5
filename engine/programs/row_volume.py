"""Evaluate a table's number of rows by its past, if the guard is blind."""

from collections.abc import Sequence

from treaty.engine.anomaly.detector import DetectorBand
from treaty.engine.anomaly.volume_history import LEAST, Volume, replaces
from treaty.engine.programs.history import Batch
from treaty.engine.programs.program import Clause
from treaty.engine.programs.stationarity import LEVEL


def row_volume(batches: Sequence[Batch], guard: Clause) -> Volume | None:
    """Return the row counts whose past predicts the next one; None if the guard is better.

    The rule is that of drafts. None, too, with too few batches, and without their times: a missing day would shift
    the days of the week."""
    times = tuple(each.time for each in batches if each.time)
    if len(batches) < LEAST or len(times) < len(batches):
        return None
    rows = tuple(each.summary.rows for each in batches)
    volume = Volume(names=tuple(each.name for each in batches), times=times, rows=rows)
    return volume if replaces([volume], [(guard.lower, guard.upper)]) else None


def clause_of_band(guard: Clause, band: DetectorBand) -> Clause:
    """Return the guard with the limits of a detector's band."""
    return Clause(
        statistic=guard.statistic,
        change=LEVEL,
        lower=band.lower,
        upper=band.upper,
        middle=guard.middle if band.expected is None else band.expected,
        width=guard.width,
        rate=band.rate or 0.0,
        points=band.points,
        guard=True,
    )
