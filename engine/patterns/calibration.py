"""How often promises like this one raised a false alarm: counted by replay over columns of the lake.

Of each column the first rows are learned from and the others judged, as validation would. Promises with equal traits
are one cell, and of each cell it is counted how often more than a given share of the later rows did not conform: sums
again, so that calibrations add up and tables may come and go. A cell of few columns leans on the coarser one above it.

What else a pattern would let pass is counted on a background: looks of values of other columns, in which each letter
is `a` or `A` and each digit `0`, so that no value is kept."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b

from engine.patterns.candidates import Candidate, Match, candidates, matcher, nonconforming
from engine.patterns.nonconforming import Counts, critical
from engine.patterns.sums import Sums, first_rows, spread

# The shares of non-conforming values above which a promise may alarm.
FLOORS = (0.1, 0.25, 0.4, 0.5, 0.6, 0.75, 0.9)
LEAST_ROWS = 40
LEANS = 4.0
FEARED = 0.1
BACKGROUND = 250
LOOKS = 16
MOST_REPLAYED = 1000
_UPPER, _LOWER, _DIGIT = re.compile("[A-Z]"), re.compile("[a-z]"), re.compile("[0-9]")
_BEYOND = re.compile("[\u00a1-\U0010ffff]")


@dataclass(frozen=True)
class Calibration:
    """For each cell how many promises were replayed, and of how many the later rows exceeded each floor."""

    cells: Mapping[str, tuple[float, ...]] = field(default_factory=dict)

    def alarms(self, candidate: Candidate) -> tuple[float, ...]:
        """For each floor the chance of a false alarm."""
        estimate = (FEARED,) * len(FLOORS)
        for key in candidate.keys:
            replayed, *exceeded = self.cells.get(key, (0.0,) * (1 + len(FLOORS)))
            estimate = tuple(
                (count + LEANS * above) / (replayed + LEANS) for count, above in zip(exceeded, estimate, strict=True)
            )
        return estimate


def added(parts: Iterable[Calibration]) -> Calibration:
    """All their columns together."""
    cells: dict[str, tuple[float, ...]] = {}
    for part in parts:
        for key, counts in part.cells.items():
            before = cells.get(key)
            cells[key] = tuple(map(sum, zip(before, counts, strict=True))) if before else counts
    return Calibration(cells)


def replay(columns: Iterable[Sequence[str]], sums: Sums) -> Calibration:
    """The counts of columns, each given by its values in their order; columns of few values count nothing."""
    return added(_replayed(values, sums) for values in columns if len(values) >= LEAST_ROWS)


def _replayed(values: Sequence[str], sums: Sums) -> Calibration:
    first = first_rows(len(values))
    later = values[first:]
    cells = {}
    for candidate in candidates(values[:first], sums):
        counts = exceeded(candidate, matcher(candidate.pattern), later)
        cells.update(dict.fromkeys(candidate.keys, counts))
    return Calibration(cells)


def exceeded(candidate: Candidate, match: Match, later: Sequence[str]) -> tuple[float, ...]:
    """1, and for each floor 1 where the later values would alarm, else 0."""
    judged = nonconforming(match, later)
    least = critical(candidate.trained, judged.of)
    significant = least is not None and judged.bad >= least
    return 1.0, *(float(significant and judged.share > floor) for floor in FLOORS)


@dataclass(frozen=True)
class Background:
    """Looks of values of columns of the lake, by a stable number for each column: those of the smallest numbers."""

    columns: Mapping[int, tuple[str, ...]] = field(default_factory=dict)

    def passes(self, match: Match) -> tuple[float, ...]:
        """For each floor the share of these columns that a promise would let pass in place of its own."""
        verdicts: dict[str, bool] = {}
        shares = []
        for looks in self.columns.values():
            for look in looks:
                if look not in verdicts:
                    verdicts[look] = bool(match(look))
            shares.append(sum(not verdicts[look] for look in looks) / len(looks))
        return tuple(sum(share <= floor for share in shares) / max(1, len(shares)) for floor in FLOORS)


def background(columns: Iterable[Sequence[str]]) -> Background:
    """The looks of a stable choice of these columns."""
    return among([Background({_number(values): _looks(values)}) for values in columns if values])


def among(parts: Iterable[Background]) -> Background:
    """The choice of all their columns together."""
    together = {number: looks for part in parts for number, looks in part.columns.items()}
    return Background({number: together[number] for number in sorted(together)[:BACKGROUND]})


def _number(values: Sequence[str]) -> int:
    text = "\0".join(spread(values, LOOKS)).encode("utf-8", "replace")
    return int.from_bytes(blake2b(text, digest_size=8).digest())


def _looks(values: Sequence[str]) -> tuple[str, ...]:
    return tuple(map(look, spread(values, LOOKS)))


def look(value: str) -> str:
    """A value with `A`, `a`, `0` and `é` in place of its letters, digits and what lies beyond ASCII."""
    plain = _DIGIT.sub("0", _LOWER.sub("a", _UPPER.sub("A", value[:1024])))
    return _BEYOND.sub("é", plain)
