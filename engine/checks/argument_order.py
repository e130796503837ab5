"""What changes of a check's arguments mean: whether the new check permits less, or more, than the old one.

Every analyzer whose values are bounded by what counts (values that are allowed, a pattern, a predicate) says so in one
row of MEASURES: which arguments that are, how two of them lie to each other, and whether the value grows with them.
What its value does follows from that, what that means from the threshold. All else is undetermined.
"""

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

DOMAINS = {
    "share": NumericDomain(0, 1),
    "coefficient": NumericDomain(-1, 1),
    "rows": NumericDomain(0, whole=True),
    "columns": NumericDomain(0, whole=True),
    "characters": NumericDomain(0),
    "values": NumericDomain(0),
    "bins": NumericDomain(0),
    "nats": NumericDomain(0),
    "distance": NumericDomain(0),
}
PERCENT = NumericDomain(0, 100)
BOUNDS = {
    "minimum": "mustBeGreaterOrEqualTo",
    "exclusive_minimum": "mustBeGreaterThan",
    "maximum": "mustBeLessOrEqualTo",
    "exclusive_maximum": "mustBeLessThan",
}


class OrderedArguments(NamedTuple):
    """Arguments of an analyzer that say what counts. `direction`: from what counts with the old ones to what does with
    the new ones (loosens: more). `grows`: whether the value is higher, or lower, where more counts."""

    arguments: frozenset[str]
    direction: Callable[[Any, Any], Direction]
    grows: bool = True


def order(old: ContractCheck, new: ContractCheck) -> CheckOrder:
    """The direction from what the old check measures to what the new one does, and which numbers its value can be.

    Undetermined for other analyzers, and where nothing is known of an argument that differs."""
    if "schema" in (old.kind, new.kind):
        return CheckOrder(_of_word(old, new))
    before, after = _analyzer(old), _analyzer(new)
    if before is None or after is None:
        return text_direction(old, new)
    if type(before) is not type(after):
        return CheckOrder(Direction.UNDETERMINED)
    domain = _domain(before) if _domain(before) == _domain(after) else ANY
    return CheckOrder(_direction(before, after, old.assertion, domain), domain)


def _analyzer(check: ContractCheck) -> Analyzer | None:
    """The analyzer with the check's arguments; None where it is not known, or does not take them."""
    try:
        ours = translate_check(check) if check.kind == "library" else check
        kind = ANALYZERS.get(ours.analyzer)
        return kind.model_validate({**_on_column(kind, ours), "where": ours.where}) if kind else None
    except (NotApplicableToTable, ValidationError):
        return None


def _on_column(kind: type[Analyzer], check: ContractCheck) -> dict[str, Any]:
    """The check's own words; where they name no column and the analyzer takes one, the property it stands on."""
    takes = next((word for word in ("column", "columns") if word in kind.model_fields), None)
    named = {"column", "columns"} & check.arguments.keys()
    return {**({takes: check.column} if takes and check.column and not named else {}), **check.arguments}


def _domain(analyzer: Analyzer) -> NumericDomain:
    in_percent = getattr(analyzer, "count_in", "rows") == "percent"
    return PERCENT if in_percent else DOMAINS.get(analyzer.unit, ANY)


def _direction(old: Analyzer, new: Analyzer, assertion: Assertion | None, domain: NumericDomain) -> Direction:
    differing = {name for name in type(old).model_fields if getattr(old, name) != getattr(new, name)}
    measures = [each for each in MEASURES.get(old.name, ()) if each.arguments & differing]
    known = frozenset({"where"}).union(*(each.arguments for each in measures))
    if not differing or assertion is None or not differing <= known:
        return Direction.UNDETERMINED if differing else Direction.UNTESTED
    filtered = [_filtered(old, new, assertion, domain)] if "where" in differing else []
    return reduce(_then, [*filtered, *(_counted(each, old, new, assertion, domain) for each in measures)])


def _then(first: Direction, second: Direction) -> Direction:
    """The direction of two steps, one after the other."""
    if Direction.UNTESTED in (first, second):
        return second if first is Direction.UNTESTED else first
    return first if first is second else Direction.UNDETERMINED


def _counted(
    measure: OrderedArguments, old: Analyzer, new: Analyzer, assertion: Assertion, domain: NumericDomain
) -> Direction:
    counts = measure.direction(old, new)
    return _assertion_direction(counts if measure.grows else counts.mirrored, assertion, domain)


def _assertion_direction(value: Direction, assertion: Assertion, domain: NumericDomain) -> Direction:
    """The direction of the promise where the value is at least (loosens), or at most (tightens), what it was."""
    up = rising(assertion, domain)
    moves = {Direction.LOOSENS: up, Direction.TIGHTENS: up.mirrored, Direction.UNTESTED: Direction.UNTESTED}
    return moves.get(value, Direction.UNDETERMINED)


def _filtered(old: Analyzer, new: Analyzer, assertion: Assertion, domain: NumericDomain) -> Direction:
    """The direction of the promise where other rows are looked at.

    Where no row is left, there is nothing to judge and no promise is broken: so more rows can tighten a promise, and
    loosen none, unless there is a value of no rows, too."""
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
    given = {operator: getattr(analyzer, name) for name, operator in BOUNDS.items()}
    return [Assertion(operator, limit) for operator, limit in given.items() if limit is not None]


def _signs(old: Any, new: Any) -> Direction:
    """Which of less, equal and greater the signs let pass."""
    return of_sets(SIGNS[old.operator], SIGNS[new.operator])


def _distances(name: str) -> Callable[[Any, Any], Direction]:
    def direction(old: Any, new: Any) -> Direction:
        before, after = getattr(old, name), getattr(new, name)
        return inclusion(new_within_old=after <= before, old_within_new=before <= after)

    return direction


def _nulls(old: Any, new: Any) -> Direction:
    """Nulls that break it count, and keep nothing."""
    return steps(old.nulls, new.nulls, ascending=("ignore", "break"))


def _present(old: Any, new: Any) -> Direction:
    """All of more columns are there less often, any of more columns more often."""
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
# Of what is a share of rows, or a count of bad ones, that each row keeps or breaks by itself: all is well.
PERFECT = {
    **dict.fromkeys((
        "completeness", "combined_completeness", "compliance", "implication", "contained_in", "in_range", "comparison",
        "pattern_match", "referential_integrity", "uniqueness",
    ), 1),
    **dict.fromkeys(("null_values", "missing_values", "invalid_values", "zeros", "duplicate_rows"), 0),
}  # fmt: skip
# Whether the value of more rows is higher (at least as high), or lower.
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
    """The direction of a word of a column: a check of kind `schema` that is called like it."""
    known = WORDS.get(new.analyzer)
    return known(old.arguments, new.arguments) if known else Direction.UNDETERMINED


def _types(old: Mapping[str, Any], new: Mapping[str, Any]) -> Direction:
    """Of physical types: the same in other words, or one that binds more, as decimal(10,2) does than decimal."""
    was, now = (str(each["physicalType"]).strip().lower() for each in (old, new))
    known = differs(was, "?") and differs(now, "?") and "<" not in was + now
    found = inclusion(new_within_old=not differs(was, now), old_within_new=not differs(now, was))
    sized = found is Direction.UNTESTED and was.partition("(")[1:] != now.partition("(")[1:]
    return Direction.BOTH if was != now and (not known or sized) else found


def _word_patterns(old: Mapping[str, Any], new: Mapping[str, Any]) -> Direction:
    was, now = (search_arguments(each["pattern"]) for each in (old, new))
    return of_patterns(RegexPattern(was["pattern"], "within" in was), RegexPattern(now["pattern"], "within" in now))


def _formats(old: Mapping[str, Any], new: Mapping[str, Any]) -> Direction:
    """Of formats of numbers, by their ranges."""
    if not all(each["format"] in NUMBER_FORMATS for each in (old, new)):
        return Direction.UNDETERMINED
    return compare_thresholds(_range(old["format"]), _range(new["format"]))


def _range(name: str) -> list[Assertion]:
    operators = ("mustBeGreaterOrEqualTo", "mustBeLessOrEqualTo")
    given = zip(operators, NUMBER_FORMATS[name], strict=True)
    return [Assertion(operator, limit) for operator, limit in given if limit is not None]


WORDS: Mapping[str, Callable[[Mapping[str, Any], Mapping[str, Any]], Direction]] = {
    "physicalType": _types,
    "pattern": _word_patterns,
    "format": _formats,
}
