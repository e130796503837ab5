"""Texts of a run report: verdict, failures, consequences and reproduction."""

from treaty.ui.texts.formatting import count, join_list, pluralize

FAILED = "Failed"
WARNINGS = "Warnings"
NOT_EVALUATED = "Not evaluated"
NO_RUN = "No run named"
OPEN_ONE = "Open one from a contract."

PARTITIONS = "Partitions"
WHOLE_TABLE = "whole table"
FOUND_BY = "Found by"
FINISHED = "Finished"
TOOK = "Took"
LINEAGE_RUN = "Lineage run"
VERDICTS = {
    "failed": "The data does not keep the contract",
    "not_evaluated": "Some checks could not be evaluated, so nothing is promised about them",
    "warned": "The data keeps the contract, with warnings",
    "passed": "The data keeps the contract",
}

NOTHING_IN_COMMON = "The kept rows have nothing in common that is rare elsewhere"
NO_REASON = "no reason was recorded"
UNKNOWN_ELSEWHERE = "how common that is elsewhere is not stored"
FIRST_TIME = "for the first time in this run"
BREAKING_ROWS = "Rows that break this check"

EVERY_CHECK = "Every check with its outcome"
BROKEN_BY = "Broken by"
REASON = "Reason"

LED_TO = "What it led to"
NO_INCIDENT = "No incident is known for it: checks of consumers and runs that were taken back open none."
DOWNSTREAM_HIDDEN = "what lies downstream may not be seen"
NOTHING_DOWNSTREAM = "nothing is known to lie downstream"

REPRODUCE = "How to reproduce"
NO_LOCATION = "The registry does not know where this table lies, so there is no command to copy."
COMMAND_RUNS = "On a machine that reads the table, with the contract beside it. It judges every partition there is now."
IN_SPARK = "In a session of Spark"
PROGRAM_RUNS = "It judges the partitions of this run alone; checks of the whole table see no others then."
DOWNLOAD_CONTRACT = "Download the contract"


def read_version(number: str) -> str:
    return f", version {number}"


def more_partitions(number: int) -> str:
    return f"and {pluralize(number, 'more partition')}"


def shared(conditions: list[str]) -> str:
    return f"All partitions that fail have {join_list(conditions)}, and no other has"


def not_evaluated(place: str, reason: str) -> str:
    return f"{place}not evaluated: {reason}"


def allowed(limits: str) -> str:
    return f", allowed {limits}"


def measured(place: str, found: str, limits: str) -> str:
    return f"{place}measured {found}{limits}"


def all_checks(number: int) -> str:
    return f"All checks ({count(number)})"


def broken_by(rows: int) -> str:
    return pluralize(rows, "row")


def usual(share: float) -> str:
    return f"in {share:.1%} of all rows of the partition"


def segment(rows: int, kept: int, column: str, value: str, usual: str) -> str:
    return f"In {rows} of {kept} kept rows {column} is {value}; {usual}"


def in_a_row(runs: int) -> str:
    return f"{pluralize(runs, 'run')} in a row"


def in_all(runs: int) -> str:
    return f"in all {runs:,} runs that are known"


def fails_since(again: str, age: str) -> str:
    return f"Fails {again}, since {age}"


def fails(again: str) -> str:
    return f"Fails {again}"


def first_under(told: str, version: str) -> str:
    return f"{told}; that run was the first one under version {version}"


def looked_after_by(who: str) -> str:
    return f"looked after by {who}"


def incident(contract: str, table: str) -> str:
    return f"Incident of {contract} · {table}"


def used_by(names: list[str], more: str) -> str:
    return f", used by {join_list(names)}{more}"


def downstream(datasets: int, consumers: str) -> str:
    return f"{pluralize(datasets, 'dataset')} downstream{consumers}"


def sample_count(shown: int, broken: int) -> str:
    return f"{shown} of {pluralize(broken, 'row')}"


def masked(columns: list[str]) -> str:
    return f" · {join_list(columns)} masked: classified by the contract"


def kept_until(shown: str, until: str, masked: str) -> str:
    return f"{shown} that break it · kept until {until}{masked}"
