"""Checks that a consumer brings to somebody else's table: what of it they read, and what they may not ask of it.

Nobody approves them, so they ask nothing that their author could not be shown: no free SQL, no other dataset, and of
columns that the contract classifies only how many rows have a value."""

from collections.abc import Iterable, Iterator

from treaty.contracts.document.classification import is_classified
from treaty.contracts.document.model import DataObject
from treaty.contracts.errors import Fault
from treaty.contracts.predicates.parser import parse, quote
from treaty.engine.checks.bound_check import BoundCheck
from treaty.engine.checks.columns_read import reach

CHECK_KINDS = frozenset({"treaty", "library", "schema"})
# Of a classified column they tell how many rows have a value, or have it alone: never which.
COUNTING = frozenset({"completeness", "combined_completeness", "null_values", "uniqueness", "duplicate_rows"})
KINDS = "write 'type: custom' with 'engine: treaty', a metric of the standard, or words of a column"
PROPOSE = "propose it for the contract itself, so that an owner decides"


def check_faults(of: DataObject, check: BoundCheck) -> Iterator[Fault]:
    """What of the check is refused to who is not approved; nothing where it may be judged."""
    analyzer = check.analyzer
    if check.check.kind not in CHECK_KINDS or analyzer is None:
        yield _refused(check, f"cannot be judged: {check.reason or f'it is of type {check.check.kind}'}", KINDS)
        return
    if any(part.needs_own_statement for part in analyzer.parts().values()):
        yield _refused(check, f"{analyzer.name} needs a reading of its own", PROPOSE)
    if check.check.assertion and check.check.assertion.references:
        yield _refused(check, "its limit is a metric of another dataset", PROPOSE)
    hidden = sorted(each for each in _shown_of(check) if _is_classified(of, each))
    if hidden:
        message = f"reads {', '.join(hidden)}, which the contract classifies, for more than how many rows have a value"
        yield _refused(check, message, PROPOSE)


def tops(of: DataObject, columns: Iterable[str]) -> frozenset[str]:
    """The names of the object's own columns that those columns are, or lie in; those it does not name as they are."""
    return frozenset(_top(of, each) for each in columns)


def _shown_of(check: BoundCheck) -> frozenset[str]:
    """The columns of which more is told than how many rows have a value."""
    where = parse(check.check.where, None).columns if check.check.where else ()
    counted = check.analyzer is not None and check.analyzer.name in COUNTING
    return frozenset(where) if counted else reach(check) or frozenset(where)


def _is_classified(of: DataObject, column: str) -> bool:
    return is_classified(of, (_top(of, column),))


def _top(of: DataObject, column: str) -> str:
    for each in of.properties:
        written = {each.name.casefold(), quote(each.name).casefold()}
        if any(column.casefold() == name or column.casefold().startswith(f"{name}.") for name in written):
            return each.name
    return column


def _refused(check: BoundCheck, message: str, remedy: str) -> Fault:
    return Fault(
        code="TR-CHECK-BORROWED", where=check.check.path, message=message, remedy=remedy, line=check.check.line
    )
