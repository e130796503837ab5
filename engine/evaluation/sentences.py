"""Describe findings in sentences: value, rows, bound, violating rows."""

import re
from collections.abc import Collection, Iterator, Mapping
from typing import Any

from treaty.contracts.assertions import Assertion
from treaty.engine.analyzers.base import Analyzer
from treaty.engine.analyzers.bound import MetricValue
from treaty.engine.checks.requirement_sentence import BOUNDS, limit_text, limits_of, placeholders, requires_all
from treaty.engine.core.number_format import figure, is_number, percentage, visible

WHOLE_SHARES = {0: "none", 1: "all"}
# A list of values or a predicate may be long; the check's own sentence shows it in full.
LONGEST = 160
_ROWS_OF_ROWS = re.compile(r"(?:^|(?<=: ))([\d,]+) rows of ([\d,]+ rows)( \w+)?")
_ONE_ROW = re.compile(r"(?<![\d.,])1 rows\b")
# Words of a template that are no text of a user, besides numbers.
FIXED = ("counted", "count_in")
# Stand for the text of a user until the sentence around it is complete.
OPENING, CLOSING = "\ue000", "\ue001"
_MARK = re.compile(f"{OPENING}(\\d+){CLOSING}")
# Singular forms of verbs that take more than an s.
OF_ONE = {"have": "has", "do": "does", "are": "is", "match": "matches", "miss": "misses", "could": "could"}


def finding_sentence(analyzer: Analyzer, assertion: Assertion, reading: MetricValue) -> str:
    """Describe a check's finding: '75.0 % of 4 rows have amount (required: 100 %); 1 row has none'.

    Violating rows and rows that could not be evaluated are mentioned only if there are any."""
    limits = limits_of(assertion)
    summary = f"{_value_text(analyzer, reading, limits)} ({_bound(analyzer, assertion, reading.value)})"
    return "; ".join([summary, *_rows(analyzer, reading)])


def uncertainty_sentence(analyzer: Analyzer, bounds: tuple[float, float]) -> str:
    """Describe an estimate that is too close to its threshold to decide the check."""
    return f"uncertain: the exact value is {_between(analyzer, bounds)}"


def exactness_sentence(analyzer: Analyzer, bounds: tuple[float, float]) -> str:
    """Describe why a value is exact although its metric is an estimate."""
    how = "computed from all values" if analyzer.needs_previous else "computed exactly"
    return f"{how}: the estimate allowed a value {_between(analyzer, bounds)}"


def _between(analyzer: Analyzer, bounds: tuple[float, float]) -> str:
    low, high = (limit_text(analyzer, each, bounds) for each in bounds)
    return f"between {low} and {high}"


def _bound(analyzer: Analyzer, assertion: Assertion, value: Any) -> str:
    """Describe the bound; operators of plug-ins and functions use their own sentence."""
    if assertion.operator not in BOUNDS:
        return f"must {assertion.sentence()}"
    if analyzer.unit == "share" and requires_all(assertion):
        return "required: 100 %"
    limits = limits_of(assertion)
    texts = (limit_text(analyzer, each, (value, *limits)) for each in limits)
    return f"required: {BOUNDS[assertion.operator].format(*texts)}"


def _value_text(analyzer: Analyzer, reading: MetricValue, limits: tuple[Any, ...]) -> str:
    words = {
        **{name: _short(text) for name, text in placeholders(analyzer).items()},
        "value": _value(analyzer, reading.value, limits),
        "counted": figure(reading.rows if reading.counted is None else reading.counted),
    }
    template = analyzer.value_template.replace("about ", "") if reading.estimate_bounds else analyzer.value_template
    text = _of_template(template, words, {*FIXED, *(["value"] if is_number(reading.value) else [])})
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


def _of_template(template: str, words: Mapping[str, str], fixed: Collection[str]) -> str:
    """Return the template with its words; only its own row counts are shortened.

    `fixed`: names of words that are not written by users."""
    others = [name for name in words if name not in fixed]
    marks = {name: f"{OPENING}{at}{CLOSING}" for at, name in enumerate(others)}
    return _MARK.sub(lambda each: words[others[int(each[1])]], _of_rows(template.format_map({**words, **marks})))


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
