"""Texts of the page that drafts a contract."""

from treaty.ui.texts.formatting import join_list

INTRO = "Spark profiles the table and suggests checks that its past keeps. Nothing is promised until an owner approves."
LOCATION = "Where the table lies"
LOCATION_EXAMPLE = "/data/shop/orders or s3a://bucket/orders"
FORMAT = "Format"
FIND_OUT = "find out"
PARTITION_COLUMNS = "Partition columns"
PARTITION_EXAMPLE = "day"
PARTITION_HELP = "Separated by commas; none: one partition"
ALL_COLUMNS = "all"
COLUMNS_HELP = "Only these, separated by commas"
SAMPLE = "Sample"
ALL_ROWS = "all rows"
SAMPLE_HELP = "Read only about so many rows"
PROGRAMS = "Learn programs from its past"
PROGRAMS_HELP = "Needs one partition a time of data"
FALSE_ALARMS = "False alarms a quarter"
FALSE_ALARMS_HELP = "Of all its programs together"
REFIT = "Limits that they learn later"
TABLE_NAME = "Name of the table"
TABLE_EXAMPLE = "orders"
CONTRACT_ID = "Contract id"
CONTRACT_HELP = "Letters, digits, . _ : -"
CREATE_DRAFT = "Draft"

WAITING = "Waiting for a worker"
UNDER_WAY = "Under way"
ASKED_FOR = "Asked for"
FAILED = "It failed without saying why."
SEE_PROFILE = "See what the table is like"
ANOTHER = "Draft another"


def missing(fields: list[str]) -> str:
    return f"Still missing: {join_list(fields)}"
