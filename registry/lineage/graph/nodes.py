"""The datasets of the lineage graph: names that stand for one dataset are one node of it."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from sqlmodel import Session

from treaty.registry.datasets.names import LineageName
from treaty.registry.lineage import aliases
from treaty.registry.lineage.aliases import AliasGroup


@dataclass
class NameResolver:
    """Which names are one dataset, asked of the database once for each name; of many at once by `know`."""

    session: Session
    groups: dict[LineageName, AliasGroup] = field(default_factory=dict)

    def know(self, names: Iterable[LineageName]) -> None:
        """Asks for all of these at once."""
        if new := {each for each in names if each not in self.groups}:
            self.groups |= aliases.groups(self.session, new)

    def of(self, name: LineageName) -> LineageName:
        """The name under which the dataset stands in the graph."""
        self.know([name])
        return self.groups[name].canonical

    def group(self, name: LineageName) -> frozenset[LineageName]:
        """All names of the dataset."""
        self.know([name])
        return self.groups[name].names | {name}

    def named(self, nodes: Iterable[LineageName]) -> Mapping[LineageName, LineageName]:
        """The node that each name of these datasets stands for."""
        found = list(nodes)
        self.know(found)
        return {name: self.of(each) for each in found for name in self.group(each)}
