"""The shop's tables as folders of Parquet files, written in this process: `treaty demo --write` needs no Spark."""

import shutil
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from treaty.registry.demo.deliveries import DemoDelivery
from treaty.registry.demo.shop_data import ShopTable


def write(root: Path, column: str, deliveries: Iterable[DemoDelivery], tables: Iterable[ShopTable]) -> None:
    """Writes each delivery of the shop as one file below `root/table/column=partition`, in place of what was there.

    Raises KeyError for a delivery of another table."""
    of = {table.name: table for table in tables}
    for each in deliveries:
        folder = root / each.table / f"{column}={each.partition}"
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        _write(folder / "part-0.parquet", each, of[each.table])


def _write(path: Path, delivery: DemoDelivery, table: ShopTable) -> None:
    import pyarrow
    from pyarrow import parquet

    rows, changed = delivery.rows(), {name: kind for each in delivery.incidents for name, kind in each.types.items()}
    made = {name: _column([row[name] for row in rows], kind) for name, kind in table.kinds.items()}
    arrived = {name: each.cast(_type(changed[name])) if name in changed else each for name, each in made.items()}
    parquet.write_table(pyarrow.table(arrived), path, compression="zstd")


def _column(values: list[Any], kind: str) -> Any:
    import pyarrow

    return pyarrow.array(values, type=_type(kind))


def _type(kind: str) -> Any:
    """Arrow's type for one of those that the shop's columns have in Spark."""
    import pyarrow

    return {
        "bigint": pyarrow.int64(),
        "int": pyarrow.int32(),
        "string": pyarrow.string(),
        "boolean": pyarrow.bool_(),
        "decimal(10,2)": pyarrow.decimal128(10, 2),
    }[kind]
