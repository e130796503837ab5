"""What triggers said of an object: equal ones once, and which columns its table was given last."""

from typing import Any

import pytest

from treaty.registry.queue import pending_triggers


def said(*columns: str, minute: int, **more: Any) -> dict[str, Any]:
    """That a table was given these columns, at that minute."""
    of = {"columns": [[each, "long"] for each in columns], "at": f"2026-03-01T12:{minute:02}:00+00:00"}
    return {"reads": "schema", "lineage_run_id": f"run-{minute}", **of, **more}


WRITTEN = {"reads": "data", "lineage_run_id": "run-9"}
COLUMNS = {
    "nothing of them": ([WRITTEN], None),
    "once": ([said("id", minute=1)], [("id", "long")]),
    "twice": ([said("id", minute=2), said("old", minute=1)], [("id", "long")]),
    "of two tables": ([said("old", minute=1, dataset="a"), said("id", minute=2, dataset="b")], [("id", "long")]),
    "without saying which": ([said(minute=1)], []),
    "without saying which any more": ([said("id", minute=1), said(minute=2)], []),
    "without saying which at first": ([said("id", minute=2), said(minute=1)], [("id", "long")]),
    "beside data": ([WRITTEN, said(minute=1), WRITTEN], []),
}


@pytest.mark.parametrize(("told_of", "columns"), COLUMNS.values(), ids=COLUMNS)
def test_the_columns_are_those_that_were_told_of_last(told_of: list[Any], columns: list[Any] | None) -> None:
    kept: list[dict[str, Any]] = []
    for seq, each in enumerate(told_of):
        kept = pending_triggers.added(kept, each, seq)
    assert pending_triggers.columns(kept) == columns
