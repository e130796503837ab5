"""Group names into datasets from the links between them and their owners. Pure: no database."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from treaty.registry.datasets.names import LineageName
from treaty.registry.lineage.events.links import AliasLink

Owners = frozenset[tuple[str, str]]
NOBODY: Owners = frozenset()


@dataclass(frozen=True)
class LinkConflict:
    """A link that is not followed because its names belong to datasets of different contracts."""

    link: AliasLink
    owners: tuple[Owners, Owners]

    def __str__(self) -> str:
        one, other = (" and ".join(".".join(each) for each in sorted(owners)) for owners in self.owners)
        return f"the link would merge the datasets of {one} and of {other}"


@dataclass
class NameGroups:
    """Disjoint sets of names that are merged step by step and never split."""

    owners: dict[LineageName, Owners] = field(default_factory=dict)
    members: dict[LineageName, set[LineageName]] = field(default_factory=dict)

    def group(self, name: LineageName) -> set[LineageName]:
        """Return all names of the dataset."""
        return self.members.setdefault(name, {name})

    def owned(self, name: LineageName) -> Owners:
        """Return the owners of the dataset across all of its names."""
        return frozenset(each for member in self.group(name) for each in self.owners.get(member, NOBODY))

    def join(self, one: LineageName, other: LineageName) -> None:
        """Merge the groups of both names."""
        larger, smaller = sorted((self.group(one), self.group(other)), key=len, reverse=True)
        if larger is not smaller:
            larger |= smaller
            self.members |= dict.fromkeys(smaller, larger)


def group_names(
    links: Iterable[AliasLink], owners: Mapping[LineageName, Owners]
) -> tuple[NameGroups, tuple[LinkConflict, ...]]:
    """Return the groups of names that contracts declare and links add, and the refused links.

    A link is refused if it would merge datasets of different contracts. The result does not depend on the order of the
    links: they are applied by the time at which they were first observed."""
    groups = NameGroups(dict(owners))
    for names in _declared(owners):
        for name in names[1:]:
            groups.join(names[0], name)
    ordered = sorted(links, key=lambda each: (each.observed_at, each.pair))
    refused = [_refusal(groups, each) for each in ordered]
    return groups, tuple(each for each in refused if each)


def _refusal(groups: NameGroups, link: AliasLink) -> LinkConflict | None:
    """Follow the link, or return the reason why it is refused."""
    one, other = groups.owned(link.one), groups.owned(link.other)
    if groups.group(link.one) is not groups.group(link.other) and one and other and one.isdisjoint(other):
        return LinkConflict(link, (one, other))
    groups.join(link.one, link.other)
    return None


def _declared(owners: Mapping[LineageName, Owners]) -> Iterable[Sequence[LineageName]]:
    """Return, per owner, the names that it declares."""
    names: dict[tuple[str, str], list[LineageName]] = {}
    for name, declarers in sorted(owners.items()):
        for each in declarers:
            names.setdefault(each, []).append(name)
    return names.values()
