"""Places that no draft may be about, and places that every draft may be about."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from pathlib import Path


@dataclass(frozen=True)
class Location:
    """A location of a draft, in which {disk} stands for a folder that `prepared` filled, and its format."""

    text: str
    format: str | None = None

    def at(self, disk: Path) -> str:
        """The location on that disk."""
        return self.text.replace("{disk}", str(disk))


def prepared(disk: Path) -> Path:
    """The folder, filled: tables below `data`, the service's home in `data/home`, links that lead out of `data`."""
    for each in (
        "data/t",
        "data/finance/t",
        "data/home/states",
        "data/.git",
        "database/t",
        "etc",
        "data/a b",
        "data/x-1",
    ):
        (disk / each).mkdir(parents=True, exist_ok=True)
    for each in ("etc/passwd", "data/home/key", "data/home/treaty.db", "data/.git/config", "data/t/part-0.parquet"):
        (disk / each).touch()
    for name, target in {"link": "etc", "up": ".", "chain": "data/link", "key": "data/home/key"}.items():
        if not (disk / "data" / name).is_symlink():
            (disk / "data" / name).symlink_to(disk / target)
    return disk


# The drafts of the report, by what they were after.
REPORTED = (
    Location("/etc/passwd", "text"), Location("/etc/shadow", "text"), Location("file:///etc/passwd", "text"),
    Location("/etc", "text"), Location("{disk}/data/home/key", "text"), Location("{disk}/data/home/audit-key",
    "text"),
    Location("{disk}/data/home/treaty.db", "text"), Location("{disk}/data/home/treaty.db-wal", "text"),
    Location("{disk}/data/home/states", "parquet"), Location("{disk}/data/home", "text"),
    Location("/proc/self/environ", "text"), Location("/root/.ssh/id_rsa", "text"), Location("s3://somebody-else/x",
    "csv"),
    Location("s3a://somebody-else/x"), Location("https://169.254.169.254/latest/meta-data", "text"),
    Location("jdbc:postgresql://127.0.0.1/treaty", "jdbc"), Location("{disk}/data/t", "com.example.Source"),
    Location("{disk}/data/t", "org.apache.spark.sql.execution.datasources.jdbc.JdbcRelationProvider"),
    Location("{disk}/data/t", "binaryFile"),
)  # fmt: skip
SECRETS = (
    "/etc/passwd", "{disk}/etc/passwd", "{disk}/database/t", "{disk}/data/home/key", "{disk}/data/home/treaty.db",
    "{disk}/data/home/states/x", "/proc/self/environ", "/sys/kernel", "/dev/stdin", "{disk}/data/.git/config",
)  # fmt: skip
STARTS = ("", "file:", "file://", "FILE://", "File:")
DETOURS = (
    "{disk}/data/../etc/passwd", "{disk}/data/t/../../etc/passwd", "{disk}/data/./../etc/passwd",
    "{disk}/data//..//etc/passwd", "{disk}/data/%2e%2e/etc/passwd", "{disk}/data/%2E%2E/etc/passwd",
    "{disk}/data/.%2e/etc/passwd", "{disk}/data/%252e%252e/etc/passwd", "{disk}/data%2f..%2fetc/passwd",
    "{disk}/data/t/%2e%2e%2f%2e%2e%2fetc/passwd", "{disk}/data/link", "{disk}/data/link/passwd", "{disk}/data/chain",
    "{disk}/data/chain/passwd", "{disk}/data/up/etc/passwd", "{disk}/data/up", "{disk}/data/key",
    "{disk}/data/link/../passwd", "{disk}/data/t/../link/passwd", "{disk}/data/up/data/home/key",
    "{disk}/data/lin%6b/passwd", "{disk}/data/home/../home/key", "{disk}/data/HOME/key", "{disk}/data/home/",
    "{disk}/data/./home/key", "{disk}/data//home//key", "{disk}/data", "{disk}/data/", "{disk}/data/.",
    "{disk}/data/t/..", "{disk}/database", "{disk}/data-2", "{disk}/dataset/t", "{disk}", "/", "/.", "/..",
    "~/.ssh/id_rsa", "./.treaty/treaty.db", ".treaty", "..", "../..", "../../etc/passwd",
)  # fmt: skip
SPELLINGS = (
    "//etc/passwd", "///etc/passwd", "//{disk}/data/t", "file:etc/passwd", "file:../etc/passwd", "file://etc/passwd",
    "file://localhost/etc/passwd", "file://localhost{disk}/data/t", "file://127.0.0.1/etc/passwd",
    "file://host/share/x",
    "file:", "file:/", "file://", "\\\\host\\share", "{disk}\\data\\t", "C:\\Windows", "c:/windows",
    "{disk}/data/t\x00.csv",
    "{disk}/data/t\n", "\t{disk}/data/t", " {disk}/data/t", "{disk}/data/t ", "{disk}/data/\u202et",
    "{disk}/data/\u200bt",
    "{disk}/data/t%00", "{disk}/data/t%0a", "{disk}/data/%5c..%5cetc", "", " ", "{disk}/data/\ud800",
    "%2fetc%2fpasswd",
    "{disk}/data/%25%32%35%32%65%25%32%35%32%65/etc", "file%3a///etc/passwd",
)  # fmt: skip
BUCKETS = (
    "s3://lake", "s3://lake/", "s3://lake/rawx", "s3://lake/raw-2/t", "s3://lake/Raw/t", "s3://lake2/raw/t",
    "s3://lake.evil.com/raw/t", "s3://evil@lake/raw/t", "s3://key:secret@lake/raw/t", "s3://lake@evil/raw/t",
    "s3://lake/raw/../secret", "s3://lake/raw/%2e%2e/secret", "s3://lake/raw/./t",
    "s3://lake/raw/t?endpoint_override=evil",
    "s3://lake/raw/t#x", "s3://lake/raw/t%3fx=1", "s3:///lake/raw/t", "s3:/lake/raw/t", "s3:lake/raw/t", "s3:",
    "s3://",
    "s3a://other/raw/t", "s3n://other/raw/t", "S3://OTHER/raw/t", "s3://lake%2fraw/t", "s3://lake%2eevil/raw/t",
    "s3://lake\\raw/t", "s3://lake raw/t", "s3a://lake:9000/raw/t", "s3://[::1]/raw/t", "oss://lake/raw/t",
    "hdfs://other/warehouse/t", "hdfs:///warehouses/t", "hdfs:///user/x", "hdfs:warehouse/t",
    "webhdfs:///warehouse/t",
    "abfs://box@evil.dfs.core.windows.net/tables/t", "abfs://other@account.dfs.core.windows.net/tables/t",
    "abfss://box@account.dfs.core.windows.net/tables2/t", "abfss://box@account.dfs.core.windows.net/",
    "abfss://account.dfs.core.windows.net/tables/t", "wasb://box@account.dfs.core.windows.net/tables/t", "gs:///x",
    "gs:x", "gs://a@b/x", "gcs://lake/t", "dbfs:/FileStore/t", "viewfs:///warehouse/t", "adl://lake/raw/t",
)  # fmt: skip
SCHEMES = tuple(
    f"{scheme}:{rest}"
    for scheme, rest in product(
        (
            "jdbc",
            "http",
            "https",
            "ftp",
            "sftp",
            "har",
            "jar",
            "data",
            "local",
            "kafka",
            "mongodb",
            "javascript",
            "gopher",
        ),
        ("//127.0.0.1/x", "{disk}/data/t", "x"),
    )
)
TABLES = (
    "text.passwd", "text.`/etc/passwd`", "text.`.treaty`", "text.`data`", "TEXT.x", "Text.x", "`text`.x", "text . x",
    "parquet.x", "csv.x", "json.x", "orc.x", "avro.x", "binaryFile.x", "delta.x", "iceberg.x", "xml.x", "jdbc.x",
    "image.x",
    "parquet.`{disk}/etc/passwd`", "delta.`s3://other/t`", "org.apache.spark.sql.x`", "a.`b", "`", "a``b.c",
    "text.`a.b`",
    "a b/c", "x;y/z", "select 1 from /etc/passwd", "{disk}/data/t; drop table x/../../etc",
)  # fmt: skip
FORMATS = (
    "jdbc", "JDBC", "kafka", "socket", "rate", "binaryFile", "image", "libsvm", "xml", "noop", "console", "memory",
    "hive",
    "hudi", "com.databricks.spark.csv", "org.apache.spark.sql.parquet", "org.apache.spark.sql.jdbc",
    "java.lang.Runtime",
    "com.example.Evil", "parquet\x00", "", "par quet", "../parquet", "parquet;text", "treaty",
    "org.apache.spark.sql.execution.datasources.text.TextFileFormat", "python", "pyspark", "state-metadata",
    "statestore",
)  # fmt: skip


def _hostile() -> Iterator[Location]:
    yield from REPORTED
    yield from (Location(f"{start}{path}", "text") for start, path in product(STARTS, SECRETS))
    yield from (Location(each, "text") for each in (*DETOURS, *SPELLINGS, *BUCKETS, *SCHEMES, *TABLES))
    yield from (Location("{disk}/data/t", each) for each in FORMATS)
    yield Location("{disk}/data/t#files", "iceberg")


HOSTILE = tuple(dict.fromkeys(_hostile()))
BENIGN = (
    *(
        Location(each)
        for each in (
            "{disk}/data/t", "{disk}/data/t/", "{disk}/data//t", "{disk}/data/./t", "{disk}/data/t/../t",
            "{disk}/data/a b",
            "{disk}/data/a%20b", "{disk}/data/x-1", "{disk}/data/x_1.parquet", "{disk}/data/ä/ö", "{disk}/data/日本",
            "{disk}/data/t/ds=2026-01-01", "{disk}/data/t/ds=2026-01-01/hour=3",
            "{disk}/data/t/ds=2026-01-01 00%3A00",
            "{disk}/data/t.csv", "{disk}/data/t.csv.gz", "{disk}/data/t (1).csv", "{disk}/data/t'1",
            "{disk}/data/t,1",
            "{disk}/data/t;1", "{disk}/data/t=1", "{disk}/data/t@v1", "{disk}/data/t#1", "{disk}/data/t?1",
            "{disk}/data/t*",
            "{disk}/data/[t]", "{disk}/data/{t}", "{disk}/data/t&u", "{disk}/data/t+u", "{disk}/data/t!u",
            "{disk}/data/$t",
            "{disk}/data/100%", "{disk}/data/T", "{disk}/data/t/_delta_log/..", "{disk}/data/does/not/exist/yet",
            "{disk}/data/homes/t", "{disk}/data/homework", "{disk}/data/finance/t", "file:{disk}/data/t",
            "file://{disk}/data/t", "FILE:{disk}/data/t", "file:{disk}/data/a%20b", "{disk}/data/../data/t",
            "s3://lake/raw/t", "s3a://lake/raw/t", "s3n://lake/raw/t", "S3://lake/raw/t", "s3://LAKE/raw/t",
            "s3://lake/raw/t/", "s3://lake/raw//t", "s3://lake/raw/a b", "s3://lake/raw/a%20b",
            "s3://lake/raw/ds=1/h=2",
            "s3://lake/raw/t+1", "s3://lake/raw/t.v1", "gs://any/t", "gs://any-other_1.x/t/u", "hdfs:///warehouse/t",
            "hdfs:/warehouse/t", "abfs://box@account.dfs.core.windows.net/tables/t",
            "abfss://box@account.dfs.core.windows.net/tables/t",
            "abfss://box@ACCOUNT.dfs.core.windows.net/tables/t/u",
            "orders", "sales.orders", "lake.sales.orders", "vip.sales.orders", "spark_catalog.text.orders",
            "my-lake.db.t",
            "db.`my-table`", "db.`my table`", "Sales.Orders", "db.t$files", "db._t", "db.t1", "texts.x", "parquets.x",
            "iceberg.sales.orders", "delta.sales.orders",
        )
    ),
    *(Location("{disk}/data/t", each) for each in (
        None, "parquet", "Parquet", "delta", "iceberg", "orc", "csv", "tsv", "json", "avro", "text", "CSV",
    )),
)  # fmt: skip
