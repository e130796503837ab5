"""Recorded answers of Gravitino.

The shapes are those of the transfer objects in apache-gravitino 1.3.1, which read all of them."""

from typing import Any

from support.catalog_answers import SourceCase

from treaty.registry.catalogs.kinds.gravitino.reader import GravitinoCatalog
from treaty.registry.catalogs.model import ColumnFacts, PartitionColumn, TableFacts
from treaty.registry.datasets.names import LineageName

ROOT = "api/metalakes"
AUDIT = {"creator": "ann", "createTime": "2026-01-02T03:04:05Z", "lastModifier": "bob",
         "lastModifiedTime": "2026-02-02T03:04:05Z"}  # fmt: skip


def identifiers(*names: str, within: tuple[str, ...]) -> dict[str, Any]:
    """The answer of a listing of schemas or tables."""
    return {"code": 0, "identifiers": [{"namespace": list(within), "name": each} for each in names]}


def catalog(name: str, kind: str) -> dict[str, Any]:
    """A catalog with its details."""
    return {"name": name, "type": kind, "provider": "hive", "comment": "", "properties": {}, "audit": AUDIT}


def column(name: str, kind: Any, **more: Any) -> dict[str, Any]:
    """A column of a table."""
    return {"name": name, "type": kind, "nullable": True, "autoIncrement": False, **more}


ADDRESS = {
    "type": "struct",
    "fields": [{"name": "city", "type": "string", "nullable": False, "comment": "of the buyer"}],
}
ORDERS: dict[str, Any] = {
    "name": "orders", "comment": "All orders", "audit": AUDIT,
    "properties": {"location": "s3://lake/orders", "treaty.contract": "orders", "format": "parquet"},
    "columns": [
        column("id", "long", comment="number of the order", nullable=False),
        column("address", ADDRESS),
        column("at", "timestamp_tz(6)"),
        column("day", "date"),
    ],
    "distribution": {"strategy": "none", "number": 0, "funcArgs": []},
    "sortOrders": [],
    "partitioning": [
        {"strategy": "identity", "fieldName": ["day"]},
        {"strategy": "bucket", "numBuckets": 16, "fieldNames": [["id"]]},
        {"strategy": "function", "funcName": "hours", "funcArgs": [{"type": "field", "fieldName": ["at"]}]},
    ],
    "indexes": [{"indexType": "PRIMARY_KEY", "name": "pk", "fieldNames": [["id"]]}],
}  # fmt: skip
LOANS: dict[str, Any] = {
    "name": "loans", "audit": AUDIT, "properties": {}, "columns": [column("id", "integer")], "partitioning": [],
    "distribution": {"strategy": "none", "number": 0, "funcArgs": []}, "sortOrders": [], "indexes": [],
}  # fmt: skip
HIVE = f"{ROOT}/prod/catalogs/hive/schemas"
TABLE = f"{HIVE}/shop/tables/orders"
OBJECTS = f"{ROOT}/prod/tags/%s/objects"


def tagged(kind: str, name: str) -> dict[str, str]:
    """What has a tag."""
    return {"type": kind, "fullName": name}


GRAVITINO = SourceCase(
    kind=GravitinoCatalog(),
    secret="right",
    contents={
        ROOT: {"code": 0, "metalakes": [{"name": "prod", "comment": "", "properties": {}, "audit": AUDIT}]},
        f"{ROOT}/prod/catalogs": {"code": 0, "catalogs": [catalog("hive", "relational"), catalog("files", "fileset")]},
        HIVE: identifiers("bank", "shop", within=("prod", "hive")),
        f"{HIVE}/bank/tables": identifiers("loans", within=("prod", "hive", "bank")),
        f"{HIVE}/shop/tables": identifiers("orders", within=("prod", "hive", "shop")),
        f"{HIVE}/bank/tables/loans": {"code": 0, "table": LOANS},
        TABLE: {"code": 0, "table": ORDERS},
        f"{ROOT}/prod/owners/table/hive.shop.orders": {"code": 0, "owner": {"name": "sales", "type": "group"}},
        f"{ROOT}/prod/tags": {"code": 0, "names": ["gold", "pii"]},
        OBJECTS % "gold": {"code": 0, "metadataObjects": [
            tagged("schema", "hive.shop"), tagged("catalog", "other")]},
        OBJECTS % "pii": {"code": 0, "metadataObjects": [
            tagged("table", "hive.shop.orders"), tagged("column", "hive.shop.orders.address")]},
    },
    facts=(
        TableFacts(
            identifier=("prod", "hive", "bank", "loans"),
            names=(LineageName("prod", "hive.bank.loans"),),
            columns=(ColumnFacts(name="id", type="int"),),
        ),
        TableFacts(
            identifier=("prod", "hive", "shop", "orders"),
            location="s3://lake/orders",
            names=(LineageName("prod", "hive.shop.orders"),),
            columns=(
                ColumnFacts(name="id", type="bigint", comment="number of the order", required=True),
                ColumnFacts(
                    name="address", type="struct<city:string>", tags={"pii": None},
                    fields=(ColumnFacts(name="city", type="string", comment="of the buyer", required=True),)),
                ColumnFacts(name="at", type="timestamp"),
                ColumnFacts(name="day", type="date"),
            ),
            primary_key=("id",),
            partition_columns=(
                PartitionColumn("day"), PartitionColumn("id", "bucket[16]"), PartitionColumn("at", "hours")),
            owners=("sales",),
            tags={"gold": None, "pii": None},
            description="All orders",
            properties={"treaty.contract": "orders"},
        ),
    ),
    changed=("prod", "hive", "shop", "orders"),
    changes={
        "inherited tag": ((OBJECTS % "gold", "metadataObjects"), []),
        "owner": ((f"{ROOT}/prod/owners/table/hive.shop.orders", "owner", "name"), "shop"),
        "comment": ((TABLE, "table", "comment"), "Some orders"),
    },
    dropped={TABLE: 404},
    denied=(f"{HIVE}/shop/tables", (("prod", "hive", "bank", "loans"),)),
    calm=13,
)  # fmt: skip
