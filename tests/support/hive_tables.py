"""Tables of Hive's own formats, written in every way in a Spark with a metastore: what was found of it by then.

As a program (`python hive_tables.py FOLDER`) it prints a line for each step: a metastore is one process's."""

import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from support.written import STEPS, CatalogTable, Step, frame, sums

from treaty.engine.protocol.write_hints import DetectionMethod, WriteHint

# Spark reads Parquet and ORC itself, in one way, and what else there is as Hive does.
MANAGED, EXTERNAL = ("parquet", "textfile"), ("orc", "textfile")
SETTINGS = {
    "spark.sql.catalogImplementation": "hive",
    # A metastore in memory, gone with the process.
    "spark.hadoop.javax.jdo.option.ConnectionURL": "jdbc:derby:memory:metastore;create=true",
    "spark.hadoop.hive.exec.dynamic.partition.mode": "nonstrict",
}
WRONG = WriteHint(("day=77",), DetectionMethod.SQL)


class HiveTable(CatalogTable):
    """A table that was created with STORED AS."""

    def placed(self, day: str, ids: list[int], folder: Path) -> None:
        """A partition that lies in a folder of its own, elsewhere."""
        values = ", ".join(f"({each})" for each in ids)
        self.spark.sql(f"alter table {self.place} add partition (day = '{day}') location '{folder}'")
        self.spark.sql(f"insert overwrite {self.place} partition (day = '{day}') values {values}")

    def there(self) -> list[str]:
        """The partitions that the metastore has."""
        return sorted(row[0] for row in self.spark.sql(f"show partitions {self.place}").collect())

    def _write(self, rows: Any, mode: str, **options: str) -> None:
        if self.kind != "textfile":
            super()._write(rows, mode, **options)
            return
        frame(self.spark, rows).createOrReplaceTempView("news")
        into = "into" if mode == "append" else "overwrite"
        self.spark.sql(f"insert {into} table {self.place} partition (day) select * from news")


# As Hive has it, whatever Spark's setting: an overwrite leaves the partitions that it has no rows of.
OF_MANAGED: dict[str, Step] = {
    **STEPS,
    "all overwritten": (STEPS["all overwritten"][0], {"day=1": 1, "day=9": 9}, set()),
}


def of_external(elsewhere: Path) -> dict[str, Step]:
    """What happens to a table whose files are not the metastore's: a partition comes to lie elsewhere."""
    there: Callable[[Any], None] = lambda to: to.placed("5", [5, 6], elsewhere)  # noqa: E731
    return {
        "a partition elsewhere": (there, {"day=5": 11}, set()),
        "that partition again": (lambda to: to.overwrite_one("5", [7]), {"day=5": 7}, set()),
        # Its files stay where they are.
        "one dropped": (lambda to: to.drop("2"), {}, {"day=2"}),
        "nothing": (lambda to: None, {}, set()),
    }


def found(table: HiveTable, todo: dict[str, Step]) -> Iterator[dict[str, Any]]:
    """What was found of each step, which is told a wrong hint."""
    for name, (happens, _, _) in todo.items():
        happens(table)
        changed, looked = table.changed(WRONG), table.looked(WRONG)
        told = {
            "step": name,
            "changed": changed,
            "read": sums(looked),
            "vanished": looked.vanished,
            "how": looked.method,
        }
        yield {"table": table.place, **told, "known": sorted(table.known), "there": table.there()}


def table(spark: Any, kind: str, location: Path | None = None) -> HiveTable:
    """A table of three days that was looked at; with a location, an external one."""
    made = HiveTable(spark, f"{'external' if location else 'managed'}_{kind}", kind)
    word, where = ("external", f" location '{location}'") if location else ("", "")
    spark.sql(f"create {word} table {made.place} (id int) partitioned by (day string) stored as {kind}{where}")
    made.append([(1, "1"), (2, "2"), (3, "3")])
    made.looked()
    return made


def every(spark: Any, root: Path) -> Iterator[dict[str, Any]]:
    """What was found of every table."""
    for kind in MANAGED:
        yield from found(table(spark, kind), OF_MANAGED)
    for kind in EXTERNAL:
        yield from found(table(spark, kind, root / f"external-{kind}"), of_external(root / f"elsewhere-{kind}"))


def main(folder: str) -> None:
    """Prints what was found, a line a step."""
    from treaty.engine.spark.process.session import start

    root = Path(folder)
    spark = start(extra={**SETTINGS, "spark.sql.warehouse.dir": str(root / "warehouse")})
    spark.sparkContext.setLogLevel("OFF")
    for each in every(spark, root):
        print(json.dumps(each), flush=True)
    spark.stop()


if __name__ == "__main__":
    main(sys.argv[1])
