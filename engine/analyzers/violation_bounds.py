"""Derive the rows that violate an assertion from its operator and bounds."""

from dataclasses import replace
from decimal import Decimal
from typing import Any

from treaty.contracts.assertions import PAIRED, Assertion
from treaty.engine.analyzers.violating_rows import ViolatingRows
from treaty.engine.components.operands import Operand
from treaty.engine.components.sql_literals import is_number, literal_of, shown_of

# For each operator, the comparison by which a value below (above) the bound violates the assertion.
BELOW = {"mustBe": "<", "mustBeGreaterThan": "<=", "mustBeGreaterOrEqualTo": "<", "mustBeBetween": "<"}
ABOVE = {"mustBe": ">", "mustBeLessThan": ">=", "mustBeLessOrEqualTo": ">", "mustBeBetween": ">"}


def lower(assertion: Assertion) -> Any:
    """Return the lower bound; None if the assertion has none."""
    return _limit(assertion, 0) if assertion.operator in BELOW else None


def upper(assertion: Assertion) -> Any:
    """Return the upper bound; None if the assertion has none."""
    return _limit(assertion, 1) if assertion.operator in ABOVE else None


def _limit(assertion: Assertion, side: int) -> Any:
    return assertion.limit[side] if assertion.operator in PAIRED else assertion.limit


def displayed_assertion(operand: Operand, assertion: Assertion) -> Assertion:
    """Return the assertion with its bounds in the format of the column's displayed extremes.

    Raises ValueError for a text that is no valid date or time on a column of dates or times."""
    if assertion.operator in PAIRED:
        return replace(assertion, limit=tuple(shown_of(each, operand) for each in assertion.limit))
    return replace(assertion, limit=shown_of(assertion.limit, operand))


def too_small(operand: Operand, assertion: Assertion) -> ViolatingRows | None:
    """Return the rows with a value below the lower bound; None if the assertion has none."""
    return _beyond(operand, BELOW.get(assertion.operator), lower(assertion))


def too_large(operand: Operand, assertion: Assertion, *, times: int = 1) -> ViolatingRows | None:
    """Return the rows with a value above the upper bound; None if the assertion has none.

    `times`: number of the operand's units in one unit of the bound."""
    limit = upper(assertion)
    if times != 1:
        limit = Decimal(str(limit)) * times if is_number(limit) else None
    return _beyond(operand, ABOVE.get(assertion.operator), limit)


def _beyond(operand: Operand, sign: str | None, limit: Any) -> ViolatingRows | None:
    # Floats are measured as doubles, so the bound must not be rounded to the column's precision.
    widened = Operand(sql=f"CAST({operand.sql} AS DOUBLE)", type="double") if operand.base_type == "float" else operand
    sql_literal = literal_of(limit, widened) if sign else None
    return ViolatingRows(f"{widened.sql} {sign} {sql_literal}") if sql_literal else None


def violating_rows(condition: str, assertion: Assertion) -> ViolatingRows | None:
    """Return the rows that violate a condition whose share is bounded from below; else None."""
    return ViolatingRows(f"NOT coalesce({condition}, false)") if lower(assertion) not in (None, 0) else None


def counted_rows(bad: str, assertion: Assertion) -> ViolatingRows | None:
    """Return the rows that satisfy a condition whose count is bounded from above; else None."""
    return ViolatingRows(f"coalesce({bad}, false)") if upper(assertion) is not None else None
