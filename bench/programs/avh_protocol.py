"""The protocol of the AVH paper, section 5.1, on any tables: `fit(history, kind) -> model`, `model.flag(snapshot)`.

Precision: thirty windows a sequence, and the real snapshot that comes next, taken to be clean (`fpr`; `clean`: without
the days of labelled incidents). Recall, on the first
window: SYNTHETIC, that snapshot with each variation of appendix B; REAL, the snapshots of the 20 columns that are most
like it. Windows of one column overlap and columns of a table move together: intervals are of tables drawn again."""

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
    """What has learned a history."""

    def flag(self, snapshot: Snapshot) -> bool:
        """Whether it reports an issue."""


Fit = Callable[[list[Snapshot], str], Model]


@dataclass
class Tally:
    """Tests and how many of them were flagged, by table."""

    tables: dict[str, list[int]] = field(default_factory=lambda: defaultdict(lambda: [0, 0]))

    def add(self, table: str, *, flagged: bool) -> None:
        """One more test."""
        self.tables[table][0] += flagged
        self.tables[table][1] += 1

    @property
    def tests(self) -> int:
        """How many there were."""
        return sum(count for _, count in self.tables.values())

    @property
    def share(self) -> float:
        """The share that was flagged; NaN for no test."""
        return sum(hits for hits, _ in self.tables.values()) / self.tests if self.tests else float("nan")

    def interval(self, seed: int = 0) -> tuple[float, float]:
        """Where 95 % of the shares lie when tables are drawn again; of one table both are its share."""
        drawn = numpy.array(list(self.tables.values()), dtype=float)
        if not len(drawn):
            return float("nan"), float("nan")
        at = numpy.random.default_rng(seed).integers(0, len(drawn), (DRAWS, len(drawn)))
        sums = drawn[at].sum(axis=1)
        low, high = numpy.quantile(sums[:, 0] / sums[:, 1], (0.025, 0.975))
        return float(low), float(high)


@dataclass
class Outcome:
    """What an algorithm did: a tally for each kind of column and of test, and of each issue."""

    tallies: dict[tuple[str, str], Tally] = field(default_factory=lambda: defaultdict(Tally))
    days: dict[tuple[str, str], bool] = field(default_factory=lambda: defaultdict(bool))

    def add(self, kind: str, test: str, table: str, *, flagged: bool) -> None:
        """One more test of that kind."""
        self.tallies[kind, test].add(table, flagged=flagged)

    def join(self, other: "Outcome") -> None:
        """What the algorithm did with other tables, too."""
        for key, tally in other.tallies.items():
            self.tallies[key].tables.update(tally.tables)
        self.days.update(other.days)

    def written(self) -> dict[str, Any]:
        """It as plain data."""
        tallies = [[*key, tally.tables] for key, tally in self.tallies.items()]
        return {"tallies": tallies, "days": [[*key, flagged] for key, flagged in self.days.items()]}

    @staticmethod
    def read(given: Mapping[str, Any]) -> "Outcome":
        """What was written."""
        found = Outcome()
        for kind, test, tables in given["tallies"]:
            found.tallies[kind, test].tables.update(tables)
        found.days.update({(table, date): flagged for table, date, flagged in given["days"]})
        return found


def evaluate_table(
    sequences: Sequence[Recurring], alike: Sequence[Sequence[int]], fits: Mapping[str, Fit], length: int, stride: int,
    table: str,
) -> dict[str, Outcome]:  # fmt: skip
    """What each algorithm does with the columns of a table: all in one pass, on the same draws."""
    found = {name: Outcome() for name in fits}
    for at, given in enumerate(sequences):
        if given.table != table:
            continue
        drawn = list(synthetic(given, at))
        near = [sequences[other].snapshots[FIRST] for other in alike[at]]
        for name, fit in fits.items():
            _precision(found[name], given, fit, length, stride)
            model = fit(given.snapshots[FIRST - length : FIRST], given.kind)
            _recall(found[name], given, model, drawn, near)
    return found


def _precision(found: Outcome, given: Recurring, fit: Fit, length: int, stride: int) -> None:
    for last in range(FIRST, FIRST + WINDOWS, stride):
        arriving = given.snapshots[last]
        flagged = fit(given.snapshots[last - length : last], given.kind).flag(arriving)
        found.add(given.kind, "fpr", given.table, flagged=flagged)
        if arriving.date not in given.labelled:
            found.add(given.kind, "clean", given.table, flagged=flagged)
        found.days[given.table, arriving.date] |= flagged


def _recall(
    found: Outcome, given: Recurring, model: Model, drawn: Iterable[tuple[str, Snapshot]], near: Iterable[Snapshot]
) -> None:
    for issue, snapshot in drawn:
        flagged = model.flag(snapshot)
        found.add(given.kind, "synthetic", given.table, flagged=flagged)
        found.add(given.kind, issue, given.table, flagged=flagged)
    for snapshot in near:
        found.add(given.kind, "real", given.table, flagged=model.flag(snapshot))


def synthetic(given: Recurring, seed: int) -> Iterable[tuple[str, Snapshot]]:
    """The next snapshot of the first window with each of the paper's variations, drawn apart from any that is learned.

    Real nulls, which the paper has none of, are not among them."""
    arriving = given.snapshots[FIRST]
    beside = given.neighbour[FIRST].column.values if given.neighbour else None
    column = ColumnValues(arriving.column.values, beside)
    for each in variations(column, numpy.random.default_rng([seed, 7919])):
        if each.issue.name != "nulls":
            yield each.issue.name, Snapshot(ColumnValues(each.values), arriving.date)


def similar(sequences: Sequence[Recurring]) -> list[list[int]]:
    """For each sequence the 20 most like it in content at the first tested snapshot; never the same column."""
    found: list[list[int]] = [[] for _ in sequences]
    for kind in ("numeric", "categorical"):
        places = [at for at, each in enumerate(sequences) if each.kind == kind]
        if len(places) < 2:
            continue
        vectors = numpy.array([content(sequences[at].snapshots[FIRST].column) for at in places])
        cosines = vectors @ vectors.T
        for row, at in enumerate(places):
            others = [other for other in numpy.argsort(-cosines[row], kind="stable")
                      if sequences[places[other]].same != sequences[at].same]  # fmt: skip
            found[at] = [places[other] for other in others[:SIMILAR]]
    return found


def content(column: ColumnValues) -> Any:
    """The values of a column as a vector of length 1: hashed, of numbers their magnitudes too."""
    vector = numpy.zeros(DIMENSIONS)
    given = column.values[column.present].tolist()
    for value in given:
        vector[crc32(repr(value).encode()) % DIMENSIONS] += 1
        if not column.is_text and value:
            vector[crc32(f"m{round(4 * numpy.log10(abs(value)))}".encode()) % DIMENSIONS] += 1
    norm = numpy.linalg.norm(vector)
    return vector / norm if norm else vector
