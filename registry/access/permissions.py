"""What roles permit, and where: on everything, or on the parts of the registry that a grant names. Pure."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from treaty.contracts.fingerprint import fingerprint
from treaty.registry.core.enums import GrantScope, Permission, Role
from treaty.registry.core.errors import Forbidden

_READER = frozenset({Permission.READ, Permission.TOKENS})
_CONSUMER = _READER | {Permission.PROPOSE, Permission.SAMPLES, Permission.SUBSCRIBE}
_WRITER = {Permission.PROPOSE, Permission.DRAFT, Permission.LINEAGE, Permission.STATES}
_PRODUCER = _CONSUMER | _WRITER | {Permission.INCIDENTS}
GRANTS: dict[Role, frozenset[Permission]] = {
    Role.VIEWER: _READER,
    Role.CONSUMER: _CONSUMER,
    Role.PRODUCER: _PRODUCER,
    Role.OWNER: _PRODUCER | {Permission.DECIDE, Permission.ERASE},
    Role.SERVICE: frozenset({Permission.READ} | _WRITER),
    # Who administers has no business with rows of data, unless another role says so.
    Role.ADMIN: frozenset(Permission) - {Permission.SAMPLES},
}


@dataclass(frozen=True)
class Resource:
    """Where something is, as grants speak of it: a contract, its domain, and the datasets that it lies in.

    `about`: datasets that it speaks of, so that who may read one of them may read it, and no more."""

    contract: str | None = None
    domain: str | None = None
    datasets: frozenset[UUID] = frozenset()
    about: frozenset[UUID] = frozenset()

    def lies_in(self, part: GrantScope, target: str) -> bool:
        """Whether it is that part of the registry, or lies in it."""
        within: dict[GrantScope, Iterable[str | None]] = {
            GrantScope.DOMAIN: (self.domain,),
            GrantScope.CONTRACT: (self.contract,),
            GrantScope.DATASET: map(str, self.datasets),
        }
        return target in within.get(part, ())

    def speaks_of(self, part: GrantScope, target: str) -> bool:
        """Whether it is about that dataset."""
        return part is GrantScope.DATASET and target in map(str, self.about)


# The place of what concerns the whole registry: only a role on everything permits something there.
EVERYWHERE = Resource()


@dataclass(frozen=True)
class ScopedGrant:
    """What is permitted on one part of the registry: a domain, a contract or a dataset."""

    part: GrantScope
    target: str
    permissions: frozenset[Permission]

    def permits(self, permission: Permission, on: Resource) -> bool:
        """Whether it permits that there."""
        if permission not in self.permissions:
            return False
        reads = permission is Permission.READ and on.speaks_of(self.part, self.target)
        return reads or on.lies_in(self.part, self.target)


@dataclass(frozen=True, kw_only=True)
class Principal:
    """A user as they act now: through a session with all that their roles permit, through a token with its scopes.

    `permissions` hold on everything, `granted` on parts of the registry."""

    user_id: UUID
    name: str
    roles: frozenset[Role]
    permissions: frozenset[Permission]
    token_id: UUID | None = None
    token_used_at: datetime | None = None
    granted: tuple[ScopedGrant, ...] = ()

    @property
    def somewhere(self) -> frozenset[Permission]:
        """All that they may do on one part of the registry at least."""
        return self.permissions.union(*(each.permissions for each in self.granted))

    @property
    def extent(self) -> str:
        """64 digits that are equal for equal rights, and tell nothing of them."""
        parts = [(each.part, each.target, sorted(each.permissions)) for each in self.granted]
        return fingerprint({"roles": sorted(self.roles), "all": sorted(self.permissions), "parts": sorted(parts)})

    def may(self, permission: Permission, on: Resource = EVERYWHERE) -> bool:
        """Whether they have the permission on what is at that place; on everything where none is named."""
        return permission in self.permissions or any(each.permits(permission, on) for each in self.granted)

    def targets(self, permission: Permission, part: GrantScope) -> frozenset[str]:
        """The parts of that kind on which they have the permission."""
        return frozenset(each.target for each in self.granted if each.part is part and permission in each.permissions)


def permissions_of(roles: Iterable[str]) -> frozenset[Permission]:
    """Everything that the roles permit together."""
    return frozenset[Permission]().union(*(GRANTS[Role(role)] for role in roles))


def require_permission(principal: Principal, permission: Permission, on: Resource = EVERYWHERE) -> None:
    """Returns where the principal has the permission on what is at that place; raises Forbidden, naming it, where not.

    Where no place is named, only a role on everything will do. What the principal may not even read is not found:
    `scope` says so before this is asked."""
    if not principal.may(permission, on):
        raise Forbidden(f"this needs the permission {permission.value}, which {principal.name} does not have here")


def require_permission_anywhere(principal: Principal, permission: Permission) -> None:
    """As `decide`, of somebody who must have the permission on some part at least: before lists are filtered."""
    if permission not in principal.somewhere:
        raise Forbidden(f"this needs the permission {permission.value}, which {principal.name} does not have")
