"""Run the protocol of the AVH paper, section 5.1: `fit(history, kind) -> model`, `model.flag(snapshot)`.

Precision: thirty windows per sequence, each with the real next snapshot, assumed to be clean (`fpr`; `clean` excludes
the days of labeled incidents). Recall, on the first window: SYNTHETIC, that snapshot with each variation of appendix
B; REAL, the snapshots of the 20 most similar columns. Windows of one column overlap and columns of a table change
together, so intervals resample tables."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol
from zlib import crc32

import numpy

from bench.programs.avh_tables import Sequence as Recurring
from bench.programs.avh_tables import Snapshot
from treaty.engine.programs.injected_issues import variations
from treaty.engine.statistics.column_values import ColumnValues

WINDOWS, FIRST, SIMILAR, DIMENSIONS, DRAWS = 30, 30, 20, 4096, 1000


class Model(Protocol):
    """A model that has learned a history."""

    def flag(self, snapshot: Snapshot) -> bool:
        """Return True if it reports an issue."""


Fit = Callable[[list[Snapshot], str], Model]


@dataclass
class Tally:
    """Tests and how many of them were flagged, by table."""

    tables: dict[str, list[int]] = field(default_factory=lambda: defaultdict(lambda: [0, 0]))

    def add(self, table: str, *, flagged: bool) -> None:
        """Add a test."""
        self.tables[table][0] += flagged
        self.tables[table][1] += 1

    @property
    def tests(self) -> int:
        """Return the number of tests."""
        return sum(count for _, count in self.tables.values())

    @property
    def share(self) -> float:
        """Return the share that was flagged; NaN without tests."""
        return sum(hits for hits, _ in self.tables.values()) / self.tests if self.tests else float("nan")

    def interval(self, seed: int = 0) -> tuple[float, float]:
        """Return the 95 % interval of the share by resampling tables; both ends equal the share for one table."""
        counts = numpy.array(list(self.tables.values()), dtype=float)
        if not len(counts):
            return float("nan"), float("nan")
        at = numpy.random.default_rng(seed).integers(0, len(counts), (DRAWS, len(counts)))
        sums = counts[at].sum(axis=1)
        low, high = numpy.quantile(sums[:, 0] / sums[:, 1], (0.025, 0.975))
        return float(low), float(high)


@dataclass
class Outcome:
    """The results of an algorithm: a tally per kind of column and test, and per issue."""

    tallies: dict[tuple[str, str], Tally] = field(default_factory=lambda: defaultdict(Tally))
    days: dict[tuple[str, str], bool] = field(default_factory=lambda: defaultdict(bool))

    def add(self, kind: str, test: str, table: str, *, flagged: bool) -> None:
        """Add a test of that kind."""
        self.tallies[kind, test].add(table, flagged=flagged)

    def join(self, other: "Outcome") -> None:
        """Add the results of other tables."""
        for key, tally in other.tallies.items():
            self.tallies[key].tables.update(tally.tables)
        self.days.update(other.days)

    def written(self) -> dict[str, Any]:
        """Return the results as JSON data."""
        tallies = [[*key, tally.tables] for key, tally in self.tallies.items()]
        return {"tallies": tallies, "days": [[*key, flagged] for key, flagged in self.days.items()]}

    @staticmethod
    def read(document: Mapping[str, Any]) -> "Outcome":
        """Read results from JSON data."""
        outcome = Outcome()
        for kind, test, tables in document["tallies"]:
            outcome.tallies[kind, test].tables.update(tables)
        outcome.days.update({(table, date): flagged for table, date, flagged in document["days"]})
        return outcome


def evaluate_table(
    sequences: Sequence[Recurring], alike: Sequence[Sequence[int]], fits: Mapping[str, Fit], length: int, stride: int,
    table: str,
) -> dict[str, Outcome]:  # fmt: skip
    """Evaluate each algorithm on the columns of a table, with the same random variations."""
    outcomes = {name: Outcome() for name in fits}
    for at, sequence in enumerate(sequences):
        if sequence.table != table:
            continue
        synthetic_snapshots = list(synthetic(sequence, at))
        near = [sequences[other].snapshots[FIRST] for other in alike[at]]
        for name, fit in fits.items():
            _precision(outcomes[name], sequence, fit, length, stride)
            model = fit(sequence.snapshots[FIRST - length : FIRST], sequence.kind)
            _recall(outcomes[name], sequence, model, synthetic_snapshots, near)
    return outcomes


def _precision(outcome: Outcome, recurring: Recurring, fit: Fit, length: int, stride: int) -> None:
    for last in range(FIRST, FIRST + WINDOWS, stride):
        arriving = recurring.snapshots[last]
        flagged = fit(recurring.snapshots[last - length : last], recurring.kind).flag(arriving)
        outcome.add(recurring.kind, "fpr", recurring.table, flagged=flagged)
        if arriving.date not in recurring.labelled:
            outcome.add(recurring.kind, "clean", recurring.table, flagged=flagged)
        outcome.days[recurring.table, arriving.date] |= flagged


def _recall(
    outcome: Outcome,
    recurring: Recurring,
    model: Model,
    snapshots: Iterable[tuple[str, Snapshot]],
    near: Iterable[Snapshot],
) -> None:
    for issue, snapshot in snapshots:
        flagged = model.flag(snapshot)
        outcome.add(recurring.kind, "synthetic", recurring.table, flagged=flagged)
        outcome.add(recurring.kind, issue, recurring.table, flagged=flagged)
    for snapshot in near:
        outcome.add(recurring.kind, "real", recurring.table, flagged=model.flag(snapshot))


def synthetic(recurring: Recurring, seed: int) -> Iterable[tuple[str, Snapshot]]:
    """Yield the next snapshot of the first window with each of the paper's variations.

    Random draws differ from those used in learning. Real nulls, which the paper does not have, are left out."""
    arriving = recurring.snapshots[FIRST]
    neighbour = recurring.neighbour[FIRST].column.values if recurring.neighbour else None
    column = ColumnValues(arriving.column.values, neighbour)
    for each in variations(column, numpy.random.default_rng([seed, 7919])):
        if each.issue.name != "nulls":
            yield each.issue.name, Snapshot(ColumnValues(each.values), arriving.date)


def similar(sequences: Sequence[Recurring]) -> list[list[int]]:
    """Return for each sequence the 20 most similar ones at the first tested snapshot.

    Similar in content, and never the same column."""
    similar_positions: list[list[int]] = [[] for _ in sequences]
    for kind in ("numeric", "categorical"):
        places = [at for at, each in enumerate(sequences) if each.kind == kind]
        if len(places) < 2:
            continue
        vectors = numpy.array([content(sequences[at].snapshots[FIRST].column) for at in places])
        cosines = vectors @ vectors.T
        for row, at in enumerate(places):
            ordered = [other for other in numpy.argsort(-cosines[row], kind="stable")
                      if sequences[places[other]].same != sequences[at].same]  # fmt: skip
            similar_positions[at] = [places[other] for other in ordered[:SIMILAR]]
    return similar_positions


def content(column: ColumnValues) -> Any:
    """Return a column's values as a hashed vector of length 1; numbers also by magnitude."""
    vector = numpy.zeros(DIMENSIONS)
    values = column.values[column.present].tolist()
    for value in values:
        vector[crc32(repr(value).encode()) % DIMENSIONS] += 1
        if not column.is_text and value:
            vector[crc32(f"m{round(4 * numpy.log10(abs(value)))}".encode()) % DIMENSIONS] += 1
    norm = numpy.linalg.norm(vector)
    return vector / norm if norm else vector
