"""Which rows break an assertion on a metric of rows: derived here once, from the assertion's operator and limit."""

from dataclasses import replace
from decimal import Decimal
from typing import Any

from treaty.contracts.assertions import PAIRED, Assertion
from treaty.engine.analyzers.violating_rows import ViolatingRows
from treaty.engine.components.operands import Operand
from treaty.engine.components.sql_literals import is_number, literal_of, shown_of

# By the operator: how a value compares with the limit that, as the smallest (largest) of all, breaks the assertion.
BELOW = {"mustBe": "<", "mustBeGreaterThan": "<=", "mustBeGreaterOrEqualTo": "<", "mustBeBetween": "<"}
ABOVE = {"mustBe": ">", "mustBeLessThan": ">=", "mustBeLessOrEqualTo": ">", "mustBeBetween": ">"}


def lower(assertion: Assertion) -> Any:
    """The limit from below; None where the assertion has none."""
    return _limit(assertion, 0) if assertion.operator in BELOW else None


def upper(assertion: Assertion) -> Any:
    """The limit from above; None where the assertion has none."""
    return _limit(assertion, 1) if assertion.operator in ABOVE else None


def _limit(assertion: Assertion, side: int) -> Any:
    return assertion.limit[side] if assertion.operator in PAIRED else assertion.limit


def displayed_assertion(operand: Operand, assertion: Assertion) -> Assertion:
    """The assertion with its limits in the form in which extremes of the column are shown, so that both compare.

    Raises ValueError for a text that is no date (time) on a column of dates (times)."""
    if assertion.operator in PAIRED:
        return replace(assertion, limit=tuple(shown_of(each, operand) for each in assertion.limit))
    return replace(assertion, limit=shown_of(assertion.limit, operand))


def too_small(operand: Operand, assertion: Assertion) -> ViolatingRows | None:
    """The rows whose value lies below what a smallest value must be; None where the assertion bounds none of them."""
    return _beyond(operand, BELOW.get(assertion.operator), lower(assertion))


def too_large(operand: Operand, assertion: Assertion, *, times: int = 1) -> ViolatingRows | None:
    """The rows whose value lies above what a largest value must be; None where the assertion bounds none of them.

    `times`: how many of the operand's units are one of the limit's."""
    limit = upper(assertion)
    if times != 1:
        limit = Decimal(str(limit)) * times if is_number(limit) else None
    return _beyond(operand, ABOVE.get(assertion.operator), limit)


def _beyond(operand: Operand, sign: str | None, limit: Any) -> ViolatingRows | None:
    # Measured floats are doubles by then: the limit must not be rounded to the column's few digits.
    widened = Operand(sql=f"CAST({operand.sql} AS DOUBLE)", type="double") if operand.base_type == "float" else operand
    written = literal_of(limit, widened) if sign else None
    return ViolatingRows(f"{widened.sql} {sign} {written}") if written else None


def violating_rows(kept: str, assertion: Assertion) -> ViolatingRows | None:
    """The rows that do not keep a condition, where the assertion wants a share of them from below; else None."""
    return ViolatingRows(f"NOT coalesce({kept}, false)") if lower(assertion) not in (None, 0) else None


def counted_rows(bad: str, assertion: Assertion) -> ViolatingRows | None:
    """The rows that are counted, where the assertion bounds their number from above; else None."""
    return ViolatingRows(f"coalesce({bad}, false)") if upper(assertion) is not None else None
