"""A Spark job as somebody might run it: told by lines what to do next, it does it and says that it is done.

What each operation writes is declared beside it, so that it can be compared with what others found out. As a program
(`python spark_job.py FOLDER`) it is set up by spark-defaults.conf alone, and knows nothing of Treaty."""

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any

SERIAL = count(1)
COLUMNS = "id bigint, amount double, day string"
READY, DONE, FAILED = "READY", "DONE", "FAILED"


@dataclass(frozen=True)
class Place:
    """Where the job runs: its session, and the folder of its tables."""

    spark: Any
    root: Path

    def path(self, table: str) -> str:
        return str(self.root / table)


@dataclass(frozen=True)
class Operation:
    """One thing that a job does. `table`: the one that it is about. `days`: those of which rows came, went or changed.

    `asks`: what of the table its listener's events ask to be looked at; None: they do not name the table. `fails`:
    whether it ends with an error."""

    table: str
    days: tuple[str, ...]
    do: Callable[[Place], Any]
    asks: str | None = "data"
    fails: bool = False


def rows(at: Place, *days: str, of: int = 20) -> Any:
    """So many rows a day; those of no two calls are the same."""
    serial = next(SERIAL)
    return at.spark.createDataFrame(
        [(serial * 1000 + each, each / 2, day) for day in days for each in range(of)], COLUMNS
    )


def path_write(*days: str, mode: str = "append", of: int = 20, **options: str) -> Callable[[Place], Any]:
    """Writes these days to the folder of Parquet files."""

    def do(at: Place) -> None:
        rows(at, *days, of=of).write.partitionBy("day").mode(mode).options(**options).parquet(at.path("paths"))

    return do


def one_folder(at: Place) -> None:
    """Overwrites a partition by the path of its folder."""
    rows(at, "02").drop("day").write.mode("overwrite").parquet(f"{at.path('paths')}/day=02")


def broken(at: Place) -> Any:
    """Rows that nobody can read all of."""
    return rows(at, "01").selectExpr("if(id % 10 = 7, raise_error('no'), id) as id", "amount", "day")


def broken_append(at: Place) -> None:
    """Fails in the midst of its rows, as the write commits nothing."""
    broken(at).write.partitionBy("day").mode("append").parquet(at.path("paths"))


def delta_write(*days: str, mode: str = "append", of: int = 20, **options: str) -> Callable[[Place], Any]:
    """Writes these days to the Delta table."""

    def do(at: Place) -> None:
        writer = rows(at, *days, of=of).write.format("delta").partitionBy("day").mode(mode)
        writer.options(**options).save(at.path("delta"))

    return do


def sql(*statements: str, **days: Sequence[str]) -> Callable[[Place], Any]:
    """Runs the statements. Views of new rows of those days are there by the names given."""

    def do(at: Place) -> None:
        for name, of in days.items():
            rows(at, *of).createOrReplaceTempView(name)
        for each in statements:
            at.spark.sql(each.format(delta=f"delta.`{at.path('delta')}`"))

    return do


def dynamic(then: Callable[[Place], Any]) -> Callable[[Place], Any]:
    """The same where an overwrite replaces the partitions that it has rows of."""

    def do(at: Place) -> None:
        name = "spark.sql.sources.partitionOverwriteMode"
        at.spark.conf.set(name, "dynamic")
        try:
            then(at)
        finally:
            at.spark.conf.unset(name)

    return do


def stream(sink: Callable[[Place, Any], Any], *days: str) -> Callable[[Place], Any]:
    """A stream that reads a file a micro-batch and ends once it has read what came."""

    def do(at: Place) -> None:
        incoming = at.path(f"incoming-{next(SERIAL)}")
        for day in days:
            rows(at, day).coalesce(1).write.mode("append").json(incoming)
        source = at.spark.readStream.schema(COLUMNS).option("maxFilesPerTrigger", 1).json(incoming)
        writer = source.writeStream.option("checkpointLocation", f"{incoming}-checkpoint").trigger(availableNow=True)
        sink(at, writer).awaitTermination()

    return do


def by_itself(at: Place, writer: Any) -> Any:
    """The stream writes its files itself."""
    return writer.partitionBy("day").format("parquet").start(at.path("streamed"))


def by_batches(write: Callable[[Any], Any]) -> Callable[[Place, Any], Any]:
    """Each micro-batch is written as a table is."""
    return lambda at, writer: writer.foreachBatch(lambda frame, _: write(frame)).start()


def batched(*days: str) -> Callable[[Place], Any]:
    """A stream whose micro-batches are appended to a folder of Parquet files."""

    def do(at: Place) -> None:
        stream(
            by_batches(lambda frame: frame.write.partitionBy("day").mode("append").parquet(at.path("batched"))), *days
        )(at)

    return do


MERGE = """merge into {delta} as t using news as n on t.day = '02' and n.day = t.day and n.id % 20 = t.id % 20
when matched then update set amount = 99 when not matched then insert *"""
CREATE = "create table listed (id bigint, amount double, day string) using parquet partitioned by (day)"
PATHS: dict[str, Operation] = {
    "a folder is written": Operation("paths", ("01", "02"), path_write("01", "02")),
    "a folder is appended to": Operation("paths", ("02",), path_write("02")),
    "a partition is overwritten by its folder": Operation("paths", ("02",), one_folder),
    "partitions are overwritten dynamically": Operation(
        "paths", ("02", "03"), path_write("02", "03", mode="overwrite", partitionOverwriteMode="dynamic")
    ),
    "nothing is appended": Operation("paths", (), path_write("02", of=0)),
    "an append fails": Operation("paths", (), broken_append, fails=True),
    "a folder is only read": Operation(
        "paths", (), lambda at: at.spark.read.parquet(at.path("paths")).collect(), asks=None
    ),
    "a folder is overwritten as a whole": Operation("paths", ("01",), path_write("01", mode="overwrite")),
}
LISTED: dict[str, Operation] = {
    "a table is created": Operation("warehouse/listed", (), sql(CREATE), asks="schema"),
    "a partition is inserted": Operation(
        "warehouse/listed", ("01",),
        sql("insert into listed partition (day = '01') select id, amount from news", news=["01"]),
    ),
    "partitions are inserted": Operation(
        "warehouse/listed", ("02", "03"), sql("insert into listed select * from news", news=["02", "03"])
    ),
    "a partition is overwritten": Operation(
        "warehouse/listed", ("02",),
        sql("insert overwrite listed partition (day = '02') select id, amount from news", news=["02"]),
    ),
    "partitions of a table are overwritten dynamically": Operation(
        "warehouse/listed", ("03", "04"),
        dynamic(sql("insert overwrite listed partition (day) select * from news", news=["03", "04"])),
    ),
    "a partition is truncated": Operation(
        "warehouse/listed", (), sql("truncate table listed partition (day = '04')")
    ),
    "a partition is dropped": Operation(
        "warehouse/listed", (), sql("alter table listed drop partition (day = '03')"), asks=None
    ),
    "a table is read into another": Operation(
        "warehouse/copied", ("01", "02"),
        sql("create table copied using parquet partitioned by (day) as select * from listed"),
    ),
    "a column is added": Operation(
        "warehouse/listed", (), sql("alter table listed add columns (note string)"), asks="schema"
    ),
}  # fmt: skip
DELTA: dict[str, Operation] = {
    "a Delta table is written": Operation("delta", ("01", "02"), delta_write("01", "02")),
    "a Delta table is appended to": Operation("delta", ("02",), delta_write("02")),
    "a Delta partition is replaced": Operation(
        "delta", ("02",), delta_write("02", mode="overwrite", replaceWhere="day = '02'")
    ),
    "Delta partitions are overwritten dynamically": Operation(
        "delta", ("02", "03"), delta_write("02", "03", mode="overwrite", partitionOverwriteMode="dynamic")
    ),
    "rows are merged into Delta": Operation("delta", ("02", "04"), sql(MERGE, news=["02", "04"])),
    "Delta rows are updated": Operation(
        "delta", ("01",), sql("update {delta} set amount = 7 where day = '01'"), asks=None
    ),
    "Delta rows are deleted": Operation("delta", (), sql("delete from {delta} where day = '03'"), asks=None),
    "a Delta table is optimised": Operation("delta", (), sql("optimize {delta}"), asks=None),
    "a Delta table is overwritten as a whole": Operation("delta", ("05",), delta_write("05", mode="overwrite")),
}
STREAMED: dict[str, Operation] = {
    "a stream writes": Operation("streamed", ("01",), stream(by_itself, "01"), asks=None),
    "a stream writes by batches": Operation("batched", ("01", "02"), batched("01", "02")),
    "a stream goes on": Operation("batched", ("02", "03"), batched("02", "03")),
}
OPERATIONS = {**PATHS, **LISTED, **DELTA, **STREAMED}


def main(folder: str, operations: Mapping[str, Operation]) -> None:
    """Does what each line of the standard input names, until there are no more."""
    from pyspark.sql import SparkSession

    at = Place(SparkSession.builder.appName("nightly").getOrCreate(), Path(folder))
    at.spark.sparkContext.setLogLevel("ERROR")
    print(READY, flush=True)
    for line in sys.stdin:
        print(_ended(at, operations[line.strip()]), flush=True)
    at.spark.stop()


def _ended(at: Place, operation: Operation) -> str:
    """How it ended, once the listener has been told of all of it."""
    try:
        operation.do(at)
        return DONE
    except Exception as error:
        print(f"{type(error).__name__}: {error}", file=sys.stderr)
        return FAILED
    finally:
        at.spark.sparkContext._jsc.sc().listenerBus().waitUntilEmpty(60_000)


if __name__ == "__main__":
    main(sys.argv[1], OPERATIONS)
