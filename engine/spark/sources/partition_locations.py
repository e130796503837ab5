"""Read the folders of a catalog table's partitions from its metastore."""

from typing import Any

from treaty.contracts.predicates.parser import literal, quote, quote_path
from treaty.engine.core.errors import EngineError
from treaty.engine.core.filesystems import plain
from treaty.engine.core.partitions import partition_names
from treaty.engine.spark.process.errors import safe_message

MISSING = ("PARTITIONS_NOT_FOUND", "NoSuchPartition")


def folders(session: Any, table: str) -> dict[str, str]:
    """Return the folder of every partition in the metastore, by the metastore's partition name.

    Takes one statement for the list and one per partition. Raises EngineError, and Spark's errors."""
    rows = session.sql(f"show partitions {quote_path(table)}").collect()
    locations = ((row[0], folder_of(session, table, row[0])) for row in rows)
    return {name: folder for name, folder in locations if folder is not None}


def folder_of(session: Any, table: str, name: str) -> str | None:
    """Return the folder of a partition; None if it does not exist. Raises EngineError."""
    try:
        rows = session.sql(f"describe extended {quote_path(table)} partition ({spec(name)})").collect()
    except Exception as error:
        if any(each in safe_message(error) for each in MISSING):
            return None
        raise EngineError(
            f"the catalog did not return the location of {name} of {table}: {safe_message(error)}"
        ) from error
    # A second Location row is that of the table.
    return next((plain(row["data_type"]) for row in rows if row["col_name"] == "Location"), None)


def spec(name: str) -> str:
    """Return the partition spec in SQL for a partition name."""
    return ", ".join(
        f"{quote(column)} = {'null' if value is None else literal(value)}"
        for column, value in partition_names.values(name).items()
    )
