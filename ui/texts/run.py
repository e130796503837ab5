"""Texts of a run report: verdict, failures, consequences and reproduction."""

from treaty.ui.texts.formatting import count, join_list, percent, pluralize

FAILED = "Failed"
WARNINGS = "Warnings"
NOT_EVALUATED = "Not evaluated"
UNCERTAIN = "Uncertain"
NO_RUN = "No run selected"
OPEN_ONE = "Open one from a contract."

PARTITIONS = "Partitions"
WHOLE_TABLE = "whole table"
FOUND_BY = "Detected by"
FINISHED = "Finished"
TOOK = "Duration"
LINEAGE_RUN = "Lineage run"
VERDICTS = {
    "failed": "Contract violated",
    "not_evaluated": "Not all checks could be evaluated",
    "uncertain": "Estimates could not decide all checks",
    "warned": "Contract met with warnings",
    "passed": "Contract met",
}

NOTHING_IN_COMMON = "The sampled rows share no value that is rare in other rows"
NO_REASON = "no reason recorded"
UNKNOWN_ELSEWHERE = "its share of all rows is unknown"
FIRST_TIME = "First failure"
BREAKING_ROWS = "Rows that violate this check"

EVERY_CHECK = "All checks with their outcomes"
BROKEN_BY = "Violating rows"
REASON = "Reason"

LED_TO = "Consequences"
NO_INCIDENT = "No incident. Consumer checks, and runs on data that was withdrawn, do not open one."
DOWNSTREAM_HIDDEN = "you may not see the downstream datasets"
NOTHING_DOWNSTREAM = "no downstream datasets known"

REPRODUCE = "How to reproduce"
NO_LOCATION = "The location of this table is unknown, so there is no command to copy."
COMMAND_RUNS = (
    "Run this where the table is readable, with the contract in the current folder. It validates all current "
    "partitions."
)
IN_SPARK = "In a Spark session"
PROGRAM_RUNS = "Validates only the partitions of this run; checks of the whole table see no others."
DOWNLOAD_CONTRACT = "Download contract"


def read_version(number: str) -> str:
    return f", version {number}"


def more_partitions(number: int) -> str:
    return f"and {pluralize(number, 'more partition')}"


def shared(conditions: list[str]) -> str:
    return f"All failing partitions have {join_list(conditions)}, and no others do"


def not_evaluated(place: str, reason: str) -> str:
    return f"{place}not evaluated: {reason}"


def allowed(limits: str) -> str:
    return f", allowed {limits}"


def measured(place: str, value: str, limits: str) -> str:
    return f"{place}measured {value}{limits}"


def all_checks(number: int) -> str:
    return f"All checks ({count(number)})"


def broken_by(rows: int) -> str:
    return count(rows)


def usual(share: float) -> str:
    return f"{percent(share)} of all rows in the partition have it"


def segment(rows: int, sampled: int, column: str, value: str, usual: str) -> str:
    return f"{column} is {value} in {rows:,} of {sampled:,} sampled rows; {usual}"


def in_a_row(runs: int) -> str:
    return f"{pluralize(runs, 'run')} in a row"


def in_all(runs: int) -> str:
    return f"all {runs:,} known runs"


def fails_since(again: str, age: str) -> str:
    return f"Failed in {again}, first {age}"


def first_under(sentence: str, version: str) -> str:
    return f"{sentence}; that was the first run with version {version}"


def looked_after_by(who: str | None) -> str:
    return f"assigned to {who}" if who else "unassigned"


def incident(contract: str, table: str) -> str:
    return f"Incident on {contract} · {table}"


def used_by(names: list[str]) -> str:
    return f", used by {join_list(names)}"


def downstream(datasets: int, consumers: str) -> str:
    return f"{pluralize(datasets, 'dataset')} downstream{consumers}"


MORE, LESS = "more", "less"
MARK_EXPECTED = "Mark as expected or wrong"


def fewer_rows(rows: int) -> str:
    return f"Would pass with {rows:,} fewer violating {'row' if rows == 1 else 'rows'}"


def enough(limit: str, difference: str) -> str:
    return f"Would pass with {limit}: {difference}" if difference else f"Would pass with {limit}"


def same_rows(name: str) -> str:
    return f"Same rows as above: {name}"


def sample_count(shown: int, broken: int) -> str:
    return f"{shown:,} of {pluralize(broken, 'row')}"


def masked(columns: list[str]) -> str:
    return f" · {join_list(columns)} masked (classified in the contract)"


def kept_until(shown: str, until: str, masked: str) -> str:
    return f"{shown} that violate this check · stored until {until}{masked}"
