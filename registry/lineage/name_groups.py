"""Which names mean one dataset, told from links between names and from who owns them. Pure: no database."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from treaty.registry.datasets.names import Name
from treaty.registry.lineage.events.links import Link

Owners = frozenset[tuple[str, str]]
NOBODY: Owners = frozenset()


@dataclass(frozen=True)
class Refusal:
    """A link that is not followed: its names are datasets of different contracts."""

    link: Link
    owners: tuple[Owners, Owners]

    def __str__(self) -> str:
        one, other = (" and ".join(".".join(each) for each in sorted(whose)) for whose in self.owners)
        return f"it would make one dataset of those of {one} and of {other}"


@dataclass
class Groups:
    """Names, put together step by step. What is put together stays so."""

    owners: dict[Name, Owners] = field(default_factory=dict)
    members: dict[Name, set[Name]] = field(default_factory=dict)

    def group(self, name: Name) -> set[Name]:
        """All names of the dataset."""
        return self.members.setdefault(name, {name})

    def owned(self, name: Name) -> Owners:
        """Whose the dataset is, by any of its names."""
        return frozenset(each for member in self.group(name) for each in self.owners.get(member, NOBODY))

    def join(self, one: Name, other: Name) -> None:
        """Makes both one dataset."""
        larger, smaller = sorted((self.group(one), self.group(other)), key=len, reverse=True)
        if larger is not smaller:
            larger |= smaller
            self.members |= dict.fromkeys(smaller, larger)


def grouped(links: Iterable[Link], owners: Mapping[Name, Owners]) -> tuple[Groups, tuple[Refusal, ...]]:
    """The groups that contracts declare and links add, and the links that are refused: none joins datasets that
    different contracts own. The same whatever order they come in: who was told first goes first."""
    found = Groups(dict(owners))
    for names in _declared(owners):
        for other in names[1:]:
            found.join(names[0], other)
    ordered = sorted(links, key=lambda each: (each.at, each.pair))
    refused = [_refusal(found, each) for each in ordered]
    return found, tuple(each for each in refused if each)


def _refusal(found: Groups, link: Link) -> Refusal | None:
    """Follows the link, or says why not."""
    one, other = found.owned(link.one), found.owned(link.other)
    if found.group(link.one) is not found.group(link.other) and one and other and one.isdisjoint(other):
        return Refusal(link, (one, other))
    found.join(link.one, link.other)
    return None


def _declared(owners: Mapping[Name, Owners]) -> Iterable[Sequence[Name]]:
    """Of each owner the names that it declares."""
    named: dict[tuple[str, str], list[Name]] = {}
    for name, whose in sorted(owners.items()):
        for each in whose:
            named.setdefault(each, []).append(name)
    return named.values()
