"""Describe what a check requires in a sentence, from the template of its finding."""

import re
from typing import Any

from treaty.contracts.assertions import ANOMALIES, PAIRED, Assertion
from treaty.engine.analyzers.arguments import ArgumentRole
from treaty.engine.analyzers.base import Analyzer
from treaty.engine.core.number_format import exact, figure, is_number

BOUNDS = {
    "mustBe": "{}",
    "mustNotBe": "not {}",
    "mustBeGreaterThan": "more than {}",
    "mustBeGreaterOrEqualTo": "at least {}",
    "mustBeLessThan": "less than {}",
    "mustBeLessOrEqualTo": "at most {}",
    "mustBeBetween": "between {} and {}",
    "mustNotBeBetween": "not between {} and {}",
    ANOMALIES: "no anomalies by {}",
}
VERBS = {"is": "be", "has": "have", "have": "have", "returns": "return", "arrive": "arrive"}
# "{value} of {counted} rows have {column}": the share of something that does something.
_SHARE = re.compile(r"\{value\} of (?:\{counted\} )?(?:the )?(.+)")
# "{subject} has {value} distinct values in {counted} rows": something with a number.
_NUMBER = re.compile(r"(.+?) (is|has|have|returns|arrive) (?:about )?\{value\}(.*?)(?: in \{counted\} rows)?")
# "{value} rows": a number of something.
_ONE = re.compile(r"(?<![\d.,])1 (row|column|character)s\b")
_COUNT = re.compile(r"\{value\} ([a-z ]+(?:\{column\})?)")


def requirement_sentence(analyzer: Analyzer, assertion: Assertion, view: str | None = None) -> str:
    """Return the requirement, such as 'at least 95 % of rows have amount'.

    `view`: name of the view that the check covers; None means all rows."""
    suffix = f" over the view {view}" if view else ""
    own = None if _is_indirect(assertion) or _has_own_phrase(analyzer) else _own_sentence(analyzer, assertion)
    if own is None:
        return f"{analyzer.phrase}{suffix} must {assertion.sentence()}"
    where = f" where {analyzer.where}" if analyzer.where and "{phrase}" not in analyzer.value_template else ""
    return f"{own}{_details(analyzer)}{where}{suffix}"


def _own_sentence(analyzer: Analyzer, assertion: Assertion) -> str | None:
    """Return the requirement in the form of the finding; None if the template has no such form."""
    bound, words = bound_text(analyzer, assertion), placeholders(analyzer)
    if analyzer.unit == "share" and (match := _SHARE.fullmatch(analyzer.value_template)):
        requirement = analyzer.requirement or f"all {match[1]}"
        return _share_sentence(assertion, bound, match[1].format_map(words), requirement.format_map(words))
    if match := _COUNT.fullmatch(analyzer.value_template):
        exactly = "exactly " if assertion.operator == "mustBe" else ""
        return counted(f"there must be {exactly}{bound} {match[1].format_map(words)}")
    if match := _NUMBER.fullmatch(analyzer.value_template):
        subject, rest = match[1].format_map(words), match[3].format_map(words)
        verb = VERBS[match[2]]
        return f"{subject} must {verb} {bound.replace('more than', 'greater than') if verb == 'be' else bound}{rest}"
    return None


def counted(text: str) -> str:
    """Return the text with the singular after a count of 1."""
    return _ONE.sub(r"1 \1", text)


def _has_own_phrase(analyzer: Analyzer) -> bool:
    """Return whether the analyzer's phrase says more than its template, as for queries."""
    return type(analyzer).phrase is not Analyzer.phrase and "{phrase}" not in analyzer.value_template


def _is_indirect(assertion: Assertion) -> bool:
    """Return whether the limits are not written out, or the operator is a plug-in's."""
    return assertion.operator not in BOUNDS or bool(assertion.references or assertion.detection)


def placeholders(analyzer: Analyzer) -> dict[str, str]:
    """Return the texts of a template's placeholders: the arguments, the phrase and the subject."""
    values = {name: getattr(analyzer, name) for name in type(analyzer).model_fields}
    texts = {name: ", ".join(map(str, each)) if isinstance(each, tuple) else str(each) for name, each in values.items()}
    subject = ", ".join(analyzer.columns_read) or getattr(analyzer, "predicate", "")
    return {**texts, "phrase": analyzer.phrase, "subject": subject}


def _details(analyzer: Analyzer) -> str:
    """Return the arguments that the template does not mention: ' (pattern ^[A-Z]{2}$)'."""
    template = analyzer.value_template
    if "{phrase}" in template:
        return ""
    named = {*analyzer.roles[ArgumentRole.COLUMN], *analyzer.roles[ArgumentRole.PREDICATE], "where"}
    others = [
        f"{name.replace('_', ' ')} {value}"
        for name, value in analyzer.arguments().items()
        if name not in named and f"{{{name}}}" not in template
    ]
    return f" ({', '.join(others)})" if others else ""


def bound_text(analyzer: Analyzer, assertion: Assertion) -> str:
    """Return the bound in words: 'at least 95 %', 'between 323 and 926'."""
    limits = limits_of(assertion)
    return BOUNDS[assertion.operator].format(*(limit_text(analyzer, each, limits) for each in limits))


def limit_text(analyzer: Analyzer, limit: Any, alongside: tuple[Any, ...] = ()) -> str:
    """Format a limit with the digits that it needs to differ from `alongside`."""
    if analyzer.unit != "share" or not is_number(limit):
        return figure(limit, alongside=alongside)
    percents = [float(100 * exact(each)) for each in alongside if is_number(each)]
    return f"{figure(float(100 * exact(limit)), alongside=percents)} %"


def limits_of(assertion: Assertion) -> tuple[Any, ...]:
    """Return the limits of an assertion: two for a range, else one."""
    return tuple(assertion.limit) if assertion.operator in PAIRED else (assertion.limit,)


def requires_all(assertion: Assertion) -> bool:
    """Return whether a share must be 100 %."""
    return assertion.limit == 1 and assertion.operator in ("mustBe", "mustBeGreaterOrEqualTo")


def _share_sentence(assertion: Assertion, bound: str, rest: str, requirement: str) -> str:
    if requires_all(assertion):
        return requirement
    if assertion.limit == 0 and assertion.operator in ("mustBe", "mustBeLessOrEqualTo"):
        return f"no {rest}"
    return f"{bound} of {rest}"
