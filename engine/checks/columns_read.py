"""Determine which columns a check reads."""

from collections.abc import Callable, Mapping

from treaty.contracts.document.model import Contract
from treaty.contracts.errors import ContractError
from treaty.contracts.schema import Schema
from treaty.engine.analyzers.arguments import ArgumentRole
from treaty.engine.checks.binding import bind
from treaty.engine.checks.bound_check import BoundCheck, BoundChecks

# None: the whole table, or unknown.
Reach = frozenset[str] | None
# Binds the checks of a contract's object without a table.
Binder = Callable[[Contract, str], BoundChecks]


def reach(check: BoundCheck) -> Reach:
    """Return the columns that the check reads, including those of its filter.

    None if the check concerns the whole table (its row count) or the columns are unknown (free SQL)."""
    analyzer = check.analyzer
    if analyzer is None:
        return frozenset({check.check.column}) if check.check.column else None
    if not analyzer.columns_read and not analyzer.roles[ArgumentRole.PREDICATE]:
        return None
    return frozenset(analyzer.columns_named)


def bound(contract: Contract, object_name: str) -> BoundChecks:
    """Bind the checks of that object without a table. Raises ContractError with all their faults."""
    return bind(contract.object(object_name), Schema(()))


def reaches(contract: Contract, object_name: str, checks: Binder = bound) -> Mapping[str, Reach]:
    """Return the columns that each check of the object reads, by check id.

    Checks derived from column keywords are included. Empty if the contract has no such object or its checks cannot
    be bound."""
    if all(each.name != object_name for each in contract.objects):
        return {}
    try:
        return {each.check.id: reach(each) for each in checks(contract, object_name).checks}
    except ContractError:
        return {}
