"""Describe findings in sentences: value, rows, bound, violating rows."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from treaty.contracts.assertions import PAIRED, Assertion
from treaty.engine.analyzers.base import Analyzer
from treaty.engine.analyzers.bound import MetricValue
from treaty.engine.core.number_format import exact, figure, is_number, percentage, visible

BOUNDS = {
    "mustBe": "required: {}",
    "mustNotBe": "required: not {}",
    "mustBeGreaterThan": "required: more than {}",
    "mustBeGreaterOrEqualTo": "required: at least {}",
    "mustBeLessThan": "required: less than {}",
    "mustBeLessOrEqualTo": "required: at most {}",
    "mustBeBetween": "required: between {} and {}",
    "mustNotBeBetween": "required: not between {} and {}",
    "mustHaveNoAnomalies": "required: no anomalies by {}",
}
WHOLE_SHARES = {0: "none", 1: "all"}
# A list of values or a predicate may be long; the check's own sentence shows it in full.
LONGEST = 160
_ROWS_OF_ROWS = re.compile(r"(?:^|(?<=: ))([\d,]+) rows of ([\d,]+ rows)( \w+)?")
_ONE_ROW = re.compile(r"(?<![\d.,])1 rows\b")
# Singular forms of verbs that take more than an s.
OF_ONE = {"have": "has", "do": "does", "are": "is", "match": "matches", "miss": "misses", "could": "could"}


def finding_sentence(analyzer: Analyzer, assertion: Assertion, reading: MetricValue) -> str:
    """Describe a check's finding: '75.0 % of 4 rows have amount (required: 100 %); 1 row has none'.

    Violating rows and rows that could not be evaluated are mentioned only if there are any."""
    limits = limits_of(assertion)
    summary = f"{_value_text(analyzer, reading, limits)} ({_bound(analyzer, assertion, reading.value)})"
    return "; ".join([summary, *_rows(analyzer, reading)])


def _bound(analyzer: Analyzer, assertion: Assertion, value: Any) -> str:
    """Describe the bound; operators of plug-ins and functions use their own sentence."""
    limits = limits_of(assertion)
    words = BOUNDS.get(assertion.operator)
    if words is None:
        return f"must {assertion.sentence()}"
    if analyzer.unit == "share" and limits == (1,) and assertion.operator == "mustBeGreaterOrEqualTo":
        words = BOUNDS["mustBe"]
    return words.format(*(_limit(analyzer, each, (value, *limits)) for each in limits))


def _limit(analyzer: Analyzer, limit: Any, alongside: tuple[Any, ...]) -> str:
    """Format a limit with as many digits as it needs to differ from the value."""
    if analyzer.unit != "share" or not is_number(limit):
        return figure(limit, alongside=alongside)
    percents = [float(100 * exact(each)) for each in alongside if is_number(each)]
    return f"{figure(float(100 * exact(limit)), alongside=percents)} %"


def limits_of(assertion: Assertion) -> tuple[Any, ...]:
    """Return the limits of an assertion: two for a range, else one."""
    return tuple(assertion.limit) if assertion.operator in PAIRED else (assertion.limit,)


def _value_text(analyzer: Analyzer, reading: MetricValue, limits: tuple[Any, ...]) -> str:
    words = {
        **_arguments(analyzer),
        "phrase": _short(analyzer.phrase),
        "subject": _short(", ".join(analyzer.columns_read) or getattr(analyzer, "predicate", "")),
        "value": _value(analyzer, reading.value, limits),
        "counted": figure(reading.rows if reading.counted is None else reading.counted),
    }
    text = _of_rows(analyzer.value_template.format_map(words))
    return (
        text
        if "{phrase}" in analyzer.value_template or not analyzer.where
        else f"{text} where {_short(analyzer.where)}"
    )


def _value(analyzer: Analyzer, value: Any, limits: tuple[Any, ...]) -> str:
    """Format the value; shares are percentages, or 'all' and 'none' of something."""
    if analyzer.unit != "share" or not is_number(value):
        return figure(value, alongside=limits)
    if value in WHOLE_SHARES and analyzer.value_template.startswith("{value} of"):
        return WHOLE_SHARES[value]
    return percentage(value, limits)


def _of_rows(phrase: str) -> str:
    """Shorten repeated row counts in a phrase.

    '3 rows of 4 rows have' becomes '3 of 4 rows have', and '1 rows of 4 rows have' becomes '1 of 4 rows has'."""
    return _ONE_ROW.sub("1 row", _ROWS_OF_ROWS.sub(_once, phrase))


def _once(match: re.Match[str]) -> str:
    count, rows, verb = match.groups()
    suffix = f" {_of_one(verb.strip())}" if verb and count == "1" else verb or ""
    return f"{count} of {rows}{suffix}"


def _of_one(verb: str) -> str:
    return OF_ONE.get(verb, f"{verb}s")


def _arguments(analyzer: Analyzer) -> Mapping[str, str]:
    values = {name: getattr(analyzer, name) for name in type(analyzer).model_fields}
    texts = {name: ", ".join(map(str, each)) if isinstance(each, tuple) else str(each) for name, each in values.items()}
    return {name: _short(text) for name, text in texts.items()}


def _short(text: str) -> str:
    return visible(text, longest=LONGEST)


def _rows(analyzer: Analyzer, reading: MetricValue) -> Iterator[str]:
    if reading.broken:
        yield counted_rows(reading.broken, analyzer.violation_phrase)
    if reading.unevaluated:
        yield counted_rows(reading.unevaluated, "rows could not be evaluated")


def counted_rows(count: int, words: str) -> str:
    """Combine a count with a phrase about rows; for 1, 'rows have none' becomes '1 row has none'."""
    noun, verb, *rest = words.split(" ")
    if count != 1 or noun != "rows":
        return f"{figure(count)} {words}"
    return " ".join(["1 row", _of_one(verb), *rest])
