"""SQL that compares values of two datasets: as keys, or as values with a tolerance."""

from treaty.engine.analyzers.base import NotApplicableToTable
from treaty.engine.components.operands import FRACTIONAL, INTEGRAL, NUMERIC, TEXT, Operand

EXACT = INTEGRAL | {"decimal"}


def as_keys(mine: Operand, theirs: Operand) -> tuple[str, str]:
    """Return both operands as SQL of one type that is equal for equal values.

    Integers of any width become bigint, everything else canonical text. Raises NotApplicableToTable if the kinds
    differ: text and number, or decimals of different scale."""
    if {mine.base_type, theirs.base_type} <= INTEGRAL:
        return mine.canonical(), theirs.canonical()
    if _kind(mine) != _kind(theirs):
        raise NotApplicableToTable(
            f"{mine.sql} is {_kind(mine)} and cannot be compared with {theirs.sql}, which is {_kind(theirs)}"
        )
    return _text(mine), _text(theirs)


def _text(operand: Operand) -> str:
    return f"cast({operand.canonical()} as string)"


def _kind(operand: Operand) -> str:
    base = operand.base_type
    if base in EXACT:
        return f"a number with {operand.scale} decimal places" if operand.scale else "an integer"
    if base in FRACTIONAL:
        return "a floating-point number"
    return "text" if base in TEXT else f"of type {base}"


def equal(mine: Operand, theirs: Operand, *, tolerance: float, relative: float) -> str:
    """Return SQL that is true if both values are null or equal, and never null.

    Numbers are also equal within `tolerance` of each other, or within the share `relative` of the larger one. Exact
    numbers are compared exactly; if one side is a float, both are compared as doubles. Raises NotApplicableToTable
    if the kinds differ."""
    bases = {mine.base_type, theirs.base_type}
    if bases <= NUMERIC:
        return _numbers(mine, theirs, tolerance, relative)
    if _kind(mine) != _kind(theirs):
        raise NotApplicableToTable(
            f"{mine.sql} is {_kind(mine)} and cannot be compared with {theirs.sql}, which is {_kind(theirs)}"
        )
    return f"({mine.sql} <=> {theirs.sql})"


def _numbers(mine: Operand, theirs: Operand, tolerance: float, relative: float) -> str:
    exact = {mine.base_type, theirs.base_type} <= EXACT
    left, right = (_exact(each) if exact else each.real() for each in (mine, theirs))
    same = f"{left} <=> {right}"
    if not tolerance and not relative:
        return f"({same})"
    difference = f"abs(cast(try_subtract({left}, {right}) as double))"
    larger = f"greatest(abs({mine.real()}), abs({theirs.real()}))"
    near = f"{difference} <= greatest({tolerance!r}D, {relative!r}D * {larger})"
    return f"({same} OR coalesce({near}, false))"


def _exact(operand: Operand) -> str:
    """Return SQL wide enough that no difference of two integers overflows."""
    return f"cast({operand.sql} as decimal(20,0))" if operand.base_type in INTEGRAL else operand.sql
