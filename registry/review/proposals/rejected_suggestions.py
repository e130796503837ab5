"""The memory of rejected suggestions: one returns with new evidence only, and then it says what is new."""

from collections.abc import Collection, Iterator, Mapping
from math import isclose
from typing import Any

from sqlmodel import Session, col, select

from treaty.registry.core.enums import Decision
from treaty.registry.tables import ProposalRow, ProposalSuggestionRow

# A limit that moved by less is the same limit, learned on other days.
TOLERANCE = 0.1
# So much more data than when it was rejected is new evidence, even for the very same limit.
GROWTH = 2
# How often each value was seen, and how many partitions limits were learned from, changes with every partition.
COUNTED, LEARNED = "counts", ".points"


def rejected_suggestions(
    session: Session, contract_id: str, identities: Collection[str]
) -> dict[str, Mapping[str, Any]]:
    """The suggestions of those identities that were last decided with a rejection, in any proposal for the contract."""
    query = (
        select(ProposalSuggestionRow)
        .join(ProposalRow, col(ProposalRow.id) == col(ProposalSuggestionRow.proposal_id))
        .where(ProposalRow.contract_id == contract_id, col(ProposalSuggestionRow.decided_at).is_not(None))
        .where(col(ProposalSuggestionRow.identity).in_(identities))
        .order_by(col(ProposalSuggestionRow.decided_at))
    )
    latest = {row.identity: row for row in session.exec(query)}
    return {identity: row.content for identity, row in latest.items() if row.decision is Decision.REJECTED}


def news(before: Mapping[str, Any], now: Mapping[str, Any]) -> str:
    """What a suggestion's evidence says now and did not say when it was rejected; '' where that is nothing.

    New is another limit, another set of values, another severity, or twice as many partitions."""
    told = []
    if _differs(_claims(before), _claims(now)):
        told.append(f"it says now: {now.get('sentence', '')}; then: {before.get('sentence', '')}")
    seen, then = _partitions(now), _partitions(before)
    if then and seen >= GROWTH * then:
        told.append(f"it rests on {seen:,} partitions; on {then:,} then")
    return "; ".join(told)


def _claims(content: Mapping[str, Any]) -> dict[str, Any]:
    """What the suggestion claims, leaf by leaf, without its wording."""
    evidence = content.get("evidence") or {}
    details = {key: value for key, value in (evidence.get("details") or {}).items() if key != COUNTED}
    patch = {path: leaf for path, leaf in _leaves(content.get("patch"), "") if _is_claim(path, leaf)}
    claims = {"severity": content.get("severity"), "limits": evidence.get("limits"), "details": details, "set": patch}
    return dict(_leaves(claims, ""))


def _is_claim(path: str, leaf: Any) -> bool:
    return not isinstance(leaf, str) and not path.endswith(LEARNED)


def _leaves(value: Any, path: str) -> Iterator[tuple[str, Any]]:
    if isinstance(value, Mapping):
        for key, each in value.items():
            yield from _leaves(each, f"{path}.{key}")
    elif isinstance(value, list | tuple) and not any(isinstance(each, str) for each in value):
        for index, each in enumerate(value):
            yield from _leaves(each, f"{path}[{index}]")
    else:
        yield path, frozenset(map(str, value)) if isinstance(value, list | tuple) else value


def _differs(before: Mapping[str, Any], now: Mapping[str, Any]) -> bool:
    return before.keys() != now.keys() or any(not _alike(before[path], now[path]) for path in now)


def _alike(before: Any, now: Any) -> bool:
    if _is_number(before) and _is_number(now):
        return isclose(before, now, rel_tol=TOLERANCE)
    return bool(before == now)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _partitions(content: Mapping[str, Any]) -> int:
    found = (content.get("evidence") or {}).get("partitions")
    return found if isinstance(found, int) else 0
