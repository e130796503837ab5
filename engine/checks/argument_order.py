"""Compare a check's arguments: does the new check permit less or more data than the old one?

An analyzer whose value depends on a set (allowed values, a pattern, a predicate) has a row in MEASURES. It names
these arguments, compares two sets of them, and says whether the value grows with the set. From this follows how the
value changes; from the threshold follows what the change means. Everything else is undetermined."""

from collections.abc import Callable, Mapping
from functools import reduce
from typing import Any, NamedTuple

from pydantic import ValidationError

from treaty.contracts.assertions import Assertion
from treaty.contracts.comparison.differences import CheckOrder, text_direction
from treaty.contracts.comparison.directions import Direction, inclusion, of_sets, steps
from treaty.contracts.comparison.predicate_implication import of_predicates
from treaty.contracts.comparison.regex_inclusion import RegexPattern, of_patterns
from treaty.contracts.comparison.threshold_order import (
    ANY,
    NumericDomain,
    admits_only,
    compare_thresholds,
    of_values,
    rising,
)
from treaty.contracts.document.model import ContractCheck
from treaty.engine.analyzers import ANALYZERS
from treaty.engine.analyzers.base import Analyzer, NotApplicableToTable
from treaty.engine.checks.column_keywords import NUMBER_FORMATS, search_arguments
from treaty.engine.checks.odcs_metrics import translate_check
from treaty.engine.checks.physical_types import differs

BOUNDS = {
    "minimum": "mustBeGreaterOrEqualTo",
    "exclusive_minimum": "mustBeGreaterThan",
    "maximum": "mustBeLessOrEqualTo",
    "exclusive_maximum": "mustBeLessThan",
}


class OrderedArguments(NamedTuple):
    """Arguments of an analyzer that define which rows or values it counts.

    `direction`: compares what the old and the new arguments count (loosens: more). `grows`: True if the value rises
    when more is counted, False if it falls."""

    arguments: frozenset[str]
    direction: Callable[[Any, Any], Direction]
    grows: bool = True


def order(old: ContractCheck, new: ContractCheck) -> CheckOrder:
    """Compare what two versions of a check permit, and return the domain of its values.

    The direction is undetermined for analyzers without a row in MEASURES, and if an argument that differs is not
    covered there."""
    if "schema" in (old.kind, new.kind):
        return CheckOrder(_of_word(old, new))
    before, after = _analyzer(old), _analyzer(new)
    if before is None or after is None:
        return text_direction(old, new)
    if type(before) is not type(after):
        return CheckOrder(Direction.UNDETERMINED)
    domain = before.domain if before.domain == after.domain else ANY
    return CheckOrder(_direction(before, after, old.assertion, domain), domain)


def _analyzer(check: ContractCheck) -> Analyzer | None:
    """Return the analyzer with the check's arguments; None if it is unknown or rejects them."""
    try:
        translated = translate_check(check) if check.kind == "library" else check
        kind = ANALYZERS.get(translated.analyzer)
        return kind.model_validate({**_on_column(kind, translated), "where": translated.where}) if kind else None
    except (NotApplicableToTable, ValidationError):
        return None


def _on_column(kind: type[Analyzer], check: ContractCheck) -> dict[str, Any]:
    """Return the check's arguments, with the check's own column if they name none."""
    argument = next((word for word in ("column", "columns") if word in kind.model_fields), None)
    named = {"column", "columns"} & check.arguments.keys()
    return {**({argument: check.column} if argument and check.column and not named else {}), **check.arguments}


def _direction(old: Analyzer, new: Analyzer, assertion: Assertion | None, domain: NumericDomain) -> Direction:
    differing = {name for name in type(old).model_fields if getattr(old, name) != getattr(new, name)}
    measures = [each for each in MEASURES.get(old.name, ()) if each.arguments & differing]
    comparable = frozenset({"where"}).union(*(each.arguments for each in measures))
    if not differing or assertion is None or not differing <= comparable:
        return Direction.UNDETERMINED if differing else Direction.UNTESTED
    filtered = [_filtered(old, new, assertion, domain)] if "where" in differing else []
    return reduce(_then, [*filtered, *(_counted(each, old, new, assertion, domain) for each in measures)])


def _then(first: Direction, second: Direction) -> Direction:
    """Combine the directions of two successive changes."""
    if Direction.UNTESTED in (first, second):
        return second if first is Direction.UNTESTED else first
    return first if first is second else Direction.UNDETERMINED


def _counted(
    measure: OrderedArguments, old: Analyzer, new: Analyzer, assertion: Assertion, domain: NumericDomain
) -> Direction:
    counts = measure.direction(old, new)
    return _assertion_direction(counts if measure.grows else counts.mirrored, assertion, domain)


def _assertion_direction(value: Direction, assertion: Assertion, domain: NumericDomain) -> Direction:
    """Translate a rise (loosens) or fall (tightens) of the value into the check's direction."""
    up = rising(assertion, domain)
    moves = {Direction.LOOSENS: up, Direction.TIGHTENS: up.mirrored, Direction.UNTESTED: Direction.UNTESTED}
    return moves.get(value, Direction.UNDETERMINED)


def _filtered(old: Analyzer, new: Analyzer, assertion: Assertion, domain: NumericDomain) -> Direction:
    """Return the direction of a check whose row filter changed.

    Without rows there is no value and no violation. So more rows can only tighten a check, unless its metric is
    defined on no rows."""
    rows = of_predicates(old.where, new.where)
    if old.name in PERFECT and admits_only(assertion, PERFECT[old.name], domain):
        return rows.mirrored
    grows = GROWING.get(old.name)
    if grows is None or getattr(old, "count_in", "rows") == "percent":
        return Direction.UNDETERMINED
    more = _assertion_direction(Direction.LOOSENS if grows else Direction.TIGHTENS, assertion, domain)
    if more is not Direction.TIGHTENS and not old.defined_on_empty:
        return Direction.UNDETERMINED
    return more if rows is Direction.LOOSENS else more.mirrored if rows is Direction.TIGHTENS else rows


def _values(name: str) -> Callable[[Any, Any], Direction]:
    def direction(old: Any, new: Any) -> Direction:
        before, after = getattr(old, name), getattr(new, name)
        return Direction.UNDETERMINED if before is None or after is None else of_values(before, after)

    return direction


def _predicates(old: Any, new: Any) -> Direction:
    return of_predicates(old.predicate, new.predicate)


def _bounds(old: Any, new: Any) -> Direction:
    return compare_thresholds(_limits(old), _limits(new))


def _limits(analyzer: Any) -> list[Assertion]:
    limits = {operator: getattr(analyzer, name) for name, operator in BOUNDS.items()}
    return [Assertion(operator, limit) for operator, limit in limits.items() if limit is not None]


def _signs(old: Any, new: Any) -> Direction:
    """Compare the sets of less, equal and greater that two operators accept."""
    return of_sets(SIGNS[old.operator], SIGNS[new.operator])


def _distances(name: str) -> Callable[[Any, Any], Direction]:
    def direction(old: Any, new: Any) -> Direction:
        before, after = getattr(old, name), getattr(new, name)
        return inclusion(new_within_old=after <= before, old_within_new=before <= after)

    return direction


def _nulls(old: Any, new: Any) -> Direction:
    """Compare the treatment of nulls; nulls that violate tighten the check."""
    return steps(old.nulls, new.nulls, ascending=("ignore", "break"))


def _present(old: Any, new: Any) -> Direction:
    """Compare column lists: all of more columns is rarer, any of more columns is more frequent."""
    more = of_sets(old.columns, new.columns)
    if old.of != new.of or more is Direction.BOTH:
        return Direction.UNDETERMINED
    return more if new.of == "any" else more.mirrored


def _patterns(old: Any, new: Any) -> Direction:
    if None in (old.pattern, new.pattern):
        return Direction.UNDETERMINED
    return of_patterns(RegexPattern(old.pattern, old.within), RegexPattern(new.pattern, new.within))


def _measure(*arguments: str, by: Callable[[Any, Any], Direction], grows: bool = True) -> OrderedArguments:
    return OrderedArguments(frozenset(arguments), by, grows)


SIGNS = {"=": "=", "<": "<", ">": ">", "<=": "<=", ">=": ">=", "!=": "<>"}
# Values of analyzers that mean "no row violates": a share of rows, or a count of violating rows, evaluated row by row.
PERFECT = {
    **dict.fromkeys((
        "completeness", "combined_completeness", "compliance", "implication", "contained_in", "in_range", "comparison",
        "pattern_match", "referential_integrity", "uniqueness",
    ), 1),
    **dict.fromkeys(("null_values", "missing_values", "invalid_values", "zeros", "duplicate_rows"), 0),
}  # fmt: skip
# True if more rows can only raise the value, False if they can only lower it.
GROWING = {
    **dict.fromkeys((
        "size", "count_distinct", "maximum", "maximum_length", "null_values", "missing_values", "invalid_values",
        "zeros", "duplicate_rows",
    ), True),
    **dict.fromkeys(("minimum", "minimum_length"), False),
}  # fmt: skip
_NULLS = _measure("nulls", by=_nulls)
_QUANTILE = _measure("quantile", by=_distances("quantile"))
MEASURES = {
    "contained_in": (_measure("values", by=_values("values")), _NULLS),
    "in_range": (_measure(*BOUNDS, by=_bounds), _NULLS),
    "comparison": (_measure("operator", by=_signs), _NULLS),
    "compliance": (_measure("predicate", by=_predicates),),
    "implication": (_measure("predicate", by=_predicates),),
    "pattern_match": (_measure("pattern", "within", "format", by=_patterns), _NULLS),
    "invalid_values": (
        _measure("valid_values", by=_values("valid_values"), grows=False),
        _measure("pattern", "within", "format", by=_patterns, grows=False),
    ),
    "missing_values": (_measure("missing", by=_values("missing")),),
    "combined_completeness": (_measure("columns", "of", by=_present),),
    "dataset_match": (
        _measure("tolerance", by=_distances("tolerance")),
        _measure("relative_tolerance", by=_distances("relative_tolerance")),
    ),
    "approx_quantile": (_QUANTILE,),
    "exact_quantile": (_QUANTILE,),
}


def _of_word(old: ContractCheck, new: ContractCheck) -> Direction:
    """Return the direction of a changed column keyword, a check of kind `schema`."""
    compare = WORDS.get(new.analyzer)
    return compare(old.arguments, new.arguments) if compare else Direction.UNDETERMINED


def _types(old: Mapping[str, Any], new: Mapping[str, Any]) -> Direction:
    """Compare physical types: synonyms are equal, decimal(10,2) is tighter than decimal."""
    before, after = (str(each["physicalType"]).strip().lower() for each in (old, new))
    comparable = differs(before, "?") and differs(after, "?") and "<" not in before + after
    direction = inclusion(new_within_old=not differs(before, after), old_within_new=not differs(after, before))
    sized = direction is Direction.UNTESTED and before.partition("(")[1:] != after.partition("(")[1:]
    return Direction.BOTH if before != after and (not comparable or sized) else direction


def _word_patterns(old: Mapping[str, Any], new: Mapping[str, Any]) -> Direction:
    before, after = (search_arguments(each["pattern"]) for each in (old, new))
    return of_patterns(
        RegexPattern(before["pattern"], "within" in before), RegexPattern(after["pattern"], "within" in after)
    )


def _formats(old: Mapping[str, Any], new: Mapping[str, Any]) -> Direction:
    """Compare number formats by their ranges."""
    if not all(each["format"] in NUMBER_FORMATS for each in (old, new)):
        return Direction.UNDETERMINED
    return compare_thresholds(_range(old["format"]), _range(new["format"]))


def _range(name: str) -> list[Assertion]:
    operators = ("mustBeGreaterOrEqualTo", "mustBeLessOrEqualTo")
    bounds = zip(operators, NUMBER_FORMATS[name], strict=True)
    return [Assertion(operator, limit) for operator, limit in bounds if limit is not None]


WORDS: Mapping[str, Callable[[Mapping[str, Any], Mapping[str, Any]], Direction]] = {
    "physicalType": _types,
    "pattern": _word_patterns,
    "format": _formats,
}
