"""Tables that are written to in every way, what was found of it by then, and the truth of it."""

import shutil
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from support.orders import check, contract

from treaty.engine.protocol.requests import MeasureRequest, MeasureResult, TableSource
from treaty.engine.protocol.write_hints import ChangeHints, TableVersion, WriteHint
from treaty.engine.spark.handlers.measure import measure
from treaty.engine.spark.sources import changes
from treaty.engine.states import bag as states_bag

PROMISED = contract(
    check("sum", "sum", column="id", mustBeGreaterOrEqualTo=0),
    properties=[{"name": "id", "logicalType": "integer"}, {"name": "day", "logicalType": "string"}],
)
DDL = "id int, day string"
OVERWRITES = "partitionOverwriteMode"
Rows = list[tuple[int, str]]


def frame(spark: Any, rows: Rows) -> Any:
    return spark.createDataFrame(rows, DDL).coalesce(1)


@dataclass
class Table:
    """A table that is written to, and what a registry knows of it. `at`: the version that was looked at last."""

    spark: Any
    place: str
    kind: str
    known: dict[str, str] = field(default_factory=dict)
    at: TableVersion | None = None

    @property
    def source(self) -> TableSource:
        return TableSource(self.place, None, ("day",))

    def append(self, rows: Rows) -> None:
        """Rows beside what is there."""
        self._write(rows, "append")

    def overwrite(self, rows: Rows, how: str) -> None:
        """The partitions that the rows have, or all of the table."""
        self._write(rows, "overwrite", **{OVERWRITES: how})

    def overwrite_one(self, day: str, ids: list[int]) -> None:
        """One partition, which is named."""
        rows = frame(self.spark, [(each, day) for each in ids]).drop("day")
        rows.write.mode("overwrite").format(self.kind).save(f"{self.place}/day={day}")

    def drop(self, day: str) -> None:
        """One partition is taken away."""
        shutil.rmtree(f"{self.place}/day={day}")

    def looked(self, hint: WriteHint | None = None) -> MeasureResult:
        """What a validation reads, which is known from then on."""
        look = ChangeHints(hint or WriteHint(), self.at, reading="a-task")
        found = measure(
            self.spark,
            MeasureRequest(
                source=self.source,
                contract=PROMISED.source,
                object="orders",
                stored_fingerprints=self.known,
                hints=look,
            ),
        )
        self.known, self.at = dict(found.fingerprints), found.table_version
        return found

    def changed(self, hint: WriteHint) -> list[str]:
        """What is told to have changed, without reading it."""
        look = ChangeHints(hint, self.at)
        return changes.layout(self.spark, self.source, look=look, stored_fingerprints=self.known).changed(self.known)

    def _write(self, rows: Rows, mode: str, **options: str) -> None:
        writer = frame(self.spark, rows).write.mode(mode).format(self.kind).partitionBy("day")
        writer.options(**options).save(self.place)


class CatalogTable(Table):
    """A table of the catalog."""

    def overwrite_one(self, day: str, ids: list[int]) -> None:
        values = ", ".join(f"({each})" for each in ids)
        self.spark.sql(f"insert overwrite {self.place} partition (day = '{day}') values {values}")

    def drop(self, day: str) -> None:
        self.spark.sql(f"alter table {self.place} drop partition (day = '{day}')")

    def _write(self, rows: Rows, mode: str, **options: str) -> None:
        # What is inserted into a table heeds the session's setting, and no option of its own.
        self.spark.conf.set("spark.sql.sources.partitionOverwriteMode", options.get(OVERWRITES, "static"))
        frame(self.spark, rows).write.mode(mode).insertInto(self.place)


class DeltaTable(Table):
    """A Delta table, named by its folder."""

    def overwrite_one(self, day: str, ids: list[int]) -> None:
        rows = frame(self.spark, [(each, day) for each in ids])
        only = rows.write.mode("overwrite").format("delta").option("replaceWhere", f"day = '{day}'")
        only.save(self.place)

    def drop(self, day: str) -> None:
        self.sql(f"delete from {{}} where day = '{day}'")

    def sql(self, text: str) -> None:
        """A statement about the table."""
        self.spark.sql(text.format(f"delta.`{self.place}`")).collect()


def sums(found: MeasureResult) -> dict[str, int]:
    """What was read anew, by partition."""
    bags = {name: states_bag.unpack(packed) for name, packed in found.states.items()}
    return {name: next(int(value) for key, value in _sums(bag)) for name, bag in bags.items()}


def _sums(bag: Any) -> Iterator[tuple[str, Any]]:
    return ((key, each) for key, each in bag.values.items() if key.startswith("sum/"))


# What happens, what is read anew of it, and which partitions have vanished.
Step = tuple[Callable[[Any], None], Mapping[str, int], set[str]]
STEPS: dict[str, Step] = {
    "an append of nothing": (lambda to: to.append([]), {}, set()),
    "an append to one": (lambda to: to.append([(10, "2")]), {"day=2": 12}, set()),
    "one overwritten": (lambda to: to.overwrite_one("1", [5, 6]), {"day=1": 11}, set()),
    "those that have rows": (lambda to: to.overwrite([(7, "3"), (8, "4")], "dynamic"), {"day=3": 7, "day=4": 8}, set()),
    "one dropped": (lambda to: to.drop("2"), {}, {"day=2"}),
    "all overwritten": (
        lambda to: to.overwrite([(1, "1"), (9, "9")], "static"), {"day=1": 1, "day=9": 9}, {"day=3", "day=4"}
    ),
    "with a name that folders escape": (lambda to: to.append([(4, "a/b")]), {"day=a%2Fb": 4}, set()),
    "nothing": (lambda to: None, {}, set()),
}  # fmt: skip
