"""The same changes as `datacontract breaking` sees them: agreement, or the reason why not."""

import warnings
from collections.abc import Mapping
from typing import Any

import pytest
from support.every import every
from support.version_cases import CASES, Case

from treaty.contracts.document.writer import write

# Of these it says nothing: of Treaty's own checks and terms, and of words that it does not test.
SILENT = frozenset({
    "partition columns", "a wider format", "another format", "multiples of more", "multiples of another",
    "a warning that is an error", "an error that is a warning", "a higher share", "a higher error rate",
    "another scope", "another metric", "another column", "a shorter freshness", "a longer freshness", "no freshness",
    "no other columns", "an answer of the gate",
    "an answer of the gate for uncertain checks", "an earlier deadline", "a deadline on other days",
    "a deadline of another severity", "more false alarms",
})  # fmt: skip
# What it sees otherwise, and why we stay with ours.
OTHERWISE = {
    "the same physical type": "LONG is another word for BIGINT; it compares the letters",
    "a size of a decimal": "decimal(10,2) binds more than decimal, which any precision keeps",
    "a day of another form": "it reads 20260101 as a number, which is later than 2026-01-01 in seconds",
    "a pattern that matches more": "it compares no patterns",
    "a length that all texts have": "no text is shorter than none",
    "a freshness of another column": "two columns may be as fresh as each other: the texts do not say",
}


def seen(old: Mapping[str, Any], new: Mapping[str, Any]) -> str:
    """The direction of all that it finds together."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from datacontract.data_contract import DataContract
        from open_data_contract_standard.model import OpenDataContractStandard

        read = OpenDataContractStandard.from_string
        one, other = (DataContract(data_contract=read(write(each).decode())) for each in (old, new))
        entries = one.breaking(other).entries
    found = {each.direction.value for each in entries if each.direction} - {"untested"}
    return "both" if len(found) > 1 else next(iter(found), "untested")


@every("name", sorted(CASES.keys() - SILENT))
def test_it_sees_the_same_direction_or_we_know_why_not(name: str) -> None:
    case: Case = CASES[name]
    found = seen(case.old, case.new)
    assert (found == case.direction) is (name not in OTHERWISE), found


@pytest.mark.parametrize("name", sorted(SILENT))
def test_of_what_it_does_not_test_it_says_nothing(name: str) -> None:
    assert seen(CASES[name].old, CASES[name].new) == "untested"
