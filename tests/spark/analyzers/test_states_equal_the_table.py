"""Random tables, parted, written, replaced, appended to and deleted in random order: states say what the table says.

All histories are read at once: the deltas of each by one scan, and what is left of each in the end by another."""

import os
import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from treaty.engine.analyzers.association import Correlation, Entropy
from treaty.engine.analyzers.base import Analyzer
from treaty.engine.analyzers.distinct import ApproxCountDistinct, CountDistinct, DuplicateRows, PrimaryKey, Uniqueness
from treaty.engine.analyzers.nulls import Completeness
from treaty.engine.analyzers.numbers import Maximum, Mean, Minimum, StandardDeviation, Sum
from treaty.engine.analyzers.quantiles import ApproxQuantile
from treaty.engine.analyzers.rows import Compliance, Size
from treaty.engine.core.partitions import partition_names
from treaty.engine.spark.scan.scanner import scan
from treaty.engine.spark.sources.readers import schema_of
from treaty.engine.states import bag as bags
from treaty.engine.states.bag import StateBag
from treaty.engine.states.planning.scan_plan import plan
from treaty.engine.states.state_files import StateFiles

HISTORIES = int(os.environ.get("FUZZ_HISTORIES", "40"))
SEED = 20261121
VALUES: Mapping[str, tuple[str, list[Any]]] = {
    "whole": ("bigint", [None, 0, 1, -7, 2**62, 2**62, -(2**62)]),
    "real": ("double", [None, 0.0, -0.0, 1.5, -2.25, 1e300, float("nan")]),
    "exact": ("decimal(20,4)", [None, Decimal("0.0001"), Decimal("-3.5000"), Decimal("9999999999999999.9999")]),
    "text": ("string", [None, "", "a", "A", "ä", "null", "a=b/c"]),
    "day": ("date", [None, date(1969, 12, 31), date(2026, 2, 28), date(2026, 3, 1)]),
    "moment": ("timestamp", [None, datetime(2026, 1, 1), datetime(1970, 1, 1, 0, 0, 1)]),
}
PARTS = ["1", "2", None, "a/b"]
ONLY = "whole > 0 or text is null"
ANALYZERS: list[Analyzer] = [
    Size(), Size(where=ONLY), Compliance(predicate="real >= 0", where=ONLY), Mean(column="whole"),
    Mean(column="exact", where=ONLY), Sum(column="exact"), StandardDeviation(column="exact"),
    *(Completeness(column=name) for name in VALUES), *(Minimum(column=name) for name in VALUES),
    *(Maximum(column=name, where=ONLY) for name in VALUES), *(ApproxCountDistinct(column=name) for name in VALUES),
    *(CountDistinct(columns=(name,)) for name in VALUES), CountDistinct(columns=("text", "whole"), where=ONLY),
    Uniqueness(columns=("real", "text")), Uniqueness(columns=("text",), where=ONLY), DuplicateRows(columns=("day",)),
    Correlation(column="whole", other="real"), PrimaryKey(columns=("whole", "moment")), Entropy(column="text"),
    Entropy(column="real", where=ONLY),
    ApproxQuantile(column="whole", quantile=0.5), ApproxQuantile(column="exact", quantile=0.9),
]  # fmt: skip
# Sums of doubles depend on their order in the last digits; all else is exact on tables as small as these.
NEAR = (Mean, StandardDeviation, Entropy, Correlation)
Row = tuple[Any, ...]


@dataclass
class History:
    """What became of a table: `written` are the rows of each delta, `held` by partition the deltas that are there."""

    written: list[tuple[str | None, list[Row]]] = field(default_factory=list)
    held: dict[str | None, list[int]] = field(default_factory=dict)

    def write(self, rng: random.Random, part: str | None, *, more: bool) -> None:
        """Writes a partition anew, or `more` to it."""
        rows = [tuple(rng.choice(values) for _, values in VALUES.values()) for _ in range(rng.randint(0, 12))]
        before = self.held.get(part, []) if more else []
        self.held[part] = [*before, len(self.written)]
        self.written.append((part, rows))

    def delete(self, part: str | None) -> None:
        """Takes a partition out of the table."""
        self.held.pop(part, None)

    @property
    def left(self) -> list[int]:
        """The deltas that the table has in the end."""
        return [delta for deltas in self.held.values() for delta in deltas]


def history(seed: int) -> History:
    rng, made = random.Random(seed), History()
    for _ in range(rng.randint(1, 12)):
        part, event = rng.choice(PARTS), rng.choice(["write", "write", "more", "more", "delete"])
        if event == "delete":
            made.delete(part)
        else:
            made.write(rng, part, more=event == "more")
    return made


def frame(spark: Any, rows: list[Row], columns: str) -> Any:
    types = ", ".join(f"{name} {kind}" for name, (kind, _) in VALUES.items())
    return spark.createDataFrame(rows, f"{columns}, {types}")


@dataclass(frozen=True)
class Read:
    """The histories, their deltas' states by history, delta and partition, and the states of what is left."""

    histories: list[History]
    deltas: Mapping[str, StateBag]
    tables: Mapping[str, StateBag]
    bound: list[Any]


@pytest.fixture(scope="module")
def read(spark: Any) -> Read:
    given = [history(SEED + at) for at in range(HISTORIES)]
    written = [
        (at, delta, part, *row)
        for at, each in enumerate(given)
        for delta, (part, rows) in enumerate(each.written)
        for row in rows
    ]
    left = [(at, *row) for at, each in enumerate(given) for delta in each.left for row in each.written[delta][1]]
    deltas = frame(spark, written, "history int, delta int, part string")
    tables = frame(spark, left, "history int")
    bound = [each.bind(schema_of(tables)) for each in ANALYZERS]
    names = [_name(at, delta, part) for at, each in enumerate(given) for delta, (part, _) in enumerate(each.written)]
    wanted = plan(bound)
    return Read(
        given,
        scan(deltas, wanted, partition_by=("history", "delta", "part"), expected=names),
        scan(tables, wanted, partition_by=("history",), expected=[f"history={at}" for at in range(len(given))]),
        bound,
    )


def _name(at: int, delta: int, part: str | None) -> str:
    return partition_names.name(("history", "delta", "part"), [str(at), str(delta), part])


def together(read: Read, at: int, kept: Callable[[StateBag], StateBag]) -> StateBag | None:
    """The states of what is left of a history, merged in another order than it came in."""
    made = read.histories[at]
    order = random.Random(at).sample(made.left, len(made.left))
    return bags.merge(kept(read.deltas[_name(at, delta, made.written[delta][0])]) for delta in order)


def test_states_of_what_is_left_say_what_the_table_says(read: Read, tmp_path: Path) -> None:
    files, wrong, judged = StateFiles(str(tmp_path)), [], 0
    for at in range(len(read.histories)):
        merged = together(read, at, lambda bag: bags.unpack(bag.pack(files), files))
        if merged is None:
            assert read.tables[f"history={at}"].rows == 0
            continue
        for bound in read.bound:
            found, expected = (bound.read(each.values).value for each in (merged, read.tables[f"history={at}"]))
            judged += expected is not None
            if not _agree(bound.analyzer, found, expected):
                wrong.append((at, bound.analyzer.identity, found, expected))
    assert wrong == []
    assert judged > 20 * len(read.histories)


def _agree(analyzer: Analyzer, found: Any, expected: Any) -> bool:
    if isinstance(expected, float) and isinstance(analyzer, NEAR):
        return bool(found == pytest.approx(expected, rel=1e-9, abs=1e-12, nan_ok=True))
    return bool(found == expected) or (found != found and expected != expected)


def test_the_histories_hold_what_they_are_made_for(read: Read) -> None:
    assert any(len(deltas) > 2 for each in read.histories for deltas in each.held.values())
    assert any(None in each.held for each in read.histories)
    assert any(len(each.left) < len(each.written) for each in read.histories)
    assert any(not each.left for each in read.histories)
