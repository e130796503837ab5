"""What is read ends with its jobs where someone cancels them: no check is to blame."""

from types import SimpleNamespace

import pytest
from support.cancelling import Cancelled, cancelled
from support.orders import check, contract

from treaty.contracts.schema import Column, Schema
from treaty.engine.analyzers.queries import Sql
from treaty.engine.checks.binding import bind
from treaty.engine.spark.scan import separate_statements, violating_rows

SCHEMA = Schema((Column("id", "bigint"), Column("status", "string")))
FRAME = SimpleNamespace(sparkSession=SimpleNamespace(sql=cancelled))


def test_a_query_that_is_cancelled_does_not_fail_alone() -> None:
    part = Sql(query="SELECT count(*) FROM {object}").bind(SCHEMA).parts["answer"]
    with pytest.raises(Cancelled):
        separate_statements.read(FRAME, part, separate_statements.NONE)


def test_rows_whose_reading_is_cancelled_are_not_unreadable(monkeypatch: pytest.MonkeyPatch) -> None:
    promised = contract(check("compliance", "small", predicate="id < 1", mustBe=1))
    monkeypatch.setattr(violating_rows, "marked", cancelled)
    with pytest.raises(Cancelled):
        violating_rows.sample(FRAME, bind(promised.object("orders"), SCHEMA), {"small": []})
