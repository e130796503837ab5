"""The cases' table as a Spark frame."""

from typing import Any

from support.analyzer_table import COLUMNS, ROWS


def case_frame(spark: Any) -> Any:
    """All columns side by side, with exactly the types that the cases name."""
    ddl = ", ".join(f"`{name.replace('`', '``')}` {kind}" for name, (kind, _) in COLUMNS.items())
    return spark.createDataFrame(ROWS, ddl)
