"""Recorded answers of OpenMetadata.

The shapes are those of the models in openmetadata-ingestion 2.0.7.0 (metadata/generated), which read all of them."""

from typing import Any

from support.catalog_answers import ADDRESS, SourceCase

from treaty.registry.catalogs.kinds.openmetadata.reader import FIELDS, OpenMetadataCatalog
from treaty.registry.catalogs.model import (
    ColumnFacts,
    ForeignKeyFacts,
    GlossaryTermFacts,
    PartitionColumn,
    TableFacts,
)
from treaty.registry.datasets.names import LineageName

ID = "455e3d9d-dbbf-455e-b3be-7191daa825f3"
TABLES = "api/v1/tables"


def label(fqn: str, source: str = "Classification", state: str = "Confirmed") -> dict[str, Any]:
    """A tag or a term, as of a table or column."""
    return {"tagFQN": fqn, "name": fqn.rpartition(".")[2], "source": source, "labelType": "Manual", "state": state}


def reference(kind: str, name: str, **more: Any) -> dict[str, Any]:
    """A reference to an owner, domain or database."""
    return {"id": ID, "type": kind, "name": name, "fullyQualifiedName": name, "deleted": False, **more}


def column(name: str, kind: str, **more: Any) -> dict[str, Any]:
    """A column of a table."""
    return {"name": name, "dataType": kind, "dataTypeDisplay": kind.lower(), "tags": [], **more}


ORDERS: dict[str, Any] = {
    "id": ID, "name": "orders", "fullyQualifiedName": 'hive.lake."eu.shop".orders', "version": 0.3,
    "updatedAt": 1769982651320, "updatedBy": "admin", "href": f"{ADDRESS}/api/v1/tables/{ID}", "tableType": "Regular",
    "description": "All orders", "locationPath": "s3://lake/orders", "deleted": False,
    "columns": [
        column("id", "BIGINT", description="number of the order", constraint="NOT_NULL", ordinalPosition=1),
        column("mail", "VARCHAR", dataLength=80, tags=[label("PII.Sensitive"), label("Sales.Mail", "Glossary")]),
        column("price", "DECIMAL", precision=9, scale=2, tags=[label("PII.None", state="Suggested")]),
        column("address", "STRUCT", dataTypeDisplay="struct<city:string>",
               children=[column("city", "STRING", description="of the buyer")]),
        column("items", "ARRAY", arrayDataType="LONG", dataTypeDisplay="array<bigint>"),
        column("at", "TIMESTAMPZ"),
    ],
    "tableConstraints": [
        {"constraintType": "PRIMARY_KEY", "columns": ["id"]},
        {"constraintType": "FOREIGN_KEY", "columns": ["mail"], "relationshipType": "MANY_TO_ONE",
         "referredColumns": ["hive.lake.crm.buyers.mail"]},
        {"constraintType": "UNIQUE", "columns": ["mail"]},
    ],
    "tablePartition": {"columns": [
        {"columnName": "at", "intervalType": "TIME-UNIT", "interval": "DAILY"},
        {"columnName": "id", "intervalType": "COLUMN-VALUE"},
    ]},
    "owners": [reference("user", "ann"), reference("team", "Sales", inherited=True)],
    "tags": [label("Tier.Tier1"), label("Sales.Order", "Glossary"), label("PII.None", state="Suggested")],
    "domains": [reference("domain", "Sales", inherited=True)],
    "service": reference("databaseService", "hive"), "serviceType": "Hive",
}  # fmt: skip
LOANS: dict[str, Any] = {
    "id": ID, "name": "loans", "fullyQualifiedName": "hive.lake.bank.loans", "version": 0.1, "updatedAt": 1,
    "columns": [], "owners": [], "tags": [], "domains": [], "deleted": False,
}  # fmt: skip
QUERY = f"fields={FIELDS.replace(',', '%2C')}&limit=50"
FIRST, SECOND = f"{TABLES}?{QUERY}", f"{TABLES}?{QUERY}&after=bG9hbnM%3D"
DATABASE = f"{TABLES}?database=hive.lake&{QUERY}"
SCHEMA = f"{TABLES}?databaseSchema=trino.dev.sales&{QUERY}"
STAGE: dict[str, Any] = {**LOANS, "name": "stage", "fullyQualifiedName": "trino.dev.sales.stage"}
ORDERS_PATH = f"{TABLES}/name/hive.lake.%22eu.shop%22.orders"
OPENMETADATA = SourceCase(
    kind=OpenMetadataCatalog(),
    secret="right",
    options={"only": "hive, trino.dev.sales"},
    contents={
        f"{TABLES}?limit=1": {"data": [LOANS], "paging": {"total": 3}},
        "api/v1/databases": {
            "data": [{"id": ID, "name": "lake", "fullyQualifiedName": "hive.lake",
                      "service": reference("databaseService", "hive")}],
            "paging": {"total": 1},
        },
        DATABASE: {"data": [LOANS], "paging": {"after": "bG9hbnM=", "total": 2}},
        f"{DATABASE}&after=bG9hbnM%3D": {"data": [ORDERS], "paging": {"before": "b3JkZXJz", "total": 2}},
        SCHEMA: {"data": [STAGE], "paging": {"total": 1}},
        ORDERS_PATH: ORDERS,
    },
    facts=(
        TableFacts(
            identifier=("hive", "lake", "bank", "loans"),
            names=(LineageName("hive", "lake.bank.loans"),),
            link=f"{ADDRESS}/table/hive.lake.bank.loans",
        ),
        TableFacts(
            identifier=("hive", "lake", "eu.shop", "orders"),
            location="s3://lake/orders",
            names=(LineageName("hive", "lake.eu.shop.orders"),),
            columns=(
                ColumnFacts(name="id", type="bigint", comment="number of the order", required=True),
                ColumnFacts(name="mail", type="varchar(80)", tags={"PII.Sensitive": None}),
                ColumnFacts(name="price", type="decimal(9,2)"),
                ColumnFacts(
                    name="address", type="struct<city:string>",
                    fields=(ColumnFacts(name="city", type="string", comment="of the buyer"),)),
                ColumnFacts(name="items", type="array<bigint>"),
                ColumnFacts(name="at", type="timestamp"),
            ),
            primary_key=("id",),
            foreign_keys=(
                ForeignKeyFacts(columns=("mail",), table=("hive", "lake", "crm", "buyers"), referenced=("mail",)),),
            partition_columns=(PartitionColumn("at", "day"), PartitionColumn("id")),
            owners=("ann", "Sales"),
            tags={"Tier.Tier1": None},
            domain="Sales",
            glossary_terms=(GlossaryTermFacts("Sales.Order", f"{ADDRESS}/glossary/Sales.Order"),),
            description="All orders",
            link=f"{ADDRESS}/table/hive.lake.%22eu.shop%22.orders",
        ),
        TableFacts(
            identifier=("trino", "dev", "sales", "stage"),
            names=(LineageName("trino", "dev.sales.stage"),),
            link=f"{ADDRESS}/table/trino.dev.sales.stage",
        ),
    ),
    changed=("hive", "lake", "eu.shop", "orders"),
    changes={
        name: ((f"{DATABASE}&after=bG9hbnM%3D", "data", 0, *path), value)
        for name, path, value in (
            ("inherited owner", ("owners", 1, "name"), "Shop"),
            ("domain", ("domains",), []),
            ("tag of a column", ("columns", 1, "tags", 0, "tagFQN"), "PII.None"),
            ("confirmed tag", ("tags", 2, "state"), "Confirmed"),
        )
    },
    dropped={ORDERS_PATH: 404},
    denied=(SCHEMA, (("hive", "lake", "bank", "loans"), ("hive", "lake", "eu.shop", "orders"))),
    calm=5,
)  # fmt: skip
