"""How values of two datasets are compared: as keys, which are equal or not, and as values, which may lie apart."""

from treaty.engine.analyzers.base import NotApplicableToTable
from treaty.engine.components.operands import FRACTIONAL, INTEGRAL, NUMERIC, TEXT, Operand

EXACT = INTEGRAL | {"decimal"}


def as_keys(mine: Operand, theirs: Operand) -> tuple[str, str]:
    """Both as SQL of one type that is equal for equal values: whole numbers of any width, else canonical text.

    Raises Unbindable where they are of two kinds: text and number, or decimals of two scales."""
    if {mine.base_type, theirs.base_type} <= INTEGRAL:
        return mine.canonical(), theirs.canonical()
    if _kind(mine) != _kind(theirs):
        raise NotApplicableToTable(f"{mine.sql} is {_kind(mine)}, its counterpart {theirs.sql} is {_kind(theirs)}")
    return _text(mine), _text(theirs)


def _text(operand: Operand) -> str:
    return f"cast({operand.canonical()} as string)"


def _kind(operand: Operand) -> str:
    base = operand.base_type
    if base in EXACT:
        return f"a number with {operand.scale} decimal places" if operand.scale else "a whole number"
    if base in FRACTIONAL:
        return "a floating-point number"
    return "text" if base in TEXT else f"of type {base}"


def equal(mine: Operand, theirs: Operand, *, tolerance: float, relative: float) -> str:
    """SQL, never null, that is true where both are null or equal; numbers also within `tolerance` of each other, or
    within the share `relative` of the larger one. Exact numbers are compared exactly, with floats as doubles.

    Raises Unbindable where they are of two kinds."""
    bases = {mine.base_type, theirs.base_type}
    if bases <= NUMERIC:
        return _numbers(mine, theirs, tolerance, relative)
    if _kind(mine) != _kind(theirs):
        raise NotApplicableToTable(f"{mine.sql} is {_kind(mine)}, its counterpart {theirs.sql} is {_kind(theirs)}")
    return f"({mine.sql} <=> {theirs.sql})"


def _numbers(mine: Operand, theirs: Operand, tolerance: float, relative: float) -> str:
    exact = {mine.base_type, theirs.base_type} <= EXACT
    left, right = (_exact(each) if exact else each.real() for each in (mine, theirs))
    same = f"{left} <=> {right}"
    if not tolerance and not relative:
        return f"({same})"
    apart = f"abs(cast(try_subtract({left}, {right}) as double))"
    larger = f"greatest(abs({mine.real()}), abs({theirs.real()}))"
    near = f"{apart} <= greatest({tolerance!r}D, {relative!r}D * {larger})"
    return f"({same} OR coalesce({near}, false))"


def _exact(operand: Operand) -> str:
    """Wide enough that no difference of two whole numbers overflows."""
    return f"cast({operand.sql} as decimal(20,0))" if operand.base_type in INTEGRAL else operand.sql
