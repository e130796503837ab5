"""Recorded answers of DataHub.

The aspects have the shapes of the schemas in acryl-datahub 1.7.0.17, which reads all of them, and the envelopes those
of its OpenAPI client."""

from typing import Any

from support.catalog_answers import SourceCase

from treaty.registry.catalogs.kinds.datahub.facts import ASPECTS
from treaty.registry.catalogs.kinds.datahub.reader import DataHubCatalog
from treaty.registry.catalogs.model import (
    ColumnFacts,
    ForeignKeyFacts,
    GlossaryTermFacts,
    PartitionColumn,
    TableFacts,
)
from treaty.registry.datasets.names import LineageName

ROOT = "openapi/v3/entity"
STAMP = {"time": 1769982651320, "actor": "urn:li:corpuser:ann"}


def urn(name: str, platform: str = "hive", environment: str = "PROD") -> str:
    """The URN of a dataset."""
    return f"urn:li:dataset:(urn:li:dataPlatform:{platform},{name},{environment})"


def field(path: str, native: str, **more: Any) -> dict[str, Any]:
    """A field of a schema."""
    kind = {"type": {"com.linkedin.schema.StringType": {}}}
    return {"fieldPath": path, "nativeDataType": native, "type": kind, "nullable": True, "recursive": False, **more}


def tags(*names: str) -> dict[str, Any]:
    """The tags of a dataset or field."""
    return {"tags": [{"tag": f"urn:li:tag:{each}"} for each in names]}


def entity(identity: str, **aspects: Any) -> dict[str, Any]:
    """An entity with its aspects."""
    return {"urn": identity, **{name: {"value": value} for name, value in aspects.items()}}


TERMS = {"terms": [{"urn": "urn:li:glossaryTerm:7b1a"}], "auditStamp": STAMP}
V2 = "[version=2.0].[type=struct]."
ORDERS = entity(
    urn("main.shop.orders"),
    schemaMetadata={
        "schemaName": "shop.orders", "platform": "urn:li:dataPlatform:hive", "version": 0, "created": STAMP,
        "lastModified": STAMP, "hash": "", "platformSchema": {"com.linkedin.schema.MySqlDDL": {"tableSchema": ""}},
        "fields": [
            field(f"{V2}[type=long].id", "bigint", nullable=False, description="number", isPartOfKey=True),
            field(f"{V2}[type=com.shop.Address].address", "struct<city:string>"),
            field(f"{V2}[type=com.shop.Address].address.[type=string].city", "STRING", globalTags=tags("PII")),
            field(f"{V2}[type=string].day", "date", isPartitioningKey=True),
            field(f"{V2}[type=string].day", "date"),
        ],
        "primaryKeys": [f"{V2}[type=long].id"],
        "foreignKeys": [{
            "name": "fk", "foreignDataset": urn("main.shop.days"),
            "sourceFields": [f"urn:li:schemaField:({urn('main.shop.orders')},{V2}[type=string].day)"],
            "foreignFields": [f"urn:li:schemaField:({urn('main.shop.days')},date)"],
        }],
    },
    editableSchemaMetadata={
        "created": STAMP, "lastModified": STAMP,
        "editableSchemaFieldInfo": [{"fieldPath": "address.city", "description": "of the buyer",
                                     "globalTags": tags("0c4d"), "glossaryTerms": TERMS}],
    },
    datasetProperties={
        "customProperties": {"treaty.contract": "orders", "numRows": "7"}, "name": "orders", "description": "Orders",
        "uri": "s3://lake/orders", "tags": [],
    },
    editableDatasetProperties={"created": STAMP, "lastModified": STAMP, "description": "All orders"},
    ownership={
        "owners": [{"owner": "urn:li:corpuser:ann", "type": "DATAOWNER"},
                   {"owner": "urn:li:corpGroup:sales", "type": "CUSTOM", "typeUrn": "urn:li:ownershipType:steward"}],
        "lastModified": STAMP,
    },
    domains={"domains": ["urn:li:domain:9f2e"]},
    globalTags=tags("Gold"),
    glossaryTerms=TERMS,
    structuredProperties={"properties": [
        {"propertyUrn": "urn:li:structuredProperty:io.shop.retention", "values": [{"double": 90.0}]},
        {"propertyUrn": "urn:li:structuredProperty:io.shop.regions", "values": [{"string": "eu"}, {"string": "us"}]},
    ]},
    dataPlatformInstance={
        "platform": "urn:li:dataPlatform:hive",
        "instance": "urn:li:dataPlatformInstance:(urn:li:dataPlatform:hive,main)"},
    status={"removed": False},
)  # fmt: skip
CLICKS = entity(urn("lake/clicks", "s3"), ownership={"owners": [], "lastModified": STAMP}, status={"removed": False})
STUB = entity(urn("shop.mentioned"), status={"removed": False})
OTHER = entity(urn("topic", "kafka"), globalTags=tags("Gold"))
LISTING = f"{ROOT}/dataset?aspectNames={'%2C'.join(ASPECTS)}&count=50"
GET = f"{ROOT}/dataset/batchGet"


def requested(entities: tuple[dict[str, Any], ...]) -> Any:
    """Answer a request of one dataset by the URN in its body."""
    return lambda request: [each for each in entities if each["urn"].encode() in request.body]


DATAHUB = SourceCase(
    kind=DataHubCatalog(),
    secret="right",
    options={"only": "hive.PROD, s3", "pages": "http://pages.example/"},
    contents={
        f"{ROOT}/domain": {"scrollId": None, "entities": [
            entity("urn:li:domain:9f2e", domainProperties={"name": "Sales", "customProperties": {}})]},
        f"{ROOT}/glossaryTerm": {"entities": [entity("urn:li:glossaryTerm:7b1a", glossaryTermInfo={
            "name": "Order", "definition": "A purchase", "termSource": "INTERNAL", "customProperties": {}})]},
        f"{ROOT}/tag": {"entities": [entity("urn:li:tag:0c4d", tagProperties={"name": "Address"})]},
        LISTING: {"scrollId": "second", "entities": [CLICKS, OTHER, STUB]},
        f"{LISTING}&scrollId=second": {"entities": [ORDERS]},
        GET: requested((CLICKS, ORDERS)),
    },
    facts=(
        TableFacts(
            identifier=("s3", "PROD", "lake/clicks"),
            names=(LineageName("s3://lake", "clicks"),),
            link="http://pages.example/dataset/"
            "urn%3Ali%3Adataset%3A%28urn%3Ali%3AdataPlatform%3As3%2Clake%2Fclicks%2CPROD%29",
        ),
        TableFacts(
            identifier=("hive", "PROD", "main.shop.orders"),
            location="s3://lake/orders",
            names=(LineageName("hive", "shop.orders"),),
            columns=(
                ColumnFacts(name="id", type="bigint", comment="number", required=True),
                ColumnFacts(
                    name="address", type="struct<city:string>",
                    fields=(ColumnFacts(
                        name="city", type="string", comment="of the buyer", tags={"PII": None, "Address": None}),)),
                ColumnFacts(name="day", type="date"),
            ),
            primary_key=("id",),
            foreign_keys=(
                ForeignKeyFacts(columns=("day",), table=("hive", "PROD", "main.shop.days"), referenced=("date",)),),
            partition_columns=(PartitionColumn("day"),),
            owners=("ann", "sales"),
            tags={"Gold": None, "io.shop.retention": "90.0", "io.shop.regions": "eu, us"},
            domain="Sales",
            glossary_terms=(GlossaryTermFacts("Order", "http://pages.example/glossaryTerm/urn%3Ali%3AglossaryTerm%3A7b1a"),),
            description="All orders",
            link="http://pages.example/dataset/"
            "urn%3Ali%3Adataset%3A%28urn%3Ali%3AdataPlatform%3Ahive%2Cmain.shop.orders%2CPROD%29",
            properties={"treaty.contract": "orders"},
        ),
    ),
    changed=("hive", "PROD", "main.shop.orders"),
    changes={
        "name of a domain": ((f"{ROOT}/domain", "entities", 0, "domainProperties", "value", "name"), "Shop"),
        "tag of a field": (
            (f"{LISTING}&scrollId=second", "entities", 0, "editableSchemaMetadata", "value", "editableSchemaFieldInfo",
             0, "globalTags"), tags()),
        "owner": ((f"{LISTING}&scrollId=second", "entities", 0, "ownership", "value", "owners"), []),
        "property": (
            (f"{LISTING}&scrollId=second", "entities", 0, "structuredProperties", "value", "properties", 0, "values"),
            [{"double": 30.0}]),
    },
    dropped={GET: []},
    denied=("", ()),
    calm=5,
)  # fmt: skip
