"""Restrict the datasets of the lineage graph to those a principal may see.

Visible are the datasets of contracts that the principal may read, under all of their names. A dataset without a
contract is visible only with a global read permission."""

from collections.abc import Collection
from dataclasses import dataclass

from sqlmodel import Session, select

from treaty.registry.access import visibility
from treaty.registry.access.authentication import Principal, require_permission_anywhere
from treaty.registry.core.enums import Permission
from treaty.registry.datasets.names import LineageName
from treaty.registry.lineage.graph import traversal
from treaty.registry.lineage.graph.nodes import NameResolver
from treaty.registry.tables import DatasetRow


@dataclass(frozen=True)
class PrincipalVisibility:
    """Visibility of lineage datasets for a principal."""

    session: Session
    by: Principal
    nodes: NameResolver

    def __call__(self, names: Collection[LineageName], /) -> Collection[LineageName]:
        """Return the names that are visible to the principal."""
        if self.by.may(Permission.READ):
            return names
        self.nodes.know(names)
        names_by_alias = {other: name for name in names for other in self.nodes.group(name)}
        visible: set[LineageName] = set()
        for batch in traversal.portions(sorted(names_by_alias)):
            query = select(DatasetRow.namespace, DatasetRow.name).where(
                traversal.name_filter(DatasetRow, batch), visibility.datasets(self.by)
            )
            visible.update(self.nodes.of(LineageName(*each)) for each in self.session.exec(query))
        return [name for name in names if self.nodes.of(name) in visible]


def visible_datasets(session: Session, by: Principal, nodes: NameResolver | None = None) -> PrincipalVisibility:
    """Return the visibility of lineage datasets for the principal.

    Raises Forbidden if the principal has no read permission at all."""
    require_permission_anywhere(by, Permission.READ)
    return PrincipalVisibility(session, by, nodes or NameResolver(session))
