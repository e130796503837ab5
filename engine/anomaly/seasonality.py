"""Detect unnamed periods from the values of a series."""

from collections.abc import Collection, Iterator, Sequence
from typing import Any

import numpy as np

LEAST = 16
# Frequencies of waves are tested in steps of an eighth of a turn over the whole history, from three eighths: slower
# waves are trends.
SLOWEST, STEP = 0.375, 0.125
# Margin of the best wave over the best of as many waves in pure noise: noise exceeds it once in twenty times.
BEYOND_NOISE = 3.0


def periods(values: Any) -> Sequence[int]:
    """Return the strongest period of the detrended values, of any form; empty if there is none."""
    count = len(values)
    if count < LEAST:
        return ()
    line = np.polyfit(np.arange(count), values, 1)
    left = values - np.polyval(line, np.arange(count))
    spectrum = np.fft.rfft(left, 2 * count)
    own = np.fft.irfft(np.abs(spectrum) ** 2)[: count // 2]
    own = own / max(own[0], 1e-300)
    inner = own[1:-1]
    # A slowly changing series resembles itself shortly after; a period is a later peak of the autocorrelation.
    peaks = np.flatnonzero((inner > own[:-2]) & (inner >= own[2:])) + 1
    best = int(peaks[np.argmax(own[peaks])]) if len(peaks) else 0
    # Twice the maximum for pure noise.
    return (best,) if best > 2 and own[best] > 2 / np.sqrt(count) else ()


def about(ordinal: Any, values: Any, excluded: Collection[int]) -> Sequence[float]:
    """Return the period, in steps, of the best-fitting wave around a straight line; empty if there is none.

    Lomb 1976; Scargle 1982. The period need not be a whole number, and the history may contain less than one turn.
    Empty if pure noise would give as good a fit, or if the period cannot be distinguished from a `excluded` one."""
    count, span = len(values), float(ordinal[-1]) + 1
    if count < LEAST or span > 3 * count:
        return ()
    rates = np.arange(SLOWEST, span / 3, STEP) / span
    explained, whole = _explained_squares(rates, ordinal, values)
    best = int(np.argmax(explained))
    residual = max(whole - explained[best], 1e-12 * whole)
    if residual <= 0 or count / 2 * np.log(whole / residual) < np.log(count / 2) + BEYOND_NOISE:
        return ()
    rate = rates[best] + _peak(explained, best) * STEP / span
    return () if any(abs(rate - 1 / each) < 0.5 / span for each in excluded) else (float(1 / rate),)


def _explained_squares(rates: Any, ordinal: Any, values: Any) -> tuple[Any, float]:
    """Return the sums of squares that each wave explains, and the total to explain.

    The total is what a straight line leaves."""
    line = np.linalg.qr(np.stack([np.ones(len(ordinal)), ordinal], axis=1))[0]
    residual = values - line @ (line.T @ values)
    turns = 2 * np.pi * rates[:, None] * ordinal
    waves = np.stack([np.sin(turns), np.cos(turns)], axis=2)
    waves = waves - line @ (line.T @ waves)
    sums = np.einsum("fni,n->fi", waves, residual)
    grams = np.einsum("fni,fnj->fij", waves, waves) + 1e-9 * np.eye(2)
    solved = np.linalg.solve(grams, sums[:, :, None])[:, :, 0]
    return np.einsum("fi,fi->f", sums, solved), float(residual @ residual)


def _peak(heights: Any, best: int) -> float:
    """Return the offset of the maximum of the parabola through three neighboring heights."""
    if not 0 < best < len(heights) - 1:
        return 0.0
    before, top, after = heights[best - 1 : best + 2]
    bend = before - 2 * top + after
    return float(0.5 * (before - after) / bend) if bend < 0 else 0.0


def wave(period: float, ordinal: Any, values: Any) -> Iterator[Any]:
    """Yield the columns of a wave and of its derivative by the period.

    The derivative makes the uncertainty of the period a coefficient like others, which widens the forecast
    (Gauss-Newton linearization). `ordinal` includes the next point."""
    turns = 2 * np.pi * ordinal / period
    sine, cosine = np.sin(turns), np.cos(turns)
    columns = np.stack([np.ones(len(ordinal)), ordinal, sine, cosine], axis=1)
    *_, of_sine, of_cosine = np.linalg.lstsq(columns[:-1], values, rcond=None)[0]
    yield from (sine, cosine)
    size = max(float(np.hypot(of_sine, of_cosine)), 1e-300)
    yield (ordinal - ordinal.mean()) / len(ordinal) * (of_sine * cosine - of_cosine * sine) / size
