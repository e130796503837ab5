"""What owners made of suggestions so far: how often each kind was accepted, and the order that follows for new ones."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from sqlmodel import Session, col, func, select

from treaty.registry.core.enums import Decision
from treaty.registry.tables import ProposalSuggestionRow

# What is believed of a kind that nobody decided about: Beta(2, 2), as if two of four had been accepted.
PRIOR = 2
EVEN = 0.5


@dataclass(frozen=True)
class KindPreference:
    """How many suggestions of a kind were accepted, of how many that were decided about."""

    accepted: int = 0
    decided: int = 0

    @property
    def share(self) -> float:
        """The chance that the next one is accepted: the mean of the posterior."""
        return (PRIOR + self.accepted) / (2 * PRIOR + self.decided)


def liked(session: Session) -> dict[str, KindPreference]:
    """The decisions about each kind of suggestion, in all contracts."""
    row = ProposalSuggestionRow
    kind = row.content["kind"].as_string()
    counted = select(kind, row.decision, func.count()).where(col(row.decision) != Decision.PENDING)
    found: dict[str, KindPreference] = {}
    for name, decision, count in session.exec(counted.group_by(kind, row.decision)):
        before = found.get(name, KindPreference())
        accepted = count if decision is Decision.ACCEPTED else 0
        found[name] = KindPreference(before.accepted + accepted, before.decided + count)
    return found


def ordered(session: Session, suggestions: Iterable[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """The suggestions with what owners made of their kinds, the worthiest first: worth times the chance of acceptance.

    Worth is the evidence's own; of equal ones, and without any, in the order that they have."""
    known = liked(session)
    told = [_with_preference(each, known.get(each.get("kind") or "", KindPreference())) for each in suggestions]
    return sorted(told, key=lambda each: -_worth(each, known))


def _with_preference(suggestion: Mapping[str, Any], of_kind: KindPreference) -> Mapping[str, Any]:
    if not of_kind.decided:
        return suggestion
    decided = {"accepted": of_kind.accepted, "decided": of_kind.decided}
    return {**suggestion, "evidence": {**(suggestion.get("evidence") or {}), "owners": decided}}


def _worth(suggestion: Mapping[str, Any], known: Mapping[str, KindPreference]) -> float:
    worth = (suggestion.get("evidence") or {}).get("worth")
    of_kind = known.get(suggestion.get("kind") or "", KindPreference())
    return (worth if isinstance(worth, int | float) else EVEN) * of_kind.share
