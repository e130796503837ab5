"""Texts of the metric explorer: series, feedback and comparison of partitions."""

from treaty.ui.texts.formatting import join_list, pluralize, value

OPEN_REPORT = "Open the report"
FIRST_RUN_BEGINS = "The first run of the contract begins it."
MEASURED_FOR = "Metrics are measured for the checks of contracts."
NO_NUMBER = "This metric has no number to draw in that time."

COMPARE_WITH = "Beside it"
OF_THE_LAST = "Of the last"
SEGMENT = "Segment"
ANYTHING = "anything"
FIT_JUDGED = "The limits that the last run was judged by"
ANOMALIES = "Anomalies"

REPORT = "Report"
LEGEND_LEARNED = "Shaded: what its past admits; dotted: what was expected"
LEGEND_FAILED = "Triangle: the check failed"
LEGEND_GAP = "Cross: no value"
NO_ANOMALY = "no anomaly"
OF = "Of"
FEEDBACK_LABEL = "Said"

# Tooltips of points in the chart.
TIP_OF = "of"
TIP_VALUE = "value"
TIP_EXPECTED = "expected"
TIP_ADMITTED = "admitted"
TIP_WOULD_BE = "would be admitted"
TIP_NOTE = "note"
SHARE_OF_ROWS = "share of rows"
LEFT_OUT = "left out"

TWO_PARTITIONS = "Two partitions beside each other"
WITH = "With"
THEIR_COLUMNS = "Their columns, from stored states"
STATES_DO_NOT_TELL = "The states do not tell these apart"
NO_COLUMN = "No column is known"
NO_COLUMN_STORED = "Nothing of these partitions is stored that tells of their columns."
FACT = "Fact"
FACTS_COMPARED = "Facts of the column in both partitions"
LEGEND_TWO = "Filled and plain: the first. Dashed: the second."
VALUES_COMPARED = "Frequent values in both partitions"

MARKS = "What a point was"
OFFER_MARK = "Say that a point was expected, or an incident"
ALL_DATA = "all data"
POINT = "Point"
ITS_DATA_WERE = "Its data were"
SAVE = "Save"
LEGEND_FORESEEN = "Dashed: what is admitted now · Shaded: what would be admitted · Cross: what would be left out"
NEXT = "next"
SAY_WHY = "Say why: whoever looks at this point later will ask"
IT_IS_SAID = "It is said. What is learned from now on goes by it."

FITS = "Fits of the check, the newest first"
LEARNED = "Learned"
ADMITS = "Admits"
FROM = "From"
WOULD_HAVE_ALARMED = "Would have alarmed"
BECAUSE_OF = "Because of"
JUDGES = "Judges"
IT_JUDGES = "yes"
IT_DOES_NOT_JUDGE = "no: it is beyond what was approved"
BESIDE_VERSION = "Beside version"


def newest_first(metric: str) -> str:
    return f"{metric}, the newest first"


def legend_limit(allowed: str) -> str:
    return f"Dashed: the contract's limit, {allowed}"


def no_values(metric: str) -> str:
    return f"{metric}: no values"


def times(metric: str, number: int) -> str:
    return f"{metric} {pluralize(number, 'time')}"


def last_is(last: float) -> str:
    return f"the last is {value(last)}"


def anomalies(number: int) -> str:
    return pluralize(number, "anomaly", "anomalies")


def gaps(number: int) -> str:
    return f"{pluralize(number, 'gap')} without a value"


def distributed(metric: str, partitions: list[str]) -> str:
    return f"{metric}: how its numbers are distributed in {join_list(partitions)}"


def feedback_line(of: str, mark: str, by: str, age: str, why: str) -> str:
    return f"{of}: {mark}, by {by}, {age}: {why}"


def limits_change(now: str, then: str) -> str:
    text = f"{now} is admitted now; it would be {then}" if now != then else f"{now} is admitted, as before"
    return f"{text[:1].upper()}{text[1:]}."


def outside(judged: int, now: int, then: int) -> str:
    return f"Of {pluralize(judged, 'clean point')}, {now:,} lie outside now; {then:,} would."


def would_have_alarmed(alarms: int, tested: int) -> str:
    return f"Limits learned so would have alarmed {alarms:,} of {pluralize(tested, 'time')}."


def learned_since(fits: int) -> str:
    return f"Limits learned since they were approved ({fits:,})"


def learned_from(partitions: int, last: str) -> str:
    return f"{pluralize(partitions, 'partition')} to {last}"
