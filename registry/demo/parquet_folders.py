"""Write the shop's tables as Parquet folders without Spark, for `treaty demo --write`."""

import shutil
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from treaty.registry.demo.deliveries import DemoDelivery
from treaty.registry.demo.shop_data import ShopTable


def write(root: Path, column: str, deliveries: Iterable[DemoDelivery], tables: Iterable[ShopTable]) -> None:
    """Write each delivery as one file in `root/table/column=partition`, replacing existing files.

    Raises KeyError for a delivery of an unknown table."""
    tables_by_name = {table.name: table for table in tables}
    for each in deliveries:
        folder = root / each.table / f"{column}={each.partition}"
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        _write(folder / "part-0.parquet", each, tables_by_name[each.table])


def _write(path: Path, delivery: DemoDelivery, table: ShopTable) -> None:
    import pyarrow
    from pyarrow import parquet

    rows, changed = delivery.rows(), {name: kind for each in delivery.incidents for name, kind in each.types.items()}
    typed_columns = {name: _column([row[name] for row in rows], kind) for name, kind in table.kinds.items()}
    file_columns = {
        name: each.cast(_type(changed[name])) if name in changed else each for name, each in typed_columns.items()
    }
    parquet.write_table(pyarrow.table(file_columns), path, compression="zstd")


def _column(values: list[Any], kind: str) -> Any:
    import pyarrow

    return pyarrow.array(values, type=_type(kind))


def _type(kind: str) -> Any:
    """Return the Arrow type of a Spark type used by the shop's columns."""
    import pyarrow

    return {
        "bigint": pyarrow.int64(),
        "int": pyarrow.int32(),
        "string": pyarrow.string(),
        "boolean": pyarrow.bool_(),
        "decimal(10,2)": pyarrow.decimal128(10, 2),
    }[kind]
