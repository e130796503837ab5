"""Periods that nobody named: what the values of a series themselves show."""

from collections.abc import Collection, Iterator, Sequence
from typing import Any

import numpy as np

LEAST = 16
# A wave's rates are tried an eighth of a turn in the whole past apart, from three eighths: slower ones are trends.
SLOWEST, APART = 0.375, 0.125
# How far the best wave must stand out beyond the best of so many that noise alone shows: once in twenty it does.
BEYOND_NOISE = 3.0


def periods(values: Any) -> Sequence[int]:
    """The period that stands out most in what is left after a straight line, if any does: a season of any form."""
    count = len(values)
    if count < LEAST:
        return ()
    line = np.polyfit(np.arange(count), values, 1)
    left = values - np.polyval(line, np.arange(count))
    spectrum = np.fft.rfft(left, 2 * count)
    own = np.fft.irfft(np.abs(spectrum) ** 2)[: count // 2]
    own = own / max(own[0], 1e-300)
    inner = own[1:-1]
    # Whatever goes slowly is like itself a moment later: a period is where it is like itself again.
    peaks = np.flatnonzero((inner > own[:-2]) & (inner >= own[2:])) + 1
    best = int(peaks[np.argmax(own[peaks])]) if len(peaks) else 0
    # Twice what noise alone would show at its most.
    return (best,) if best > 2 and own[best] > 2 / np.sqrt(count) else ()


def about(ordinal: Any, values: Any, known: Collection[int]) -> Sequence[float]:
    """The period in steps of the wave that fits best beside a straight line (Lomb 1976; Scargle 1982), whole or not, of
    which less than one turn may lie in the past. None where noise alone would show as much, or where it cannot be told
    from a `known` one."""
    count, span = len(values), float(ordinal[-1]) + 1
    if count < LEAST or span > 3 * count:
        return ()
    rates = np.arange(SLOWEST, span / 3, APART) / span
    told, whole = _explained_squares(rates, ordinal, values)
    best = int(np.argmax(told))
    left = max(whole - told[best], 1e-12 * whole)
    if left <= 0 or count / 2 * np.log(whole / left) < np.log(count / 2) + BEYOND_NOISE:
        return ()
    rate = rates[best] + _peak(told, best) * APART / span
    return () if any(abs(rate - 1 / each) < 0.5 / span for each in known) else (float(1 / rate),)


def _explained_squares(rates: Any, ordinal: Any, values: Any) -> tuple[Any, float]:
    """The sum of squares that a wave of each rate takes away from what a straight line leaves, and that sum."""
    line = np.linalg.qr(np.stack([np.ones(len(ordinal)), ordinal], axis=1))[0]
    left = values - line @ (line.T @ values)
    turns = 2 * np.pi * rates[:, None] * ordinal
    waves = np.stack([np.sin(turns), np.cos(turns)], axis=2)
    waves = waves - line @ (line.T @ waves)
    sums = np.einsum("fni,n->fi", waves, left)
    grams = np.einsum("fni,fnj->fij", waves, waves) + 1e-9 * np.eye(2)
    solved = np.linalg.solve(grams, sums[:, :, None])[:, :, 0]
    return np.einsum("fi,fi->f", sums, solved), float(left @ left)


def _peak(heights: Any, best: int) -> float:
    """Where the parabola through the highest of them and its neighbours is highest, in places from it."""
    if not 0 < best < len(heights) - 1:
        return 0.0
    before, top, after = heights[best - 1 : best + 2]
    bend = before - 2 * top + after
    return float(0.5 * (before - after) / bend) if bend < 0 else 0.0


def wave(period: float, ordinal: Any, values: Any) -> Iterator[Any]:
    """The columns of a wave, and how it changes with its period: that the period is not known exactly is a coefficient
    like others, which forecasts pay for (Gauss and Newton's linear form). `ordinal` has the point to come too."""
    turns = 2 * np.pi * ordinal / period
    sine, cosine = np.sin(turns), np.cos(turns)
    columns = np.stack([np.ones(len(ordinal)), ordinal, sine, cosine], axis=1)
    *_, of_sine, of_cosine = np.linalg.lstsq(columns[:-1], values, rcond=None)[0]
    yield from (sine, cosine)
    size = max(float(np.hypot(of_sine, of_cosine)), 1e-300)
    yield (ordinal - ordinal.mean()) / len(ordinal) * (of_sine * cosine - of_cosine * sine) / size
