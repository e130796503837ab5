"""Verdicts in words: what was measured, on how many rows, the bound, by how much it was missed, and which rows did."""

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
# A list of values or a predicate may be long; the check's own sentence has all of it.
LONGEST = 160
_ROWS_OF_ROWS = re.compile(r"(?:^|(?<=: ))([\d,]+) rows of ([\d,]+ rows)( \w+)?")
_ONE_ROW = re.compile(r"(?<![\d.,])1 rows\b")
# Decimals have up to 38 digits; Python's own context keeps 28.
EXACTLY = Context(prec=80)
# How the verbs that do not just take an s are said of one row.
OF_ONE = {"have": "has", "do": "does", "are": "is", "match": "matches", "miss": "misses", "could": "could"}


def finding_sentence(analyzer: Analyzer, assertion: Assertion, reading: MetricValue) -> str:
    """What a check found, in words: '0.75 of 4 rows have amount, 1 required, 0.25 too few; 1 row has none'.

    Says of rows that break it, and of rows that could not be evaluated, only where there are any."""
    limits = limits_of(assertion)
    told = [
        _value_text(analyzer, reading, limits),
        _bound(assertion, limits),
        *_missed(analyzer, assertion, reading.value),
    ]
    judged = ", ".join(told)
    return "; ".join([judged, *_rows(analyzer, reading)])


def _bound(assertion: Assertion, limits: tuple[Any, ...]) -> str:
    """The bound in words; of an operator that a plug-in or a function brings, its own sentence."""
    words = BOUNDS.get(assertion.operator)
    return words.format(*(figure(each) for each in limits)) if words else f"must {assertion.sentence()}"


def limits_of(assertion: Assertion) -> tuple[Any, ...]:
    """The limits of an assertion: two for a range, else one."""
    return tuple(assertion.limit) if assertion.operator in PAIRED else (assertion.limit,)


def _value_text(analyzer: Analyzer, reading: MetricValue, limits: tuple[Any, ...]) -> str:
    words = {
        **_arguments(analyzer),
        "phrase": _short(analyzer.phrase),
        "subject": _short(", ".join(analyzer.columns_read) or getattr(analyzer, "predicate", "")),
        "value": _value(analyzer, reading.value, limits),
        "counted": figure(reading.rows if reading.counted is None else reading.counted),
    }
    told = _of_rows(analyzer.value_template.format_map(words))
    return (
        told
        if "{phrase}" in analyzer.value_template or not analyzer.where
        else f"{told} where {_short(analyzer.where)}"
    )


def _value(analyzer: Analyzer, value: Any, limits: tuple[Any, ...]) -> str:
    """The value; a share of 1 or 0 of something is said in words, for '1 of 4 rows' would be taken for one row."""
    share_of = analyzer.unit == "share" and analyzer.value_template.startswith("{value} of")
    return WHOLE_SHARES[value] if share_of and value in WHOLE_SHARES else figure(value, beside=limits)


def _of_rows(told: str) -> str:
    """'3 rows of 4 rows have' as '3 of 4 rows have', '1 rows of 4 rows have' as '1 of 4 rows has'."""
    return _ONE_ROW.sub("1 row", _ROWS_OF_ROWS.sub(_once, told))


def _once(found: re.Match[str]) -> str:
    count, rows, verb = found.groups()
    said = f" {_of_one(verb.strip())}" if verb and count == "1" else verb or ""
    return f"{count} of {rows}{said}"


def _of_one(verb: str) -> str:
    return OF_ONE.get(verb, f"{verb}s")


def _arguments(analyzer: Analyzer) -> Mapping[str, str]:
    given = {name: getattr(analyzer, name) for name in type(analyzer).model_fields}
    texts = {name: ", ".join(map(str, each)) if isinstance(each, tuple) else str(each) for name, each in given.items()}
    return {name: _short(text) for name, text in texts.items()}


def _short(text: str) -> str:
    return visible(text, longest=LONGEST)


def _missed(analyzer: Analyzer, assertion: Assertion, value: Any) -> Iterator[str]:
    """By how much the value misses the bound; nothing where it keeps it, or where there is no distance to tell."""
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
    """The words about rows, said of as many: 'rows have none' of one is '1 row has none'."""
    noun, verb, *rest = words.split(" ")
    if count != 1 or noun != "rows":
        return f"{figure(count)} {words}"
    return " ".join(["1 row", _of_one(verb), *rest])
