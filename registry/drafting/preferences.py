"""Rank suggestions by how often owners accepted their kind."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from sqlmodel import Session, col, func, select

from treaty.registry.core.enums import Decision
from treaty.registry.tables import ProposalSuggestionRow

# Prior of a kind without decisions: Beta(2, 2), as if two of four had been accepted.
PRIOR = 2
EVEN = 0.5


@dataclass(frozen=True)
class KindPreference:
    """Number of accepted and of decided suggestions of a kind."""

    accepted: int = 0
    decided: int = 0

    @property
    def share(self) -> float:
        """Return the probability of acceptance: the posterior mean."""
        return (PRIOR + self.accepted) / (2 * PRIOR + self.decided)


def liked(session: Session) -> dict[str, KindPreference]:
    """Return the decisions by kind of suggestion, across all contracts."""
    row = ProposalSuggestionRow
    kind = row.content["kind"].as_string()
    counted = select(kind, row.decision, func.count()).where(col(row.decision) != Decision.PENDING)
    preferences: dict[str, KindPreference] = {}
    for name, decision, count in session.exec(counted.group_by(kind, row.decision)):
        before = preferences.get(name, KindPreference())
        accepted = count if decision is Decision.ACCEPTED else 0
        preferences[name] = KindPreference(before.accepted + accepted, before.decided + count)
    return preferences


def ordered(session: Session, suggestions: Iterable[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Sort the suggestions by worth times probability of acceptance, highest first.

    Worth comes from the suggestion's evidence; without it 0.5 is used. Ties keep their order. The decisions on each
    kind are added to the evidence."""
    preferences = liked(session)
    annotated = [
        _with_preference(each, preferences.get(each.get("kind") or "", KindPreference())) for each in suggestions
    ]
    return sorted(annotated, key=lambda each: -_worth(each, preferences))


def _with_preference(suggestion: Mapping[str, Any], of_kind: KindPreference) -> Mapping[str, Any]:
    if not of_kind.decided:
        return suggestion
    decided = {"accepted": of_kind.accepted, "decided": of_kind.decided}
    return {**suggestion, "evidence": {**(suggestion.get("evidence") or {}), "owners": decided}}


def _worth(suggestion: Mapping[str, Any], preferences: Mapping[str, KindPreference]) -> float:
    worth = (suggestion.get("evidence") or {}).get("worth")
    of_kind = preferences.get(suggestion.get("kind") or "", KindPreference())
    return (worth if isinstance(worth, int | float) else EVEN) * of_kind.share
