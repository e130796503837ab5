"""Say which check of a column the standard's own `pattern` means as well."""

from collections.abc import Mapping

from treaty.contracts.document.ecma_regex import ecma_regex
from treaty.contracts.document.model import SCOPES, ContractCheck, DataObject
from treaty.contracts.limits.safe_regex import UnsafeRegex


def pattern_option(check: ContractCheck) -> str | None:
    """Return the `pattern` of logicalTypeOptions that is equal to a check; None if none is.

    It is equal if the check covers all rows, is an error, ignores nulls, and its expression can be written in the
    syntax of the standard."""
    words, assertion = check.arguments, check.assertion
    pattern = words.get("pattern") if check.analyzer == "pattern_match" else None
    is_of_all = assertion is not None and assertion.operator in {"mustBe", "mustBeGreaterOrEqualTo"}
    if not isinstance(pattern, str) or assertion is None or not is_of_all or assertion.limit != 1:
        return None
    if check.severity != "error" or check.where is not None or check.scope not in (None, *SCOPES):
        return None
    if words.get("nulls", "ignore") != "ignore":
        return None
    try:
        return ecma_regex(pattern, within=words.get("within") is True)
    except UnsafeRegex:
        return None


def patterns_of(data_object: DataObject) -> Mapping[str, list[str]]:
    """Return the patterns that checks are equal to, by the path of their column."""
    patterns: dict[str, list[str]] = {}
    for check in data_object.checks:
        column, pattern = check.arguments.get("column", check.column), pattern_option(check)
        if isinstance(column, str) and pattern is not None:
            patterns.setdefault(column, []).append(pattern)
    return patterns
