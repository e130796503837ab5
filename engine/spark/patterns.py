"""Texts of a table for learning patterns: a bounded uniform sample of its rows, which this process then reads.

Spark samples and cuts; nothing of ours runs in its executors."""

from collections.abc import Mapping
from typing import Any

from contracts.predicates import quote
from contracts.regexes import MAX_SUBJECT
from engine.analyzers.quoting import TEXT
from engine.patterns.sums import spread
from engine.requests import TextsRequest
from engine.spark.sources import read, schema_of

# More than is kept, so that a sample is hardly ever too small.
AMPLE = 1.5
SEED = 20_210_620


def texts(session: Any, request: TextsRequest) -> Mapping[str, tuple[str | None, ...]]:
    """The values of each text column in the rows that were drawn, in the order in which Spark reads them.

    A longer text than patterns look at is cut just beyond that, so that it is still too long. Raises Unreadable."""
    frame = read(session, request.source)
    names = [column.name for column in schema_of(frame) if column.base_type in TEXT]
    wanted = [name for name in names if name in request.columns or not request.columns]
    if not wanted:
        return {}
    cut = [f"left(cast({quote(name)} as string), {MAX_SUBJECT + 1}) as c{at}" for at, name in enumerate(wanted)]
    rows = spread(_drawn(frame.selectExpr(*cut), request.rows), request.rows)
    return {name: tuple(row[at] for row in rows) for at, name in enumerate(wanted)}


def _drawn(frame: Any, most: int) -> list[Any]:
    count = frame.count()
    return frame.collect() if count <= most else _sampled(frame, AMPLE * most / count)


def _sampled(frame: Any, share: float) -> list[Any]:
    return (frame if share >= 1 else frame.sample(fraction=share, seed=SEED)).collect()  # type: ignore[no-any-return]
