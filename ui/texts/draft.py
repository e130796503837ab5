"""Texts of the page that drafts a contract."""

from treaty.ui.texts.formatting import join_list, partition_label, pluralize

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
PROGRAM_OPTIONS = "Options for programs"
PATTERN_OPTIONS = "Options for text patterns"
COMPARE = "Compare with other options"
COMPARE_HELP = "Shows what other options would have learned, and on which partitions they would have alarmed"
DEFAULT = "default"
# Label and explanation of each option.
OPTIONS = {
    "false_alarms": (
        "False alarms per quarter",
        "Budget for all programs of the table together. With a smaller budget, limits are wider and checks fewer.",
    ),
    "bound": (
        "How false alarms are bounded",
        "Measured rates include the changes that real tables undergo, so that fewer checks fit the budget. The other"
        " two assume that later partitions vary like earlier ones.",
    ),
    "clauses": ("Checks per column", "Largest number, without those of completeness and row count"),
    "history": ("Partitions to learn from", "The newest ones; by default 62 days, weeks or months, and 504 hours"),
    "refit": ("Limits learned later", "Which of them apply without approval"),
    "method": (
        "Method",
        "Treaty compares several patterns by their past false alarms. The methods of the paper minimize one quantity,"
        " and any significant growth of other values is an error.",
    ),
    "max_impurity": (
        "Largest share of false alarms in other columns",
        "From 0.001 to 1. The paper calls it r. Smaller values leave fewer and wider patterns.",
    ),
    "min_columns": (
        "Other columns that must have the pattern",
        "The paper calls it m. By default the number grows with the number of indexed columns.",
    ),
    "max_tokens": (
        "Longest pattern in tokens",
        "From 1 to 8. The paper calls it tau. Longer texts are cut.",
    ),
    "max_discarded": (
        "Largest share of rows to leave out",
        "From 0 to 0.5. The paper calls it theta. Rows of rare shapes are then not described by the pattern.",
    ),
}
OPTION_VALUES = {
    "measured": "Measured on real tables",
    "paper": "Rules of the paper, if nothing changes",
    "proven": "Proven, if nothing changes",
    "treaty": "Treaty",
    "fmdv": "FMDV",
    "fmdv-v": "FMDV with segments",
    "fmdv-h": "FMDV without rare rows",
    "fmdv-vh": "FMDV with both",
    "cmdv": "CMDV",
}
OTHER_OPTIONS = "Other options"
OTHER_OPTIONS_HELP = "Each row changes one option. The partitions were evaluated with what earlier ones taught."
OPTION = "Option"
VALUE = "Value"
CHOSEN = "Chosen"
CHECKS = "Checks"
CATCHES = "Catches"
CATCHES_HELP = "Programs: share of injected issues. Patterns: share of other columns in this one's place."
WOULD_ALARM = "Would have alarmed on"
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


def alarms(names: list[str], evaluated: int) -> str:
    counted = f"{len(names):,} of {pluralize(evaluated, 'partition')}"
    return f"{counted}: {join_list([partition_label(each) for each in names])}" if names else counted


def missing(fields: list[str]) -> str:
    return f"Required: {join_list(fields)}"
