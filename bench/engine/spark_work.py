"""Count Spark's jobs, stages and file scans for a piece of work.

The numbers come from Spark's own query records."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Work:
    """Numbers of jobs, of executed stages, and of file scans in the executed plans."""

    jobs: int
    stages: int
    scans: int


def work(session: Any, run: Callable[[], Any]) -> tuple[Work, Any]:
    """Return the Spark work of one run and its result.

    Classic Spark only: Spark Connect keeps no such record for its client."""
    store = session._jsparkSession.sharedState().statusStore()
    before = store.executionsCount()
    answer = run()
    session.sparkContext._jsc.sc().listenerBus().waitUntilEmpty()
    queries = list(_each(store.executionsList()))[before:]
    did = Work(
        jobs=sum(query.jobs().size() for query in queries),
        stages=sum(query.stages().size() for query in queries),
        scans=sum(_scans(store.planGraph(query.executionId())) for query in queries),
    )
    return did, answer


def _scans(graph: Any) -> int:
    return sum(node.name().startswith(("Scan parquet", "BatchScan")) for node in _each(graph.allNodes()))


def _each(sequence: Any) -> Iterator[Any]:
    return (sequence.apply(at) for at in range(sequence.size()))
