"""Measure detectors: false alarms on clean series, detected incidents, and the cost of a point.

The truth of synthetic series is known, so the probability of a false alarm is computed for every band instead of
counted: n series are as precise as hundreds of times as many single points would be. Seeds from EVALUATION_SEED on are
used for testing; constants in `treaty.engine.anomaly` that were set by hand were set on smaller seeds."""

import argparse
import time
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from itertools import chain, cycle
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from scipy.stats import norm

from treaty.contracts.comparison.threshold_order import ANY, NumericDomain
from treaty.contracts.document.model import Anomalies
from treaty.engine.anomaly.baselines import MetricBaselines
from treaty.engine.anomaly.detector import DetectorBand, detector
from treaty.engine.anomaly.series import DetectionRequest, Series, SeriesPoint

EVALUATION_SEED = 13_000_000
START = datetime(2025, 1, 1, tzinfo=UTC)
DAY = timedelta(days=1)
LENGTHS = (20, 30, 57, 100, 200, 365, 500)
# A rate learned from few points varies widely. Shorter series are less precise and cheaper, so MORE are used.
SHORT, MORE = 60, 3
ALARMS = 3.65
METRICS = 20


class CleanSeries(NamedTuple):
    """A clean series whose last value is tested, with that value's expectation and noise.

    `logged`: they apply to the logarithm."""

    values: Any
    middle: float
    noise: float
    logged: bool = False


def white(at: Any, draw: Any) -> CleanSeries:
    return _added(np.full(len(at), 100.0), draw)


def trend(at: Any, draw: Any) -> CleanSeries:
    return _added(100 + 0.3 * at, draw)


def weekly(at: Any, draw: Any) -> CleanSeries:
    return _added(100 * (1 + 0.2 * np.sin(2 * np.pi * at / 7)), draw)


def monthly(at: Any, draw: Any) -> CleanSeries:
    return _added(100 * (1 + 0.2 * np.sin(2 * np.pi * at / 30)), draw)


def multiplicative(at: Any, draw: Any) -> CleanSeries:
    middle = np.log(100) + 0.002 * at + 0.2 * np.sin(2 * np.pi * at / 7)
    return CleanSeries(np.exp(middle + 0.03 * draw), float(middle[-1]), 0.03, logged=True)


def _added(middle: Any, draw: Any) -> CleanSeries:
    return CleanSeries(middle + 3 * draw, float(middle[-1]), 3.0)


KINDS: dict[str, Callable[[Any, Any], CleanSeries]] = {
    each.__name__: each for each in (white, trend, weekly, monthly, multiplicative)
}  # fmt: skip


def series(values: Sequence[float]) -> Series:
    """Return the values as a daily series."""
    return Series(tuple(SeriesPoint(time=START + at * DAY, value=float(value)) for at, value in enumerate(values)))


def clean_series(kind: str, length: int, seed: int) -> CleanSeries:
    """Return a series of `length` days and the value to test.

    The seed determines the phase."""
    random = np.random.default_rng(EVALUATION_SEED + seed)
    at = np.arange(length + 1) + int(random.integers(0, 210))
    return KINDS[kind](at, random.standard_normal(length + 1))


def band_after(
    name: str, arguments: dict[str, Any], past: Sequence[float], alarms: float = ALARMS
) -> DetectorBand | None:
    """Return the band for the next value; None while the detector is learning."""
    request = DetectionRequest(past=series(past), at=START + len(past) * DAY, false_alarms=alarms)
    result = detector(name, arguments).judge(request)
    return result if isinstance(result, DetectorBand) else None


def chance(band: DetectorBand, of: CleanSeries) -> float:
    """Return the probability that the next clean value falls outside the band."""
    edges = [_scaled(edge, of) for edge in (band.lower, band.upper)]
    low, high = ((edge - of.middle) / of.noise for edge in edges)
    return float(norm.cdf(low) + norm.sf(high))


def _scaled(edge: float | None, of: CleanSeries) -> float:
    number = float(edge or 0.0)
    return float(np.log(max(number, 1e-300))) if of.logged else number


def false_alarms(count: int) -> Iterator[str]:
    """Yield the ratio of actual to nominal false alarms of `auto`.

    By kind and length of series."""
    yield f"False alarms relative to the nominal rate of {ALARMS / 365.25:.4f} (mean, 95 % interval)"
    for kind in KINDS:
        for length in LENGTHS:
            many = count * MORE if length < SHORT else count
            yield f"  {kind:15}{length:4} days, n = {many:4}  {_ratios(kind, length, many)}"


def baselines(count: int) -> Iterator[str]:
    """Yield the ratio of actual to nominal false alarms of Deequ's detectors."""
    yield "Baselines, relative to their nominal rate (0.0027; Holt-Winters, 1.96 standard deviations: 0.05)"
    for kind in ("white", "weekly"):
        for length in (22, 57):
            yield f"  {kind:15}{length:4} days  {_baselines(kind, length, count)}"


def _ratios(kind: str, length: int, count: int) -> str:
    ratios, spent = [], time.process_time()
    for seed in range(count):
        one = clean_series(kind, length, seed * 1009 + length)
        band = band_after("auto", {}, one.values[:-1])
        ratios.append(chance(band, one) / (band.rate or 1) if band else 0.0)
    spent = (time.process_time() - spent) / count * 1000
    return f"auto {_interval_text(ratios)}  {spent:5.1f} ms CPU per point"


def tables(count: int) -> Iterator[str]:
    """Yield the false alarms a year of whole tables.

    Their metrics are of all kinds and share the contract's budget."""
    count, terms = max(10, count // 10), Anomalies()
    yield f"Tables, n = {count} of each length, relative to the contract's false-alarm budget"
    for length in (57, 100, 200):
        ratios, spent = [], time.process_time()
        for seed in range(count):
            ones = [
                clean_series(kind, length, (seed * METRICS + at) * 1013)
                for at, kind in zip(range(METRICS), cycle(KINDS))
            ]
            ratios.append(sum(_yearly(one, terms) for one in ones) / terms.false_alarms)
        spent = (time.process_time() - spent) / count
        promised = f"of {terms.false_alarms:g} a year"
        yield f"  {METRICS} metrics, {length} days: {_interval_text(ratios)} {promised}, {spent:.1f} s CPU per table"


def _yearly(one: CleanSeries, terms: Anomalies) -> float:
    """Return the false alarms a year of one metric, as a validation evaluates it."""
    points = series(one.values[:-1]).points
    at = START + len(points) * DAY
    pasts = MetricBaselines(measured={"metric": points}, succession=[], now=at, terms=terms, metrics=METRICS)
    band = pasts.detect(detector("auto", {}), "metric", None, lambda _: {}, ANY).band
    return chance(band, one) * 365.25 if isinstance(band, DetectorBand) else 0.0


def _baselines(kind: str, length: int, count: int) -> str:
    ratios: dict[str, list[float]] = {"Deequ's online normal": [], "Deequ's Holt-Winters": []}
    for seed in range(count):
        one = clean_series(kind, length, seed * 1009 + length)
        past = one.values[:-1]
        ratios["Deequ's online normal"].append(_online(past, one) / 0.0027)
        ratios["Deequ's Holt-Winters"].append(chance(holt_winters(past), one) / 0.05)
    return "  ".join(f"{name} {_interval_text(each)}" for name, each in ratios.items())


def _interval_text(bounds: Sequence[float]) -> str:
    spread = 1.96 * float(np.std(bounds)) / np.sqrt(len(bounds))
    return f"{np.mean(bounds):5.2f} +- {spread:.2f}"


def _online(past: Any, one: CleanSeries) -> float:
    """Return the false-alarm probability of Deequ's online normal detector.

    It includes the tested value in mean and deviation, so values that alarm lie beyond bounds that depend on them."""
    count, middle, spread = len(past), float(np.mean(past)), float(np.std(past))
    if count < 10:
        return 0.0
    # |x - m| c / (c + 1) > 3 s', s'^2 = (c s^2 + (x - m)^2 c / (c + 1)) / (c + 1)
    away = 3 * spread * np.sqrt((count + 1) / max(count - 9, 1e-9))
    return chance(DetectorBand(lower=middle - away, upper=middle + away), one)


def holt_winters(past: Any, period: int = 7) -> DetectorBand:
    """Return the band of Deequ's Holt-Winters: additive, fitted to squared errors, 1.96 deviations of the *absolute*
    residuals."""
    from scipy.optimize import minimize

    def run(weights: Any) -> tuple[Any, float]:
        return _smoothed(past, period, weights)

    start = (0.3, 0.1, 0.1)
    best = minimize(lambda weights: float(np.sum(run(weights)[0] ** 2)), start, bounds=[(0, 1)] * 3, method="L-BFGS-B")
    errors, expected = run(best.x)
    away = 1.96 * float(np.std(np.abs(errors), ddof=1))
    return DetectorBand(lower=expected - away, upper=expected + away, expected=expected)


def _smoothed(values: Any, period: int, weights: Any) -> tuple[Any, float]:
    alpha, beta, gamma = weights
    level = float(np.mean(values[:period]))
    rise = float(np.sum(values[period : 2 * period]) - np.sum(values[:period])) / period**2
    season = [float(each) - level for each in values[:period]]
    errors = []
    for at, value in enumerate(values):
        expected = level + rise + season[at % period]
        errors.append(value - expected)
        before = level
        level = alpha * (value - season[at % period]) + (1 - alpha) * (level + rise)
        rise = beta * (level - before) + (1 - beta) * rise
        season[at % period] = gamma * (value - before - rise) + (1 - gamma) * season[at % period]
    return np.array(errors), float(level + rise + season[len(values) % period])


def found_drops(count: int) -> Iterator[str]:
    """Yield the share of detected incidents.

    They are a drop of a fifth on a weekly series with an amplitude of a fifth, and a thousandfold value at the eighth
    point."""
    for noise in (1.0, 2.0, 3.0):
        hits_by_detector = {"auto": 0, "online_normal": 0}
        for seed in range(count):
            random = np.random.default_rng(EVALUATION_SEED + 77_000 + seed)
            at = np.arange(57) + int(random.integers(0, 7))
            values = 100 * (1 + 0.2 * np.sin(2 * np.pi * at / 7)) + noise * random.standard_normal(57)
            bad = 0.8 * values[-1]
            for name in hits_by_detector:
                band = band_after(name, {}, values[:-1])
                hits_by_detector[name] += band is not None and not float(band.lower or 0) <= bad <= float(
                    band.upper or 0
                )
        shares = ", ".join(f"{name} {hits / count:.3f}" for name, hits in hits_by_detector.items())
        yield f"A drop of 20 % on weekly series, 57 days, noise {noise:g} %, n = {count}: detected by {shares}"
    hits = 0
    for seed in range(count):
        past = 100 + 3 * np.random.default_rng(EVALUATION_SEED + 88_000 + seed).standard_normal(7)
        band = band_after("auto", {}, past)
        hits += band is not None and float(band.upper or 0) < 100_000
    yield f"A thousandfold value at the eighth point, n = {count}: detected by auto {hits / count:.3f}"


def real(folder: Path) -> Iterator[str]:
    """Yield the alarms of `auto` on real tables, by snapshot, and the known incidents.

    Metrics are rows, null shares and means. `incidents.csv` is in the folder or its parent. Alarms do not stop
    learning, as there is no feedback."""
    import pandas

    incidents_folder = next((each for each in (folder.parent, folder) if (each / "incidents.csv").exists()), None)
    columns = ["table", "snapshot", "kind"]
    incidents = (
        pandas.read_csv(incidents_folder / "incidents.csv") if incidents_folder else pandas.DataFrame(columns=columns)
    )
    for table in sorted(each for each in folder.glob("*/*") if each.is_dir()):
        table_incidents = incidents[incidents["table"] == f"{table.parent.name}/{table.name}"]
        yield from _table(table, dict(zip(table_incidents["snapshot"], table_incidents["kind"], strict=True)))


def _table(table: Path, issues: dict[str, str]) -> Iterator[str]:
    metrics: dict[str, list[SeriesPoint]] = {}
    for path in sorted(table.glob("????-??-??.csv")):
        for name, value in _measured(path).items():
            metrics.setdefault(name, []).append(
                SeriesPoint(time=datetime.fromisoformat(path.stem).replace(tzinfo=UTC), value=value)
            )
    alarms: dict[str, list[str]] = {}
    bands, promised, spent = 0, 0.0, time.process_time()
    for name, points in metrics.items():
        for at, point in enumerate(points):
            request = DetectionRequest(
                past=Series(tuple(points[:at])),
                at=point.time,
                false_alarms=4 / len(metrics),
                domain=NumericDomain(0, 1) if name.startswith("nulls") else ANY,
            )
            band = detector("auto", {}).judge(request)
            if isinstance(band, DetectorBand):
                bands, promised = bands + 1, promised + (band.rate or 0)
                if _is_outside(band, float(point.value or 0)):
                    alarms.setdefault(f"{point.time.date()}", []).append(name)
    spent = (time.process_time() - spent) / max(bands, 1) * 1000
    days = len({point.time for points in metrics.values() for point in points})
    named = f"{table.parent.name}/{table.name}"
    yield f"{named}: {days} snapshots, {len(metrics)} metrics, {bands} bands, {spent:.1f} ms CPU each"
    for kind in sorted(set(issues.values())):
        of = sorted(day for day, its in issues.items() if its == kind)
        missed = [day for day in of if day not in alarms]
        yield f"  {kind}: {len(of) - len(missed)} of {len(of)} detected; missed {', '.join(missed) or 'none'}"
    other = sorted(alarms.keys() - issues.keys())
    raised = sum(len(alarms[day]) for day in other)
    yield f"  other alarms: {raised} on {len(other)} days; {promised:.1f} expected if nothing changed"
    yield from (f"    {day}: {', '.join(alarms[day][:4])} ({len(alarms[day])})" for day in other)


def _is_outside(band: DetectorBand, value: float) -> bool:
    return not float(band.lower or 0) <= value <= float(band.upper or 0)


def _measured(path: Path) -> dict[str, float]:
    import pandas

    try:
        frame = pandas.read_csv(path, low_memory=False)
    except (ValueError, pandas.errors.EmptyDataError):
        return {"rows": 0.0}
    nulls = {f"nulls of {name}": float(share) for name, share in frame.isna().mean().items()} if len(frame) else {}
    numbers = frame.select_dtypes("number").mean().dropna()
    return {"rows": float(len(frame)), **nulls, **{f"mean of {name}": float(mean) for name, mean in numbers.items()}}


PARTS: dict[str, Callable[[int], Iterator[str]]] = {
    "drops": found_drops, "alarms": false_alarms, "tables": tables, "baselines": baselines
}  # fmt: skip


def main() -> None:
    """Print the selected parts; `--history` names the folder with unpacked real tables."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--series", type=int, default=300, help="number of series of each kind and length")
    parser.add_argument("--history", type=Path, help="folder of real tables (SOURCE/TABLE/DATE.csv)")
    parser.add_argument("--only", nargs="*", choices=PARTS, default=list(PARTS))
    chosen = parser.parse_args()
    table_lines = real(chosen.history) if chosen.history else iter(())
    for line in chain(table_lines, *(PARTS[name](chosen.series) for name in chosen.only)):
        print(line, flush=True)


if __name__ == "__main__":
    main()
