"""References that drafts suggest: of columns named after a key, or that sketches hold against it, where every value is
among the key's."""

from pathlib import Path
from typing import Any

import pytest

from treaty.engine.protocol.requests import DraftRequest, ReferableKey, TableSource
from treaty.engine.spark.handlers.draft import draft

CONTRACT = """apiVersion: v3.1.0
kind: DataContract
id: orders
version: 1.0.0
status: active
schema: [{name: orders, properties: [{name: customer_id, classification: restricted}]}]
"""


@pytest.fixture(scope="module")
def shop(spark: Any, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Customers, of whom some have orders by day; one order has a shop that there is not, and all lack an agent."""
    home = tmp_path_factory.mktemp("shop")
    spark.range(100).selectExpr("id as customer_id").write.parquet(f"{home}/customers")
    spark.range(20).selectExpr("concat('s', id) as id", "id as number").write.parquet(f"{home}/shops")
    orders = spark.range(60).selectExpr(
        "id as order_id",
        "cast(id % 40 as int) as customer_id",
        "concat('s', if(id = 7, 99, id % 9)) as shop_id",
        "cast(null as bigint) as agent_id",
        "concat('s', id % 12) as seller",
        "concat('s', if(id = 7, 99, id % 12)) as buyer",
        "concat('2026-01-0', 1 + id % 6) as day",
    )
    orders.write.partitionBy("day").parquet(f"{home}/orders")
    return home


def keys(shop: Path) -> tuple[ReferableKey, ...]:
    return (
        ReferableKey("customers", TableSource(f"{shop}/customers"), "customer_id"),
        ReferableKey("shops", TableSource(f"{shop}/shops"), "id"),
        ReferableKey("agents", TableSource(f"{shop}/nowhere"), "agent_id"),
        ReferableKey("orders", TableSource(f"{shop}/shops"), "number"),
        ReferableKey("ids", TableSource(f"{shop}/customers"), "order_id"),
        ReferableKey("stores", TableSource(f"{shop}/shops"), "id"),
        ReferableKey("people", TableSource(f"{shop}/customers"), "customer_id"),
    )


def suggested(spark: Any, shop: Path, **more: Any) -> list[dict[str, Any]]:
    source = TableSource(f"{shop}/orders", partition_by=("day",))
    asked = DraftRequest(source=source, contract_id="orders", object="orders", **more)
    return [dict(each) for each in draft(spark, asked).suggestions if each["kind"] == "refers"]


def test_a_reference_is_suggested_where_no_value_dangles(spark: Any, shop: Path) -> None:
    by_column = {each["column"]: each for each in suggested(spark, shop, keys=keys(shop))}
    found = by_column.pop("customer_id")
    assert found["sentence"] == "every customer_id exists in customers as customer_id"
    assert {name: each["sentence"] for name, each in by_column.items()} == {
        "seller": "every seller exists in shops as id"
    }
    made = found["patch"]["quality"]["implementation"]
    assert made == {
        "analyzer": "referential_integrity", "columns": ["customer_id"], "dataset": "customers", "mustBe": 1,
        "scope": "dataset",
    }  # fmt: skip
    assert (found["evidence"]["held"], found["evidence"]["partitions"]) == (6, 6)


@pytest.mark.parametrize(
    ("more", "told"), [({"sample": 20}, []), ({"in_force": CONTRACT.encode()}, ["seller"]), ({"keys": ()}, [])]
)
def test_nothing_is_told_of_rows_that_were_drawn_and_of_classified_columns(
    spark: Any, shop: Path, more: dict[str, Any], told: list[str]
) -> None:
    assert [each["column"] for each in suggested(spark, shop, **{"keys": keys(shop), **more})] == told
