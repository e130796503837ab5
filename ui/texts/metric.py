"""Texts of the metric explorer: series, feedback and comparison of partitions."""

from treaty.ui.texts.formatting import join_list, pluralize, value

OPEN_REPORT = "Open report"
FIRST_RUN_BEGINS = "The history starts with the first run of the contract."
MEASURED_FOR = "Metrics are measured for the checks of contracts. Draft a contract to begin."
NO_NUMBER = "This metric has no numeric values in this range."

COMPARE_WITH = "Compare with"
OF_THE_LAST = "Range"
SEGMENT = "Segment"
ANYTHING = "no limits"
FIT_JUDGED = "Limits used by the last run"
ANOMALIES = "Anomalies"

REPORT = "Report"
LEGEND_LEARNED = "Shaded: band learned from history; dotted: expected value"
LEGEND_FAILED = "Triangle: the check failed"
LEGEND_GAP = "Cross: no value"
NO_ANOMALY = "no anomalies"
OF = "Partition or time"
FEEDBACK_LABEL = "Feedback"

# Tooltips of points in the chart.
TIP_OF = "Partition or time"
TIP_VALUE = "Value"
TIP_EXPECTED = "Expected"
TIP_ADMITTED = "Allowed"
TIP_WOULD_BE = "Allowed after feedback"
TIP_NOTE = "Note"
SHARE_OF_ROWS = "share of rows"
TIP_SHARE = "Share of rows"
LEFT_OUT = "excluded"

TWO_PARTITIONS = "Partition comparison"
WITH = "Compare with"
THEIR_COLUMNS = "Compare columns from stored states"
STATES_DO_NOT_TELL = "These partitions cannot be compared"
NO_COLUMN = "No columns"
NO_COLUMN_STORED = "No column states are stored for these partitions."
FACT = "Statistic"
FACTS_COMPARED = "Statistics of the column in both partitions"
LEGEND_TWO = "Solid: first partition. Dashed: second partition."
VALUES_COMPARED = "Frequent values in both partitions"

MARKS = "Feedback"
OFFER_MARK = "Give feedback on a point"
ALL_DATA = "all data"
POINT = "Point"
ITS_DATA_WERE = "Mark as"
SAVE = "Save"
LEGEND_FORESEEN = "Dashed: allowed now · Shaded: allowed after feedback · Cross: excluded"
NEXT = "next"
SAY_WHY = "Enter a reason: others will see it with this point."
IT_IS_SAID = "Feedback saved. It applies to everything learned from now on."

FITS = "Fits of the check, newest first"
LEARNED = "Learned"
ADMITS = "Allows"
FROM = "Learned from"
WOULD_HAVE_ALARMED = "Backtest alarms"
BECAUSE_OF = "Reason"
JUDGES = "Active"
IT_JUDGES = "yes"
IT_DOES_NOT_JUDGE = "no: exceeds what was approved"
BESIDE_VERSION = "Version"


def newest_first(metric: str) -> str:
    return f"{metric}, newest first"


def legend_limit(allowed: str) -> str:
    return f"Dashed: contract limits ({allowed})"


def no_values(metric: str) -> str:
    return f"{metric}: no values"


def times(metric: str, number: int) -> str:
    return f"{metric}: {pluralize(number, 'value')}"


def last_is(last: float, unit: str = "") -> str:
    return f"last {value(last, unit)}"


def anomalies(number: int) -> str:
    return pluralize(number, "anomaly", "anomalies")


def gaps(number: int) -> str:
    return pluralize(number, "gap")


def distributed(metric: str, partitions: list[str]) -> str:
    return f"{metric}: distribution in {join_list(partitions)}"


def feedback_line(of: str, mark: str, by: str, age: str, why: str) -> str:
    return f"{of}: {mark}, by {by}, {age}: {why}"


def limits_change(now: str, then: str) -> str:
    return f"Allowed now: {now}; after feedback: {then}." if now != then else f"Allowed: {now} (unchanged)."


def outside(evaluated: int, now: int, then: int) -> str:
    return f"Of {pluralize(evaluated, 'clean point')}, {now:,} are outside now; {then:,} would be outside."


def would_have_alarmed(alarms: int, tested: int) -> str:
    return (
        f"Limits learned this way would have raised {pluralize(alarms, 'alarm')} in {pluralize(tested, 'evaluation')}."
    )


def learned_since(fits: int) -> str:
    return f"Limits learned since approval ({fits:,})"


def learned_from(partitions: int, last: str) -> str:
    return f"{pluralize(partitions, 'partition')} up to {last}"
