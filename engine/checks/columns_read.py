"""Which columns a promise is about: what of a table somebody must read to notice that it changed."""

from collections.abc import Callable, Mapping

from treaty.contracts.document.model import Contract
from treaty.contracts.errors import ContractError
from treaty.contracts.schema import Schema
from treaty.engine.analyzers.arguments import ArgumentRole
from treaty.engine.checks.binding import bind
from treaty.engine.checks.bound_check import BoundCheck, BoundChecks

# None: the table as a whole, or nobody can tell.
Reach = frozenset[str] | None
# Gives the checks of an object of the contract, bound to no table.
Binder = Callable[[Contract, str], BoundChecks]


def reach(check: BoundCheck) -> Reach:
    """The columns that the check reads, those of its filter included.

    None where it is about the table as a whole (its number of rows), or where what it reads is not known (free SQL)."""
    analyzer = check.analyzer
    if analyzer is None:
        return frozenset({check.check.column}) if check.check.column else None
    if not analyzer.columns_read and not analyzer.roles[ArgumentRole.PREDICATE]:
        return None
    return frozenset(analyzer.columns_named)


def bound(contract: Contract, object_name: str) -> BoundChecks:
    """Bind the checks of that object to no table. Raises ContractError with all their faults."""
    return bind(contract.object(object_name), Schema(()))


def reaches(contract: Contract, object_name: str, checks: Binder = bound) -> Mapping[str, Reach]:
    """What each check of the object reads, by its id, those included that the words of columns stand for.

    {} where the contract has no such object, or where its checks cannot be bound any more."""
    if all(each.name != object_name for each in contract.objects):
        return {}
    try:
        return {each.check.id: reach(each) for each in checks(contract, object_name).checks}
    except ContractError:
        return {}
