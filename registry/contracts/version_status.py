"""Where a contract's versions stand: what is in force, and of what a consumer follows, what is behind it."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from sqlalchemy.orm import defer
from sqlmodel import Session, col, select

from treaty.registry.core.enums import PinKind, VersionState
from treaty.registry.core.errors import Conflict
from treaty.registry.core.state_machines import IN_FORCE
from treaty.registry.tables import ContractRow, ContractVersionRow, SubscriptionRow


@dataclass(frozen=True)
class VersionOverview:
    """The versions of one contract, oldest first. `newest` was activated last; None: none is in force."""

    newest: str | None
    versions: Sequence[ContractVersionRow]

    def version(self, number: str | None) -> ContractVersionRow | None:
        """The version of that number, in force or not; None where there is none."""
        return next((each for each in self.versions if each.version == number), None)

    def of_group(self, group: str | None) -> ContractVersionRow | None:
        """The version that is in force in that group; None where none is."""
        found = (each for each in self.versions if each.state in IN_FORCE and each.group == group)
        return next(found, None)

    @property
    def groups(self) -> tuple[str, ...]:
        """The groups in which a version is in force."""
        return tuple(each.group for each in self.versions if each.state in IN_FORCE)

    def followed(self, pin: PinKind, pinned_to: str | None) -> ContractVersionRow | None:
        """The version that a consumer with that pin builds on; None where it is not there any more."""
        by = {PinKind.NONE: self.version, PinKind.GROUP: self.of_group, PinKind.VERSION: self.version}
        return by[pin](self.newest if pin is PinKind.NONE else pinned_to)


def standings(session: Session, contract_ids: Collection[str]) -> Mapping[str, VersionOverview]:
    """Where the versions of each of those contracts stand."""
    rows = select(ContractVersionRow).where(col(ContractVersionRow.contract_id).in_(list(contract_ids)))
    # Most questions are about numbers and states: a body is read where somebody asks for it.
    bare = rows.options(defer(ContractVersionRow.body))  # type: ignore[arg-type]
    ordered = session.exec(bare.order_by(col(ContractVersionRow.approved_at), col(ContractVersionRow.id))).all()
    numbers = select(ContractRow.id, ContractRow.active_version).where(col(ContractRow.id).in_(list(contract_ids)))
    return {
        contract_id: VersionOverview(newest, tuple(each for each in ordered if each.contract_id == contract_id))
        for contract_id, newest in session.exec(numbers).all()
    }


def in_force(session: Session, contract_id: str) -> ContractVersionRow:
    """The version that was activated last. Raises Conflict where none is in force."""
    standing = standings(session, [contract_id]).get(contract_id)
    found = standing.version(standing.newest) if standing else None
    if found is None:
        raise Conflict(f"no version of {contract_id} is in force yet")
    return found


def lag(subscription: SubscriptionRow, standing: VersionOverview) -> str | None:
    """Why the consumer's pin is behind, in words; None where it is not, or where nothing is pinned."""
    if subscription.pin is PinKind.NONE:
        return None
    found = standing.followed(subscription.pin, subscription.pinned_to)
    pinned = f"pinned to {subscription.pin.value} {subscription.pinned_to}"
    newest = f"{standing.newest} is in force" if standing.newest else "nothing is in force"
    if found is None:
        return f"{pinned}, of which no version is in force any more; {newest}"
    if found.state is not VersionState.ACTIVE:
        return f"{pinned}: {found.version} is {found.state.value}; {newest}"
    return None if found.version == standing.newest else f"{pinned}: {found.version} is not the newest; {newest}"
