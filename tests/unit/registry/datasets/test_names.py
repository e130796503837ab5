"""One dataset has one name, however a producer spells it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from treaty.registry.datasets.names import LineageName, location, normalise, table_name


@pytest.mark.parametrize(
    ("namespace", "name", "expected"),
    [
        ("s3a://Bucket", "/shop/orders/", LineageName("s3://bucket", "shop/orders")),
        ("s3n://bucket/", "shop//orders", LineageName("s3://bucket", "shop/orders")),
        ("S3://bucket", "shop/orders", LineageName("s3://bucket", "shop/orders")),
        ("gs://b", "/a", LineageName("gs://b", "a")),
        ("file", "/tmp/t/", LineageName("file", "/tmp/t")),
        ("file:", "/tmp/t", LineageName("file", "/tmp/t")),
        ("file", "./tmp/./t", LineageName("file", "/tmp/t")),
        ("s3://b", "./tmp/./t", LineageName("s3://b", "./tmp/./t")),
        ("file://", "/tmp/t", LineageName("file", "/tmp/t")),
        ("file:///", "tmp/t", LineageName("file", "/tmp/t")),
        ("file://Host", "/tmp/t", LineageName("file://host", "/tmp/t")),
        ("file://localhost", "/tmp/t", LineageName("file", "/tmp/t")),
        ("file:/tmp/iceberg", "default.events", LineageName("file:/tmp/iceberg", "default.events")),
        ("file:///tmp/iceberg/", "default.events", LineageName("file:/tmp/iceberg", "default.events")),
        ("hdfs://NN:8020", "/user/hive/t1", LineageName("hdfs://nn", "/user/hive/t1")),
        ("hdfs://nn:9000", "user/hive/t1/", LineageName("hdfs://nn:9000", "/user/hive/t1")),
        ("hive://Metastore:9083", "Sales.Orders", LineageName("hive://metastore", "Sales.Orders")),
        ("wasbs://c@Acct.blob.core.windows.net", "/x/", LineageName("wasbs://c@acct.blob.core.windows.net", "/x")),
        ("postgres://DB:5432", "shop.public.orders", LineageName("postgres://db", "shop.public.orders")),
        ("arn:aws:glue:eu-west-1:1", "table/db/orders", LineageName("arn:aws:glue:eu-west-1:1", "table/db/orders")),
        ("bigquery", "a.b.c", LineageName("bigquery", "a.b.c")),
        ("Food_Delivery", "public.Orders ", LineageName("Food_Delivery", "public.Orders")),
    ],
)
def test_a_dataset_has_one_spelling(namespace: str, name: str, expected: LineageName) -> None:
    assert normalise(namespace, name) == expected


NAMESPACES = st.sampled_from(
    ["file", "file:", "file:///w", "s3a://B", "hdfs://h:8020", "hive://H:9083", "x", "x:y", ""]
)


@given(NAMESPACES | st.text(), st.text())
def test_normalising_twice_changes_nothing(namespace: str, name: str) -> None:
    once = normalise(namespace, name)
    assert normalise(once.namespace, once.name) == once


@pytest.mark.parametrize(
    ("dataset", "table", "partition"),
    [
        (LineageName("file", "/t/ds=2026-11-20"), LineageName("file", "/t"), (("ds", "2026-11-20"),)),
        (LineageName("s3://b", "t/y=2026/m=1"), LineageName("s3://b", "t"), (("y", "2026"), ("m", "1"))),
        (LineageName("file", "/t/at=12%3A30"), LineageName("file", "/t"), (("at", "12:30"),)),
        (LineageName("file", "/a=1/t"), LineageName("file", "/a=1/t"), ()),
        (LineageName("file", "/t"), LineageName("file", "/t"), ()),
        (LineageName("s3://b", "ds=1"), LineageName("s3://b", "ds=1"), ()),
        (LineageName("hive://h", "db.t/ds=1"), LineageName("hive://h", "db.t/ds=1"), ()),
        (LineageName("file:/warehouse", "db.t/ds=1"), LineageName("file:/warehouse", "db.t/ds=1"), ()),
    ],
)
def test_partition_directories_are_told_from_the_table(
    dataset: LineageName, table: LineageName, partition: tuple[tuple[str, str], ...]
) -> None:
    trimmed = table_name(dataset)
    assert (trimmed.dataset, trimmed.partition) == (table, partition)


@pytest.mark.parametrize(
    ("namespace", "name", "expected"),
    [
        ("file", "/tmp/t", "/tmp/t"),
        ("s3://b", "/t/x", "s3a://b/t/x"),
        ("gs://b", "t", "gs://b/t"),
        ("hdfs://nn", "/t", "hdfs://nn/t"),
        ("hive://h:9083", "sales.orders", "sales.orders"),
        ("arn:aws:glue:eu:1", "table/sales/orders", "sales.orders"),
        ("unitycatalog://h", "main.sales.orders", "main.sales.orders"),
        ("file:/warehouse", "sales.orders", "sales.orders"),
        ("shop", "orders", "orders"),
    ],
)
def test_a_dataset_lies_where_spark_can_read_it(namespace: str, name: str, expected: str) -> None:
    assert location(namespace, name) == expected
