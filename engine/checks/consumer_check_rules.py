"""Restrict the checks that consumers add to tables of other owners.

Such checks run without approval, so they must not reveal data that their author may not see: no free SQL, no other
datasets, and of classified columns only the number of rows that have a value or a unique value."""

from collections.abc import Iterable, Iterator

from treaty.contracts.document.classification import is_classified
from treaty.contracts.document.model import DataObject
from treaty.contracts.errors import Fault
from treaty.contracts.predicates.parser import parse, quote
from treaty.engine.checks.bound_check import BoundCheck
from treaty.engine.checks.columns_read import reach

CHECK_KINDS = frozenset({"treaty", "library", "schema"})
# On a classified column these count rows that have a value, or a unique one; they never reveal a value.
COUNTING = frozenset({
    "completeness", "combined_completeness", "mean_completeness", "null_values", "uniqueness", "duplicate_rows",
})  # fmt: skip
KINDS = "use 'type: custom' with 'engine: treaty', a library metric, or column keywords"
PROPOSE = "propose it for the contract itself, so that an owner can approve it"


def check_faults(of: DataObject, check: BoundCheck) -> Iterator[Fault]:
    """Yield a fault for each way in which the check needs an owner's approval; none if it may run."""
    analyzer = check.analyzer
    if check.check.kind not in CHECK_KINDS or analyzer is None:
        yield _refused(check, f"cannot be evaluated: {check.reason or f'its type is {check.check.kind}'}", KINDS)
        return
    if any(part.needs_own_statement for part in analyzer.parts().values()):
        yield _refused(check, f"{analyzer.name} needs a separate scan", PROPOSE)
    if check.check.assertion and check.check.assertion.references:
        yield _refused(check, "its limit refers to another dataset", PROPOSE)
    hidden = sorted(each for each in _shown_of(check) if _is_classified(of, each))
    if hidden:
        message = f"reads more than row counts of {', '.join(hidden)}, which the contract classifies"
        yield _refused(check, message, PROPOSE)


def tops(of: DataObject, columns: Iterable[str]) -> frozenset[str]:
    """Return the top-level columns that contain the given columns; unknown names are returned unchanged."""
    return frozenset(_top(of, each) for each in columns)


def _shown_of(check: BoundCheck) -> frozenset[str]:
    """Return the columns whose values the check can reveal."""
    filtered = parse(check.check.where, None).columns if check.check.where else ()
    counted = check.analyzer is not None and check.analyzer.name in COUNTING
    return frozenset(filtered) if counted else reach(check) or frozenset(filtered)


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
