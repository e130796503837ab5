"""Which datasets of the lineage graph somebody may see: those of contracts that they may read, under all their names.

Of a dataset that no contract is about, only who may read everything knows."""

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
    """What a principal may see."""

    session: Session
    by: Principal
    nodes: NameResolver

    def __call__(self, names: Collection[LineageName], /) -> Collection[LineageName]:
        """Those of the names that they may see."""
        if self.by.may(Permission.READ):
            return names
        self.nodes.know(names)
        of = {other: name for name in names for other in self.nodes.group(name)}
        seen: set[LineageName] = set()
        for some in traversal.portions(sorted(of)):
            query = select(DatasetRow.namespace, DatasetRow.name).where(
                traversal.name_filter(DatasetRow, some), visibility.datasets(self.by)
            )
            seen.update(self.nodes.of(LineageName(*each)) for each in self.session.exec(query))
        return [name for name in names if self.nodes.of(name) in seen]


def visible_datasets(session: Session, by: Principal, nodes: NameResolver | None = None) -> PrincipalVisibility:
    """What the principal may see. Raises Forbidden where they may read nothing at all."""
    require_permission_anywhere(by, Permission.READ)
    return PrincipalVisibility(session, by, nodes or NameResolver(session))
