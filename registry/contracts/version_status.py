"""Determine which versions are in force and which pins are outdated."""

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
    """The versions of one contract, oldest first.

    `newest`: number of the version that was activated last; None if no version is in force."""

    newest: str | None
    versions: Sequence[ContractVersionRow]

    def version(self, number: str | None) -> ContractVersionRow | None:
        """Return the version of that number, in force or not; None if it does not exist."""
        return next((each for each in self.versions if each.version == number), None)

    def of_group(self, group: str | None) -> ContractVersionRow | None:
        """Return the version in force in that group; None for none."""
        matches = (each for each in self.versions if each.state in IN_FORCE and each.group == group)
        return next(matches, None)

    @property
    def groups(self) -> tuple[str, ...]:
        """Return the groups in which a version is in force."""
        return tuple(each.group for each in self.versions if each.state in IN_FORCE)

    def followed(self, pin: PinKind, pinned_to: str | None) -> ContractVersionRow | None:
        """Return the version that a pin refers to; None if it no longer exists."""
        lookups = {PinKind.NONE: self.version, PinKind.GROUP: self.of_group, PinKind.VERSION: self.version}
        return lookups[pin](self.newest if pin is PinKind.NONE else pinned_to)


def standings(session: Session, contract_ids: Collection[str]) -> Mapping[str, VersionOverview]:
    """Return the versions of each contract."""
    rows = select(ContractVersionRow).where(col(ContractVersionRow.contract_id).in_(list(contract_ids)))
    # Most callers need only numbers and states, so that a body is loaded when it is first accessed.
    bare = rows.options(defer(ContractVersionRow.body))  # type: ignore[arg-type]
    ordered = session.exec(bare.order_by(col(ContractVersionRow.approved_at), col(ContractVersionRow.id))).all()
    numbers = select(ContractRow.id, ContractRow.active_version).where(col(ContractRow.id).in_(list(contract_ids)))
    return {
        contract_id: VersionOverview(newest, tuple(each for each in ordered if each.contract_id == contract_id))
        for contract_id, newest in session.exec(numbers).all()
    }


def in_force(session: Session, contract_id: str) -> ContractVersionRow:
    """Return the version that was activated last. Raises Conflict if none is in force."""
    overview = standings(session, [contract_id]).get(contract_id)
    active = overview.version(overview.newest) if overview else None
    if active is None:
        raise Conflict(f"No version of {contract_id} is in force yet.")
    return active


def lag(subscription: SubscriptionRow, standing: VersionOverview) -> str | None:
    """Explain why the subscription's pin is outdated; None if it is current or nothing is pinned."""
    if subscription.pin is PinKind.NONE:
        return None
    followed = standing.followed(subscription.pin, subscription.pinned_to)
    pinned = f"pinned to {subscription.pin.value} {subscription.pinned_to}"
    newest = f"{standing.newest} is in force" if standing.newest else "no version is in force"
    if followed is None:
        return f"{pinned}, which has no version in force; {newest}"
    if followed.state is not VersionState.ACTIVE:
        return f"{pinned}: {followed.version} is {followed.state.value}; {newest}"
    return (
        None
        if followed.version == standing.newest
        else f"{pinned}: {followed.version} is not the newest version; {newest}"
    )
