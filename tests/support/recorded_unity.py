"""Recorded answers of Unity Catalog, open-source and of Databricks.

The shapes are those of the models of unitycatalog-client 0.7.0 and databricks-sdk 0.162.0, which read all of them."""

from typing import Any

from support.catalog_answers import ADDRESS, SourceCase

from treaty.registry.catalogs.kinds.unity.databricks import DatabricksUnityCatalog
from treaty.registry.catalogs.kinds.unity.reader import UnityCatalog
from treaty.registry.catalogs.model import ColumnFacts, ForeignKeyFacts, PartitionColumn, TableFacts

ROOT = "api/2.1/unity-catalog"
ADDRESS_JSON = (
    '{"name":"address","type":{"type":"struct","fields":[{"name":"city","type":"string","nullable":false,'
    '"metadata":{"comment":"of the buyer"}}]},"nullable":true,"metadata":{}}'
)
ORDERS: dict[str, Any] = {
    "name": "orders", "catalog_name": "main", "schema_name": "shop", "table_type": "MANAGED",
    "data_source_format": "DELTA", "comment": "All orders", "owner": "ann@example.com", "created_at": 1,
    "updated_at": 5, "storage_location": "s3://lake/orders", "table_id": "0d3a", "created_by": "ann",
    "properties": {"treaty.contract": "orders", "delta.feature": "supported"},
    "columns": [
        {"name": "day", "type_text": "date", "type_json": '{"name":"day","type":"date","nullable":true,"metadata":{}}',
         "type_name": "DATE", "position": 2, "nullable": True, "partition_index": 0},
        {"name": "id", "type_text": "bigint", "type_json": '"long"', "type_name": "LONG", "position": 0,
         "comment": "number of the order", "nullable": False},
        {"name": "address", "type_text": "struct<city:string>", "type_json": ADDRESS_JSON, "type_name": "STRUCT",
         "position": 1, "nullable": True},
    ],
}  # fmt: skip
LOANS: dict[str, Any] = {"name": "loans", "catalog_name": "main", "schema_name": "bank", "columns": []}
CITY = ColumnFacts(name="city", type="string", comment="of the buyer", required=True)
FACTS = TableFacts(
    identifier=("main", "shop", "orders"),
    location="s3://lake/orders",
    columns=(
        ColumnFacts(name="id", type="bigint", comment="number of the order", required=True),
        ColumnFacts(name="address", type="struct<city:string>", fields=(CITY,)),
        ColumnFacts(name="day", type="date"),
    ),
    partition_columns=(PartitionColumn("day"),),
    owners=("ann@example.com",),
    description="All orders",
    properties={"treaty.contract": "orders"},
)
SCHEMAS = {
    f"{ROOT}/catalogs": {"catalogs": [{"name": "main", "owner": "admin"}], "next_page_token": ""},
    f"{ROOT}/schemas": {
        "schemas": [{"name": "bank", "catalog_name": "main"}, {"name": "shop", "full_name": "main.shop"}]},
}  # fmt: skip
PAGE = f"{ROOT}/tables?catalog_name=main&schema_name=%s&max_results=%s"
SHOP, BANK = PAGE % ("shop", 50), PAGE % ("bank", 50)
SECOND = f"{SHOP}&page_token=second"
UNITY = SourceCase(
    kind=UnityCatalog(),
    contents={
        **SCHEMAS,
        SHOP: {"tables": [], "next_page_token": "second"},
        SECOND: {"tables": [ORDERS]},
        BANK: {"tables": [LOANS]},
        f"{ROOT}/tables/main.shop.orders": ORDERS,
    },
    facts=(TableFacts(identifier=("main", "bank", "loans")), FACTS),
    changed=("main", "shop", "orders"),
    changes={
        "comment": ((SECOND, "tables", 0, "comment"), "Some orders"),
        "owner": ((SECOND, "tables", 0, "owner"), "bob"),
        "column": ((SECOND, "tables", 0, "columns", 1, "nullable"), True),
        "property": ((SECOND, "tables", 0, "properties", "treaty.contract"), "other"),
    },
    dropped={f"{ROOT}/tables/main.shop.orders": 404},
    denied=(SHOP, (("main", "bank", "loans"),)),
    calm=6,
)  # fmt: skip

CONSTRAINTS = [
    {"primary_key_constraint": {"name": "pk", "child_columns": ["id"], "rely": True}},
    {"foreign_key_constraint": {
        "name": "fk", "child_columns": ["day"], "parent_table": "main.shop.days", "parent_columns": ["date"]}},
    {"named_table_constraint": {"name": "positive"}},
]  # fmt: skip
BRIEF = "&omit_columns=true&omit_properties=true&max_results=0"
DB_PAGE = f"{ROOT}/tables?catalog_name=main&schema_name=%s{BRIEF}"
TAGS = f"{ROOT}/entity-tag-assignments/%s/tags"


def tag(key: str, value: str = "") -> dict[str, Any]:
    return {"entity_name": "main.shop.orders", "entity_type": "tables", "tag_key": key, "tag_value": value}


TABLE_TAGS = TAGS % "tables/main.shop.orders"
LOANS_BRIEF = {key: LOANS[key] for key in ("name", "catalog_name", "schema_name")}
ORDERS_BRIEF = {key: ORDERS[key] for key in ("name", "catalog_name", "schema_name", "owner", "updated_at")}
DATABRICKS = SourceCase(
    kind=DatabricksUnityCatalog(),
    secret="client:hidden",
    options={"auth": "oauth2", "tags": "columns", "domains": "yes"},
    contents={
        **SCHEMAS,
        "oidc/v1/token": {"access_token": "right", "token_type": "Bearer", "expires_in": 3600, "scope": "all-apis"},
        "api/2.0/domains": {"domains": [{"tag_key": "sales", "name": "domains/7", "domain_id": "7"}]},
        DB_PAGE % "shop": {"tables": [], "next_page_token": "second"},
        DB_PAGE % "shop" + "&page_token=second": {"tables": [ORDERS_BRIEF]},
        DB_PAGE % "bank": {"tables": [LOANS_BRIEF]},
        f"{ROOT}/tables/main.shop.orders": {**ORDERS, "full_name": "a.b.c", "table_constraints": CONSTRAINTS},
        f"{ROOT}/tables/main.bank.loans": LOANS,
        TABLE_TAGS: {"tag_assignments": [tag("sales")], "next_page_token": "more"},
        f"{TABLE_TAGS}?page_token=more": {"tag_assignments": [tag("tier", "gold")]},
        TAGS % "columns/main.shop.orders.id": {"tag_assignments": [tag("class.name", "true")]},
    },
    facts=(
        TableFacts(identifier=("main", "bank", "loans"), link=f"{ADDRESS}/explore/data/main/bank/loans"),
        TableFacts(**{
            **vars(FACTS),
            "columns": (
                ColumnFacts(**{**vars(FACTS.columns[0]), "tags": {"class.name": "true"}}), *FACTS.columns[1:]),
            "primary_key": ("id",),
            "foreign_keys": (
                ForeignKeyFacts(columns=("day",), table=("main", "shop", "days"), referenced=("date",)),),
            "tags": {"sales": None, "tier": "gold"},
            "domain": "sales",
            "link": f"{ADDRESS}/explore/data/main/shop/orders",
        }),
    ),
    changed=("main", "shop", "orders"),
    changes={
        "tag": ((f"{TABLE_TAGS}?page_token=more", "tag_assignments", 0, "tag_value"), "silver"),
        "key": ((f"{ROOT}/tables/main.shop.orders", "table_constraints", 0), {}),
    },
    dropped={f"{ROOT}/tables/main.shop.orders": 404},
    denied=(DB_PAGE % "shop", (("main", "bank", "loans"),)),
    calm=16,
)  # fmt: skip
