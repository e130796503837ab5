"""A small table of orders: its schema, contracts on it, and runs that judge them without Spark."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from support.bags import Columns, bag

from treaty.contracts.document.model import Contract
from treaty.contracts.document.reader import read
from treaty.contracts.document.writer import write
from treaty.contracts.schema import Column, Schema
from treaty.engine.checks.binding import bind
from treaty.engine.core.results import CheckResult, RunResult
from treaty.engine.evaluation.evaluator import evaluate
from treaty.engine.evaluation.request import EvaluationRequest
from treaty.engine.states.bag import StateBag

NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)
SCHEMA = Schema((Column("id", "bigint"), Column("amount", "double"), Column("status", "string")))
PROPERTIES = [
    {"name": "id", "logicalType": "integer"},
    {"name": "amount", "logicalType": "number"},
    {"name": "status", "logicalType": "string"},
]
ROWS = {"id": [1, 2, 3, 4], "amount": [5.0, 0.0, 2.5, None], "status": ["new", "paid", "paid", "new"]}


def check(
    analyzer: str | None = None, check_id: str = "c", severity: str = "error", **implementation: Any
) -> dict[str, Any]:
    """A quality entry of Treaty's own."""
    words = {"analyzer": analyzer, **implementation}
    return {"id": check_id, "type": "custom", "engine": "treaty", "severity": severity, "implementation": words}


def contract(
    *checks: Mapping[str, Any], properties: Sequence[Mapping[str, Any]] = PROPERTIES, **terms: Any
) -> Contract:
    """The contract of the object `orders` with these checks on the table, and with Treaty's own terms."""
    table = {"name": "orders", "logicalType": "object", "properties": list(properties), "quality": list(checks)}
    head = {"apiVersion": "v3.1.0", "kind": "DataContract", "id": "orders", "name": "orders", "version": "1.0.0"}
    own = {"customProperties": [{"property": "treaty", "value": terms}]} if terms else {}
    return read(write({**head, "status": "active", "schema": [table], **own}))


def on(column: str, **words: Any) -> list[dict[str, Any]]:
    """The properties with more words on one of them."""
    return [{**each, **words} if each["name"] == column else each for each in PROPERTIES]


def states(
    given: Contract, columns: Columns, schema: Schema = SCHEMA, failures: Mapping[str, str] | None = None
) -> StateBag:
    """The states that the contract's checks need, over the columns."""
    return bag(bind(given.object("orders"), schema).plan, schema, columns, failures=failures)


def run(
    given: Contract, delta: Mapping[str, StateBag], earlier: Mapping[str, StateBag] | None = None, **more: Any
) -> RunResult:
    """The run that judges the new partitions among the earlier ones, of which there is only what is stored."""
    stored = {name: each.pack() for name, each in (earlier or {}).items()}
    packed = {**stored, **{name: each.dump_all() for name, each in delta.items()}}
    return evaluate(
        EvaluationRequest(
            contract=given,
            object_name="orders",
            states=packed,
            delta=sorted(delta),
            started_at=NOW,
            finished_at=NOW,
            **more,
        )
    )


def result(of: RunResult, check_id: str = "c") -> CheckResult:
    """The one result of the check."""
    (found,) = [each for each in of.results if each.check_id == check_id]
    return found


def judged(given: Contract, columns: Columns = ROWS, check_id: str = "c") -> CheckResult:
    """The result of one check on the rows as one partition."""
    return result(run(given, {"": states(given, columns)}), check_id)
