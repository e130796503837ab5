"""Describe verdicts in sentences: value, rows, bound, distance to the bound, violating rows."""

import re
from collections.abc import Iterator, Mapping
from decimal import Context, Decimal
from typing import Any

from treaty.contracts.assertions import PAIRED, Assertion
from treaty.engine.analyzers.base import Analyzer
from treaty.engine.analyzers.bound import MetricValue
from treaty.engine.core.number_format import exact, figure, is_number, visible

BOUNDS = {
    "mustBe": "{} required",
    "mustNotBe": "anything but {} required",
    "mustBeGreaterThan": "more than {} required",
    "mustBeGreaterOrEqualTo": "at least {} required",
    "mustBeLessThan": "less than {} required",
    "mustBeLessOrEqualTo": "at most {} required",
    "mustBeBetween": "between {} and {} required",
    "mustNotBeBetween": "nothing between {} and {} required",
    "mustHaveNoAnomalies": "no anomalies as {} tells them",
}
AT_LEAST = frozenset({"mustBe", "mustBeGreaterThan", "mustBeGreaterOrEqualTo", "mustBeBetween"})
AT_MOST = frozenset({"mustBe", "mustBeLessThan", "mustBeLessOrEqualTo", "mustBeBetween"})
WHOLE_SHARES = {0: "none", 1: "all"}
COUNTED = frozenset({"share", "percent", "rows", "values", "columns"})
# A list of values or a predicate may be long; the check's own sentence shows it in full.
LONGEST = 160
_ROWS_OF_ROWS = re.compile(r"(?:^|(?<=: ))([\d,]+) rows of ([\d,]+ rows)( \w+)?")
_ONE_ROW = re.compile(r"(?<![\d.,])1 rows\b")
# Decimals have up to 38 digits; Python's default context keeps 28.
EXACTLY = Context(prec=80)
# Singular forms of verbs that take more than an s.
OF_ONE = {"have": "has", "do": "does", "are": "is", "match": "matches", "miss": "misses", "could": "could"}


def finding_sentence(analyzer: Analyzer, assertion: Assertion, reading: MetricValue) -> str:
    """Describe a check's finding: '0.75 of 4 rows have amount, 1 required, 0.25 too few; 1 row has none'.

    Violating rows and rows that could not be evaluated are mentioned only if there are any."""
    limits = limits_of(assertion)
    parts = [
        _value_text(analyzer, reading, limits),
        _bound(assertion, limits),
        *_missed(analyzer, assertion, reading.value),
    ]
    summary = ", ".join(parts)
    return "; ".join([summary, *_rows(analyzer, reading)])


def _bound(assertion: Assertion, limits: tuple[Any, ...]) -> str:
    """Describe the bound; operators of plug-ins and functions use their own sentence."""
    words = BOUNDS.get(assertion.operator)
    return words.format(*(figure(each) for each in limits)) if words else f"must {assertion.sentence()}"


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
    """Format the value; shares 1 and 0 become 'all' and 'none', because '1 of 4 rows' would read as one row."""
    share_of = analyzer.unit == "share" and analyzer.value_template.startswith("{value} of")
    return WHOLE_SHARES[value] if share_of and value in WHOLE_SHARES else figure(value, beside=limits)


def _of_rows(told: str) -> str:
    """Shorten repeated row counts in a phrase.

    '3 rows of 4 rows have' becomes '3 of 4 rows have', and '1 rows of 4 rows have' becomes '1 of 4 rows has'."""
    return _ONE_ROW.sub("1 row", _ROWS_OF_ROWS.sub(_once, told))


def _once(found: re.Match[str]) -> str:
    count, rows, verb = found.groups()
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


def _missed(analyzer: Analyzer, assertion: Assertion, value: Any) -> Iterator[str]:
    """Yield the distance to the bound if the value misses it and both are numbers."""
    limits = limits_of(assertion)
    if not all(map(is_number, (value, *limits))):
        return
    few, many = ("too few", "too many") if analyzer.unit in COUNTED else ("too low", "too high")
    if assertion.operator in AT_LEAST and exact(value) < exact(limits[0]):
        yield f"{_distance(limits[0], value)} {few}"
    if assertion.operator in AT_MOST and exact(value) > exact(limits[-1]):
        yield f"{_distance(value, limits[-1])} {many}"


def _distance(larger: Any, smaller: Any) -> str:
    between: Decimal = EXACTLY.subtract(exact(larger), exact(smaller))
    return figure(float(between) if isinstance(larger, float) or isinstance(smaller, float) else between)


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
