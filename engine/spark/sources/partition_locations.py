"""Where the partitions of a catalog's table lie, as its metastore has it."""

from typing import Any

from treaty.contracts.predicates.parser import literal, quote, quote_path
from treaty.engine.core.errors import EngineError
from treaty.engine.core.partitions import partition_names
from treaty.engine.spark.process.errors import safe_message
from treaty.engine.spark.sources.readers import plain

MISSING = ("PARTITIONS_NOT_FOUND", "NoSuchPartition")


def folders(session: Any, table: str) -> dict[str, str]:
    """The folder of every partition that the metastore lists, by the partition's name as the metastore writes it.

    One question for the list and one for each partition. Raises EngineError, and what Spark raises."""
    listed = session.sql(f"show partitions {quote_path(table)}").collect()
    found = ((row[0], folder_of(session, table, row[0])) for row in listed)
    return {name: folder for name, folder in found if folder is not None}


def folder_of(session: Any, table: str, name: str) -> str | None:
    """Where a partition lies; None where there is none of that name. Raises EngineError."""
    try:
        rows = session.sql(f"describe extended {quote_path(table)} partition ({spec(name)})").collect()
    except Exception as error:
        if any(each in safe_message(error) for each in MISSING):
            return None
        raise EngineError(f"the catalog does not tell where {name} of {table} lies: {safe_message(error)}") from error
    # The second one is that of the table.
    return next((plain(row["data_type"]) for row in rows if row["col_name"] == "Location"), None)


def spec(name: str) -> str:
    """The partition of that name as statements about a table name it."""
    return ", ".join(
        f"{quote(column)} = {'null' if value is None else literal(value)}"
        for column, value in partition_names.values(name).items()
    )
