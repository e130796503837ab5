"""Permissions of roles, on everything or on the resources named by grants."""

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
    # Administrators cannot read rows of data unless another role permits it.
    Role.ADMIN: frozenset(Permission) - {Permission.SAMPLES},
}


@dataclass(frozen=True)
class Resource:
    """The location of an object for access control: contract, domain and datasets.

    `about`: datasets that the object describes; permission to read one of them permits reading the object, nothing
    more."""

    contract: str | None = None
    domain: str | None = None
    datasets: frozenset[UUID] = frozenset()
    about: frozenset[UUID] = frozenset()

    def lies_in(self, part: GrantScope, target: str) -> bool:
        """Return whether the resource belongs to the domain, contract or dataset `target`."""
        within: dict[GrantScope, Iterable[str | None]] = {
            GrantScope.DOMAIN: (self.domain,),
            GrantScope.CONTRACT: (self.contract,),
            GrantScope.DATASET: map(str, self.datasets),
        }
        return target in within.get(part, ())

    def speaks_of(self, part: GrantScope, target: str) -> bool:
        """Return whether the resource describes the dataset `target`."""
        return part is GrantScope.DATASET and target in map(str, self.about)


# The resource of the whole registry; only a global role grants permissions on it.
EVERYWHERE = Resource()


@dataclass(frozen=True)
class ScopedGrant:
    """Permissions on one domain, contract or dataset."""

    part: GrantScope
    target: str
    permissions: frozenset[Permission]

    def permits(self, permission: Permission, on: Resource) -> bool:
        """Return whether the grant gives the permission on the resource."""
        if permission not in self.permissions:
            return False
        reads = permission is Permission.READ and on.speaks_of(self.part, self.target)
        return reads or on.lies_in(self.part, self.target)


@dataclass(frozen=True, kw_only=True)
class Principal:
    """A user with the permissions of the current session or token.

    A session has all permissions of the user's roles, a token only its scopes.
    `permissions`: apply to everything. `granted`: apply to single domains, contracts or datasets.
    `token_id`, `token_used_at`: None for sessions."""

    user_id: UUID
    name: str
    roles: frozenset[Role]
    permissions: frozenset[Permission]
    token_id: UUID | None = None
    token_used_at: datetime | None = None
    granted: tuple[ScopedGrant, ...] = ()

    @property
    def somewhere(self) -> frozenset[Permission]:
        """Return all permissions that the principal has on at least one resource."""
        return self.permissions.union(*(each.permissions for each in self.granted))

    @property
    def extent(self) -> str:
        """Return a fingerprint of the permissions that does not reveal them."""
        parts = [(each.part, each.target, sorted(each.permissions)) for each in self.granted]
        return fingerprint({"roles": sorted(self.roles), "all": sorted(self.permissions), "parts": sorted(parts)})

    def may(self, permission: Permission, on: Resource = EVERYWHERE) -> bool:
        """Return whether the principal has the permission on the resource; by default on everything."""
        return permission in self.permissions or any(each.permits(permission, on) for each in self.granted)

    def targets(self, permission: Permission, part: GrantScope) -> frozenset[str]:
        """Return the targets of that scope on which the principal has the permission."""
        return frozenset(each.target for each in self.granted if each.part is part and permission in each.permissions)


def permissions_of(roles: Iterable[str]) -> frozenset[Permission]:
    """Return the union of the permissions of the roles."""
    return frozenset[Permission]().union(*(GRANTS[Role(role)] for role in roles))


def require_permission(principal: Principal, permission: Permission, on: Resource = EVERYWHERE) -> None:
    """Raise Forbidden unless the principal has the permission on the resource.

    Without `on`, only a global role is sufficient. Resources that the principal may not read are reported as not
    found by `visibility` before this is called."""
    if not principal.may(permission, on):
        raise Forbidden(f"This requires the permission {permission.value}, which {principal.name} does not have here.")


def require_permission_anywhere(principal: Principal, permission: Permission) -> None:
    """Raise Forbidden unless the principal has the permission on some resource.

    For use before lists are filtered."""
    if permission not in principal.somewhere:
        raise Forbidden(f"This requires the permission {permission.value}, which {principal.name} does not have.")
