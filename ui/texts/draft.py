"""Texts of the page that drafts a contract."""

from treaty.ui.texts.formatting import join_list

INTRO = (
    "Spark profiles the table and suggests checks that its history satisfies. Nothing takes effect until an owner"
    " approves."
)
LOCATION = "Table location"
LOCATION_EXAMPLE = "/data/shop/orders or s3a://bucket/orders"
FORMAT = "Format"
FIND_OUT = "Detect automatically"
PARTITION_COLUMNS = "Partition columns"
PARTITION_EXAMPLE = "day"
PARTITION_HELP = "Separated by commas; leave empty for a single partition"
ALL_COLUMNS = "all"
COLUMNS_HELP = "Separated by commas; leave empty for all columns"
SAMPLE = "Sample size"
ALL_ROWS = "all rows"
SAMPLE_HELP = "Approximate number of rows to read; leave empty for all"
PROGRAMS = "Learn anomaly programs from the table's history"
PROGRAMS_HELP = "Requires partitions by time"
FALSE_ALARMS = "False alarms per quarter"
FALSE_ALARMS_HELP = "Budget for all programs of the table together"
REFIT = "Limits learned later"
TABLE_NAME = "Table name"
TABLE_EXAMPLE = "orders"
CONTRACT_ID = "Contract id"
CONTRACT_HELP = "Letters, digits, . _ : -"
CREATE_DRAFT = "Create draft"

WAITING = "Waiting for a worker"
UNDER_WAY = "Running"
ASKED_FOR = "Requested"
FAILED = "The draft failed. No reason was recorded."
SEE_PROFILE = "View profile"
ANOTHER = "Draft another table"


def missing(fields: list[str]) -> str:
    return f"Required: {join_list(fields)}"
