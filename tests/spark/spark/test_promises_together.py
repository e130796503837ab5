"""One reading of a real table for several contracts: each finds what it finds alone, none takes another's states."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from support.orders import NOW, check, contract

from treaty.contracts.document.classification import classifies
from treaty.contracts.document.model import Contract
from treaty.engine.core.hash_key import HashKey
from treaty.engine.core.results import RunResult
from treaty.engine.evaluation.evaluator import evaluate, missing_states
from treaty.engine.evaluation.request import EvaluationRequest
from treaty.engine.protocol.requests import MeasureRequest, MeasureResult, TableSource
from treaty.engine.spark.handlers.measure import measure
from treaty.engine.states import bag as bags

DAY = {"name": "day", "partitioned": True, "partitionKeyPosition": 1}
ID, MAIL = {"name": "id", "logicalType": "integer"}, {"name": "mail", "logicalType": "string"}
ORDERS = contract(
    check("mean", "average", column="id", mustBeGreaterOrEqualTo=0),
    check("uniqueness", "ids", column="id", mustBe=1),
    properties=[ID, MAIL, DAY],
)
BILLING = contract(
    check("mean", "average", column="id", mustBeLessThan=20),
    check("count_distinct", "mails", columns="mail", mustBeGreaterThan=1),
    check("completeness", "mail", column="mail", mustBe=1),
    check("maximum", "gone", column="nowhere", mustBe=1),
    properties=[ID, MAIL, DAY, {"name": "nowhere"}],
)
PRIVACY = contract(
    check("maximum", "largest", column="mail", mustBe="c@x"),
    properties=[ID, {**MAIL, "classification": "personal"}, DAY],
)
FAULTY = contract(check("mean", "c", column="idd", mustBe=1), properties=[ID, MAIL, DAY])
KEY = HashKey(bytes(range(32)))


@pytest.fixture(scope="module")
def table(spark: Any, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("together") / "t"
    rows = [(10 * day + at, mail, day) for day in (1, 2) for at, mail in enumerate(("a@x", "b@x", "c@x", None))]
    spark.createDataFrame(rows, "id bigint, mail string, day int").coalesce(1).write.partitionBy("day").parquet(
        str(path)
    )
    return path


def asked(path: Path, *given: Contract, **more: Any) -> MeasureRequest:
    first, *others = given
    classifying = tuple((each.source, "orders") for each in given if classifies(each.object("orders")))
    also = tuple((each.source, "orders") for each in others)
    where = TableSource(str(path), "parquet", ("day",))
    return MeasureRequest(
        source=where,
        contract=first.source,
        object="orders",
        extra_documents=also,
        classifying=classifying,
        key=KEY,
        **more,
    )


def sharing(given: Contract, others: Sequence[Contract]) -> Contract:
    """The contract, whose object knows what others classify."""
    beside = tuple(each.object("orders") for each in others if classifies(each.object("orders")))
    return replace(given, objects=tuple(replace(each, classifying_objects=beside) for each in given.objects))


def judged(given: Contract, measured: MeasureResult, states: dict[str, bytes] | None = None) -> RunResult:
    packed = states or measured.evaluated_states(measured.states)
    return evaluate(
        EvaluationRequest(
            contract=given,
            object_name="orders",
            schema=measured.schema,
            states=packed,
            delta=sorted(packed),
            started_at=NOW,
            finished_at=NOW,
            whole_table_states=measured.whole_table_states,
        )
    )


def told(run: RunResult) -> tuple[Any, ...]:
    return run.verdict, run.results, [(each.identity, each.partition, each.value) for each in run.measurements]


@pytest.mark.parametrize("others", [(BILLING,), (BILLING, FAULTY), (PRIVACY,), (BILLING, PRIVACY, FAULTY)])
def test_each_contract_finds_what_it_finds_alone(spark: Any, table: Path, others: tuple[Contract, ...]) -> None:
    promised = (ORDERS, *others)
    together = measure(spark, asked(table, *promised))
    for each in promised:
        if each is not FAULTY:
            alone = measure(spark, asked(table, each))
            assert told(judged(sharing(each, promised), together)) == told(judged(each, alone))


def test_what_one_contract_classifies_is_kept_of_no_other(spark: Any, table: Path) -> None:
    assert b"a@x" in stored(spark, table, BILLING), "the search finds what is there"
    assert b"a@x" not in stored(spark, table, BILLING, PRIVACY)
    assert b"a@x" not in stored(spark, table, PRIVACY, BILLING)


def stored(spark: Any, table: Path, *promised: Contract) -> bytes:
    """All that is stored, with what lies in it compressed laid open."""
    return _values(dict(measure(spark, asked(table, *promised)).states))


def _values(packed: dict[str, bytes]) -> bytes:
    values = [value for each in packed.values() for value in bags.unpack(each).values.values()]
    return b"".join(str(getattr(each, "table", each)).encode() for each in values)


def test_states_that_one_contract_lacks_are_added_to_those_of_others(spark: Any, table: Path) -> None:
    first = measure(spark, asked(table, ORDERS))
    also = [BILLING.object("orders")]
    held = missing_states(ORDERS, "orders", dict(first.states), key=KEY, also=also)
    assert set(held) == {"day=1", "day=2"}
    known = {"stored_fingerprints": dict(first.fingerprints), "stored_keys": held}
    added = measure(spark, asked(table, ORDERS, BILLING, **known))
    assert (added.states, set(added.added)) == ({}, {"day=1", "day=2"})
    whole = {
        name: bags.combine_readings(first.states[name], packed, keys=held[name]) for name, packed in added.added.items()
    }
    assert missing_states(ORDERS, "orders", whole, key=KEY, also=also) == {}
    for each in (ORDERS, BILLING):
        alone = measure(spark, asked(table, each))
        assert told(judged(each, replace(added, schema=alone.schema), whole)) == told(judged(each, alone))


def test_states_of_open_columns_do_not_outlive_a_contract_that_classifies_them(spark: Any, table: Path) -> None:
    first = measure(spark, asked(table, BILLING))
    shared = sharing(BILLING, (PRIVACY,))
    private = sharing(PRIVACY, (PRIVACY,))
    held = missing_states(shared, "orders", dict(first.states), key=KEY, also=[private.object("orders")])
    assert set(held) == {"day=1", "day=2"}
    known = {"stored_fingerprints": dict(first.fingerprints), "stored_keys": held}
    added = measure(spark, asked(table, BILLING, PRIVACY, **known))
    whole = {
        name: bags.combine_readings(first.states[name], packed, keys=held[name]) for name, packed in added.added.items()
    }
    assert b"a@x" not in _values(whole)
    assert missing_states(shared, "orders", whole, key=KEY, also=[private.object("orders")]) == {}
