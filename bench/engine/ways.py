"""Time the basic and the advanced test: hand-written statements and verified contracts."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.core.clock import Cost, interleaved, median
from bench.engine import statements
from bench.engine.spark_work import Work, work
from treaty.contracts.document.model import Contract
from treaty.engine.protocol.requests import TableSource
from treaty.engine.session.verify import verify
from treaty.engine.spark.sources.readers import read

BY_HAND = "by hand"
SKETCHES = "by hand, with sketches"
SCANNED = "treaty"
PARTED = "treaty, by partition"
COUNTED = "treaty, file statistics"
ADVANCED = "treaty, advanced"
ADVANCED_COUNTED = "treaty, advanced, file statistics"


@dataclass(frozen=True)
class Bench:
    """The session, the table's path and its frame, which is also the view `orders`."""

    session: Any
    path: Path
    frame: Any

    def by_hand(self, statement: str) -> Callable[[], Any]:
        return lambda: self.session.sql(statement).collect()

    def verified(self, contract: Contract, *by: str) -> Callable[[], Any]:
        return lambda: verify(self.frame, contract, partition_by=by)

    def counted(self, contract: Contract) -> Callable[[], Any]:
        """Return the same as `verified`, but using the counts of file footers."""
        return lambda: verify(self.frame, contract, partition_by=(), statistics=str(self.path))

    def ways(self) -> dict[str, Callable[[], Any]]:
        """Return every way by name; those of one key are statements of one grouping."""
        basic, advanced = statements.basic(self.frame.columns), statements.advanced(self.frame.columns)
        return {
            BY_HAND: self.by_hand(statements.BASIC),
            SKETCHES: self.by_hand(statements.BASIC_SKETCHED),
            **{f"by hand, {keys}": self.by_hand(text) for keys, text in statements.GROUPED.items()},
            SCANNED: self.verified(basic),
            PARTED: self.verified(basic, "day"),
            COUNTED: self.counted(basic),
            ADVANCED: self.verified(advanced),
            ADVANCED_COUNTED: self.counted(advanced),
        }


def opened(session: Any, path: Path) -> Bench:
    """Open the table at the path."""
    frame = read(session, TableSource(str(path), "parquet"))
    frame.createOrReplaceTempView(statements.TABLE)
    return Bench(session, path, frame)


def works(bench: Bench) -> dict[str, Work]:
    """Return jobs, stages and scans of every way, each run once. Raises AssertionError if results differ."""
    done = {name: work(bench.session, run) for name, run in bench.ways().items()}
    _compare({name: answer for name, (_, answer) in done.items()})
    return {name: did for name, (did, _) in done.items()}


def _compare(answers: Mapping[str, Any]) -> None:
    """Assert that the contract's numbers equal those of the statements; sketches within 5 %."""
    basic = [float(value) for value in answers[BY_HAND][0]]
    keyed = [float(value) for keys in statements.GROUPED for value in answers[f"by hand, {keys}"][0]]
    exact = len(basic) - len(statements.DISTINCT) - 1
    for name in (SCANNED, COUNTED, ADVANCED, ADVANCED_COUNTED):
        values = [float(each.value) for each in answers[name].results if each.measurement]
        assert values[:exact] == basic[:exact], (name, values, basic)
        assert all(abs(a / b - 1) < 0.05 for a, b in zip(values, basic, strict=False)), (name, values, basic)
        assert values[len(basic) :] in ([], keyed), (name, values[len(basic) :], keyed)


def costs(bench: Bench, *, rounds: int) -> dict[str, Cost]:
    """Return the median cost of every way."""
    return {name: median(spent) for name, spent in interleaved(bench.ways(), rounds=rounds).items()}
