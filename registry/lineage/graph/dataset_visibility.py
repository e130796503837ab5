"""Which datasets of the lineage graph somebody may see: those of contracts that they may read, under all their names.

Of a dataset that no contract is about, only who may read everything knows."""

from collections.abc import Collection
from dataclasses import dataclass

from sqlmodel import Session, select

from treaty.registry.access import visibility
from treaty.registry.access.authentication import Principal, decide_somewhere
from treaty.registry.core.enums import Permission
from treaty.registry.datasets.names import Name
from treaty.registry.lineage.graph import traversal
from treaty.registry.lineage.graph.nodes import Nodes
from treaty.registry.tables import Dataset


@dataclass(frozen=True)
class OfPrincipal:
    """What a principal may see."""

    session: Session
    by: Principal
    nodes: Nodes

    def __call__(self, names: Collection[Name], /) -> Collection[Name]:
        """Those of the names that they may see."""
        if self.by.may(Permission.READ):
            return names
        self.nodes.know(names)
        of = {other: name for name in names for other in self.nodes.group(name)}
        seen: set[Name] = set()
        for some in traversal.portions(sorted(of)):
            query = select(Dataset.namespace, Dataset.name).where(
                traversal.named(Dataset, some), visibility.datasets(self.by)
            )
            seen.update(self.nodes.of(Name(*each)) for each in self.session.exec(query))
        return [name for name in names if self.nodes.of(name) in seen]


def sight(session: Session, by: Principal, nodes: Nodes | None = None) -> OfPrincipal:
    """What the principal may see. Raises Forbidden where they may read nothing at all."""
    decide_somewhere(by, Permission.READ)
    return OfPrincipal(session, by, nodes or Nodes(session))
