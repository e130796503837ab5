"""A Spark job that writes Iceberg tables in every way, as `support.spark_job` does others."""

import sys
from collections.abc import Callable
from typing import Any

from support.spark_job import Operation, Place, broken, by_batches, main, rows, stream

# The catalog of the job, with its warehouse in the folder of the tables.
WAREHOUSE = "lakehouse"
SALES, SOLD, COPIED = (f"{WAREHOUSE}/shop/{name}" for name in ("sales", "sold", "copied"))


def _sql(*statements: str, **days: tuple[str, ...]) -> Callable[[Place], Any]:
    """Runs the statements. Views of new rows of those days are there by the names given."""

    def do(at: Place) -> None:
        for name, of in days.items():
            rows(at, *of).createOrReplaceTempView(name)
        for each in statements:
            at.spark.sql(each).collect()

    return do


def _write(how: Callable[[Any], Any], *days: str, of: int = 20, table: str = "sales") -> Callable[[Place], Any]:
    """Writes rows of these days as a data frame does."""
    return lambda at: how(rows(at, *days, of=of).writeTo(f"lake.shop.{table}"))


def _where(condition: str) -> Callable[[Any], Any]:
    """Overwrites what fulfils the condition."""
    from pyspark.sql import functions

    return lambda writer: writer.overwrite(functions.expr(condition))


def _rolled_back(at: Place) -> None:
    """The last snapshot is undone."""
    (last,) = at.spark.sql(
        "select parent_id from lake.shop.sales.snapshots order by committed_at desc limit 1"
    ).collect()
    at.spark.sql(f"call lake.system.rollback_to_snapshot('shop.sales', {last[0]})").collect()


def _broken(at: Place) -> None:
    broken(at).writeTo("lake.shop.sales").append()


CREATE = "create table lake.shop.{0} (id bigint, amount double, day string) using iceberg partitioned by (day)"
MERGE = """merge into lake.shop.sales as t using news as n on t.day = '02' and n.day = t.day and n.id % 20 = t.id % 20
when matched then update set amount = 99 when not matched then insert *"""
REWRITE = "call lake.system.rewrite_data_files(table => 'shop.sales', options => map('rewrite-all', 'true'))"
ICEBERG: dict[str, Operation] = {
    "a table is created": Operation(SALES, (), _sql(CREATE.format("sales")), asks="schema"),
    "rows are inserted": Operation(
        SALES, ("01", "02"), _sql("insert into lake.shop.sales select * from news", news=("01", "02"))
    ),
    "rows are appended": Operation(SALES, ("02",), _write(lambda to: to.append(), "02")),
    "nothing is appended": Operation(SALES, (), _write(lambda to: to.append(), "02", of=0)),
    "a partition is overwritten": Operation(
        SALES, ("02",),
        _sql("insert overwrite lake.shop.sales partition (day = '02') select id, amount from news", news=("02",)),
    ),
    "partitions are overwritten dynamically": Operation(
        SALES, ("02", "03"), _write(lambda to: to.overwritePartitions(), "02", "03")
    ),
    "rows are overwritten by a condition": Operation(
        SALES, ("03",), _write(lambda to: _where("day = '03'")(to), "03")
    ),
    "rows are merged": Operation(SALES, ("02", "04"), _sql(MERGE, news=("02", "04"))),
    "rows are updated": Operation(SALES, ("01",), _sql("update lake.shop.sales set amount = 7 where day = '01'")),
    "files are written without some rows": Operation(
        SALES, ("04",), _sql("delete from lake.shop.sales where day = '04' and id % 20 = 1")
    ),
    "rows are to be marked as deleted": Operation(
        SALES, (), _sql("alter table lake.shop.sales set tblproperties ('write.delete.mode' = 'merge-on-read')"),
        asks="schema",
    ),
    "rows are marked as deleted": Operation(
        SALES, ("02",), _sql("delete from lake.shop.sales where day = '02' and id % 20 = 2")
    ),
    "a partition is deleted": Operation(SALES, (), _sql("delete from lake.shop.sales where day = '03'")),
    "files are written anew": Operation(SALES, (), _sql(REWRITE), asks=None),
    "an append fails": Operation(SALES, (), _broken, fails=True, asks="suspect"),
    "a table is only read": Operation(SALES, (), lambda at: at.spark.table("lake.shop.sales").collect(), asks=None),
    "a column is added": Operation(
        SALES, (), _sql("alter table lake.shop.sales add columns (note string)"), asks="schema"
    ),
    "rows come with the column": Operation(
        SALES, ("05",), _sql("insert into lake.shop.sales select *, 'new' from news", news=("05",))
    ),
    "the last write is undone": Operation(SALES, (), _rolled_back, asks=None),
    # The snapshot that was read last is none of the table's any more, and files were written anew before: all count.
    "rows are appended after that": Operation(
        SALES, ("01", "02", "04"), _sql("insert into lake.shop.sales select *, null from news", news=("04",))
    ),
    "all is replaced": Operation(SALES, ("06",), _write(
        lambda to: to.using("iceberg").partitionedBy(_day()).createOrReplace(), "06")),
    "a table is made of a query": Operation(
        SOLD, ("01", "02"),
        _sql(CREATE.format("sold").replace(" (id bigint, amount double, day string)", "") + " as select * from news",
             news=("01", "02")),
    ),
    "a partition of it is overwritten": Operation(
        SOLD, ("02",),
        _sql("insert overwrite lake.shop.sold partition (day = '02') select id, amount from news", news=("02",)),
    ),
    "rows are written by its path": Operation(
        SOLD, ("03",),
        lambda at: rows(at, "03").write.format("iceberg").mode("append").save(at.path(SOLD)),
    ),
    "a stream writes": Operation(
        COPIED, ("01",),
        lambda at: (
            _sql(CREATE.format("copied"))(at),
            stream(lambda there, to: to.format("iceberg").option("fanout-enabled", "true").toTable("lake.shop.copied"),
                   "01")(at),
        ),
        asks="schema",
    ),
    "a stream writes by batches": Operation(
        SOLD, ("03", "04"), stream(by_batches(lambda frame: frame.writeTo("lake.shop.sold").append()), "03", "04")
    ),
}  # fmt: skip


def _day() -> Any:
    from pyspark.sql import functions

    return functions.col("day")


if __name__ == "__main__":
    main(sys.argv[1], ICEBERG)
