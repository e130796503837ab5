"""Evaluate a table's number of rows by its past, if the guard is blind."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

from treaty.engine.anomaly.detector import DetectorBand
from treaty.engine.anomaly.volume_history import LEAST, Volume, replaces
from treaty.engine.programs.history import Batch
from treaty.engine.programs.program import Clause
from treaty.engine.programs.stationarity import LEVEL

# Snapshots without times are evaluated as if they were daily.
FIRST, STEP = datetime(1970, 1, 1, tzinfo=UTC), timedelta(days=1)


def row_volume(batches: Sequence[Batch], guard: Clause) -> Volume | None:
    """Return the row counts whose past predicts the next one; None if the guard is better.

    The rule is that of drafts. None, too, while there are too few batches."""
    if len(batches) < LEAST:
        return None
    volume = Volume(
        names=tuple(each.name for each in batches),
        times=tuple(each.time or FIRST + at * STEP for at, each in enumerate(batches)),
        rows=tuple(each.summary.rows for each in batches),
    )
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
