"""Which names mean one dataset, told from links between names and from who owns them. Pure: no database."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from treaty.registry.datasets.names import LineageName
from treaty.registry.lineage.events.links import AliasLink

Owners = frozenset[tuple[str, str]]
NOBODY: Owners = frozenset()


@dataclass(frozen=True)
class LinkConflict:
    """A link that is not followed: its names are datasets of different contracts."""

    link: AliasLink
    owners: tuple[Owners, Owners]

    def __str__(self) -> str:
        one, other = (" and ".join(".".join(each) for each in sorted(whose)) for whose in self.owners)
        return f"it would make one dataset of those of {one} and of {other}"


@dataclass
class NameGroups:
    """Names, put together step by step. What is put together stays so."""

    owners: dict[LineageName, Owners] = field(default_factory=dict)
    members: dict[LineageName, set[LineageName]] = field(default_factory=dict)

    def group(self, name: LineageName) -> set[LineageName]:
        """All names of the dataset."""
        return self.members.setdefault(name, {name})

    def owned(self, name: LineageName) -> Owners:
        """Whose the dataset is, by any of its names."""
        return frozenset(each for member in self.group(name) for each in self.owners.get(member, NOBODY))

    def join(self, one: LineageName, other: LineageName) -> None:
        """Makes both one dataset."""
        larger, smaller = sorted((self.group(one), self.group(other)), key=len, reverse=True)
        if larger is not smaller:
            larger |= smaller
            self.members |= dict.fromkeys(smaller, larger)


def group_names(
    links: Iterable[AliasLink], owners: Mapping[LineageName, Owners]
) -> tuple[NameGroups, tuple[LinkConflict, ...]]:
    """The groups that contracts declare and links add, and the links that are refused: none joins datasets that
    different contracts own. The same whatever order they come in: who was told first goes first."""
    found = NameGroups(dict(owners))
    for names in _declared(owners):
        for other in names[1:]:
            found.join(names[0], other)
    ordered = sorted(links, key=lambda each: (each.observed_at, each.pair))
    refused = [_refusal(found, each) for each in ordered]
    return found, tuple(each for each in refused if each)


def _refusal(found: NameGroups, link: AliasLink) -> LinkConflict | None:
    """Follows the link, or says why not."""
    one, other = found.owned(link.one), found.owned(link.other)
    if found.group(link.one) is not found.group(link.other) and one and other and one.isdisjoint(other):
        return LinkConflict(link, (one, other))
    found.join(link.one, link.other)
    return None


def _declared(owners: Mapping[LineageName, Owners]) -> Iterable[Sequence[LineageName]]:
    """Of each owner the names that it declares."""
    named: dict[tuple[str, str], list[LineageName]] = {}
    for name, whose in sorted(owners.items()):
        for each in whose:
            named.setdefault(each, []).append(name)
    return named.values()
