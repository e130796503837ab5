"""Resolve dataset names to nodes of the lineage graph; all aliases of a dataset are one node."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from sqlmodel import Session

from treaty.registry.datasets.names import LineageName
from treaty.registry.lineage import aliases
from treaty.registry.lineage.aliases import AliasGroup


@dataclass
class NameResolver:
    """Resolve names to datasets, with at most one database lookup per name.

    Call `know` to look up many names with few queries."""

    session: Session
    groups: dict[LineageName, AliasGroup] = field(default_factory=dict)

    def know(self, names: Iterable[LineageName]) -> None:
        """Look up these names at once."""
        if missing := {each for each in names if each not in self.groups}:
            self.groups |= aliases.groups(self.session, missing)

    def of(self, name: LineageName) -> LineageName:
        """Return the canonical name of the dataset, which identifies its node."""
        self.know([name])
        return self.groups[name].canonical

    def group(self, name: LineageName) -> frozenset[LineageName]:
        """Return all names of the dataset."""
        self.know([name])
        return self.groups[name].names | {name}

    def named(self, nodes: Iterable[LineageName]) -> Mapping[LineageName, LineageName]:
        """Return the node of each name of these datasets."""
        resolved = list(nodes)
        self.know(resolved)
        return {name: self.of(each) for each in resolved for name in self.group(each)}
