"""Convert checks to a common form that the exports of other tools share.

Checks without a common form yield the reason. Text that such tools would render as a template is never exported."""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from treaty.contracts.assertions import Assertion
from treaty.contracts.document.model import SCOPES, DataObject
from treaty.engine.analyzers.base import Analyzer
from treaty.engine.checks.executors import CheckAssignment, checks_with_runners
from treaty.engine.core.results import Runner

NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
TEMPLATE = re.compile(r"\{[{%#]|\$\{")
_ODD = re.compile(r"[^A-Za-z0-9_.-]")
LONGEST = 200
NO_WORD = "no equivalent check"


class CommonCheckKind(StrEnum):
    """Kind of a common check: on values or rows, on keys, or on one aggregate of all rows."""

    FILLED = "filled"
    LISTED = "listed"
    RANGED = "ranged"
    MATCHED = "matched"
    TRUE = "true"
    UNIQUE = "unique"
    ROWS = "rows"
    LEAST = "least"
    GREATEST = "greatest"
    MEAN = "mean"
    SUM = "sum"
    DISTINCT = "distinct"


# Row-level checks: the same rows violate them, whether all rows are checked or a part.
BY_ROW = frozenset(
    {
        CommonCheckKind.FILLED,
        CommonCheckKind.LISTED,
        CommonCheckKind.RANGED,
        CommonCheckKind.MATCHED,
        CommonCheckKind.TRUE,
    }
)
WHOLE_NUMBERS = frozenset({CommonCheckKind.ROWS, CommonCheckKind.DISTINCT})


@dataclass(frozen=True, kw_only=True)
class CommonCheck:
    """A check in common form.

    `values`: the allowed values, the lower and upper bound (None for no bound), the pattern of the whole text, or
    the condition, depending on the kind.
    `where`: SQL condition on the rows to check; None means all rows."""

    kind: CommonCheckKind
    columns: tuple[str, ...]
    values: tuple[Any, ...]
    check: CheckAssignment
    where: str | None = None

    @property
    def column(self) -> str:
        """Return the first column; '' for none."""
        return self.columns[0] if self.columns else ""

    @property
    def mild(self) -> bool:
        """Return whether a violation is only a warning."""
        return self.check.check.severity == "warning"


@dataclass(frozen=True)
class UnsupportedCheck:
    """A check without a common form, and the reason."""

    check: CheckAssignment
    reason: str


def promises(described: DataObject) -> Iterator[CommonCheck | UnsupportedCheck]:
    """Yield every check of the object in common form, or the reason it has none.

    A check on several conditions yields one common check for each."""
    for check in checks_with_runners(described):
        yield from _common_checks(check)


def line(words: str) -> str:
    """Return the text on one line, with printable characters only and template delimiters broken up.

    Some tools render templates even in comments."""
    printable = "".join(each if each.isprintable() else " " for each in " ".join(words.split()))
    return TEMPLATE.sub(lambda match: " ".join(match[0]), printable)


def label(words: str) -> str:
    """Return the text as a safe name: letters, digits, dots, dashes and underscores."""
    return _ODD.sub("_", words)[:LONGEST]


def _common_checks(check: CheckAssignment) -> Iterator[CommonCheck | UnsupportedCheck]:
    if check.runner is not Runner.HERE or check.analyzer is None or check.check.assertion is None:
        yield UnsupportedCheck(check, check.reason or "it has no assertion")
        return
    forms = CONVERTERS.get(check.analyzer.name, _nothing)(check.analyzer, check.check.assertion)
    condition = check.analyzer.where
    if reason := _hindrance(check, forms, condition):
        yield UnsupportedCheck(check, reason)
    yield from () if reason else (_promise(each, check, condition) for each in forms)


def _promise(form: "CommonForm", check: CheckAssignment, where: str | None) -> CommonCheck:
    kind, columns, values = form
    return CommonCheck(kind=kind, columns=columns, values=values, check=check, where=where)


def _hindrance(check: CheckAssignment, forms: list["CommonForm"], where: str | None) -> str | None:
    """Return why the check cannot be exported; None if it can."""
    if not forms:
        return NO_WORD
    if check.scope not in SCOPES:
        return f"its scope is {check.scope}"
    if not all(map(NAME.fullmatch, (name for _, columns, _ in forms for name in columns))):
        return "its column names are not plain identifiers"
    texts = (each for _, _, values in forms for each in (*values, where) if isinstance(each, str))
    return "it contains template syntax" if any(map(TEMPLATE.search, texts)) else None


CommonForm = tuple[CommonCheckKind, tuple[str, ...], tuple[Any, ...]]


def closed(promise: Assertion, *, whole: bool = False) -> tuple[Any, Any] | None:
    """Return the closed range of values that satisfy the assertion; None if it is not one.

    A bound is None if the range is open on that side.

    `whole`: the metric is an integer, so that a strict bound can be shifted by one."""
    limits = promise.limit if isinstance(promise.limit, list | tuple) else (promise.limit,)
    if not all(isinstance(each, int | float) and not isinstance(each, bool) for each in limits):
        return None
    step = {"mustBeGreaterThan": 1, "mustBeLessThan": -1}.get(promise.operator)
    if step is not None and not (whole and isinstance(limits[0], int)):
        return None
    return RANGES[promise.operator](*limits) if promise.operator in RANGES else None


RANGES: Mapping[str, Callable[..., tuple[Any, Any]]] = {
    "mustBe": lambda limit: (limit, limit),
    "mustBeGreaterOrEqualTo": lambda limit: (limit, None),
    "mustBeLessOrEqualTo": lambda limit: (None, limit),
    "mustBeGreaterThan": lambda limit: (limit + 1, None),
    "mustBeLessThan": lambda limit: (None, limit - 1),
    "mustBeBetween": lambda least, greatest: (least, greatest),
}


def _all(promise: Assertion) -> bool:
    return promise.operator in {"mustBe", "mustBeGreaterOrEqualTo"} and promise.limit == 1


def _none(promise: Assertion) -> bool:
    return promise.operator in {"mustBe", "mustBeLessOrEqualTo"} and promise.limit == 0


def _nothing(_: Analyzer, __: Assertion) -> list[CommonForm]:
    return []


def _filled(holds: Callable[[Assertion], bool]) -> Callable[[Any, Assertion], list[CommonForm]]:
    return lambda analyzer, promise: [(CommonCheckKind.FILLED, (analyzer.column,), ())] if holds(promise) else []


def _unique(holds: Callable[[Assertion], bool]) -> Callable[[Any, Assertion], list[CommonForm]]:
    return lambda analyzer, promise: (
        [(CommonCheckKind.UNIQUE, analyzer.columns, ())] if holds(promise) and analyzer.columns else []
    )


def _key(analyzer: Any, promise: Assertion) -> list[CommonForm]:
    filled: list[CommonForm] = [(CommonCheckKind.FILLED, (each,), ()) for each in analyzer.columns]
    return [*filled, (CommonCheckKind.UNIQUE, analyzer.columns, ())] if _all(promise) else []


def _contained(analyzer: Any, promise: Assertion) -> list[CommonForm]:
    is_exact = _all(promise) and analyzer.nulls == "ignore"
    return [(CommonCheckKind.LISTED, (analyzer.column,), analyzer.values)] if is_exact else []


def _ranged(analyzer: Any, promise: Assertion) -> list[CommonForm]:
    bounds = analyzer.minimum, analyzer.maximum
    strict = analyzer.exclusive_minimum is not None or analyzer.exclusive_maximum is not None
    numbers = all(isinstance(each, int | float | None) and not isinstance(each, bool) for each in bounds)
    is_exact = _all(promise) and analyzer.nulls == "ignore" and numbers and not strict
    return [(CommonCheckKind.RANGED, (analyzer.column,), bounds)] if is_exact else []


def _matched(analyzer: Any, promise: Assertion) -> list[CommonForm]:
    is_exact = analyzer.pattern is not None and not analyzer.within and analyzer.nulls == "ignore"
    patterns = (rf"^(?:{analyzer.pattern})$",)
    return [(CommonCheckKind.MATCHED, (analyzer.column,), patterns)] if is_exact and _all(promise) else []


def _valid(analyzer: Any, promise: Assertion) -> list[CommonForm]:
    values_only = analyzer.pattern is None and analyzer.format is None and analyzer.valid_values
    return (
        [(CommonCheckKind.LISTED, (analyzer.column,), analyzer.valid_values)] if values_only and _none(promise) else []
    )


def _true(analyzer: Any, promise: Assertion) -> list[CommonForm]:
    return [(CommonCheckKind.TRUE, (), (analyzer.predicate,))] if _all(promise) else []


def _number(kind: CommonCheckKind) -> Callable[[Any, Assertion], list[CommonForm]]:
    def form_of(analyzer: Any, promise: Assertion) -> list[CommonForm]:
        columns = getattr(analyzer, "columns", ()) or tuple(filter(None, [getattr(analyzer, "column", None)]))
        range_ = closed(promise, whole=kind in WHOLE_NUMBERS)
        return [(kind, columns, range_)] if range_ and len(columns) <= 1 else []

    return form_of


CONVERTERS: Mapping[str, Callable[[Any, Assertion], list[CommonForm]]] = {
    "completeness": _filled(_all),
    "null_values": _filled(_none),
    "uniqueness": _unique(_all),
    "unique_row_ratio": _unique(_all),
    "unique_value_ratio": _unique(_all),
    "distinctness": _unique(_all),
    "duplicate_rows": _unique(_none),
    "primary_key": _key,
    "contained_in": _contained,
    "invalid_values": _valid,
    "in_range": _ranged,
    "pattern_match": _matched,
    "compliance": _true,
    "size": _number(CommonCheckKind.ROWS),
    "minimum": _number(CommonCheckKind.LEAST),
    "maximum": _number(CommonCheckKind.GREATEST),
    "mean": _number(CommonCheckKind.MEAN),
    "sum": _number(CommonCheckKind.SUM),
    "count_distinct": _number(CommonCheckKind.DISTINCT),
}
