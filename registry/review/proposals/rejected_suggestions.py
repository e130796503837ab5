"""Keep rejected suggestions from returning unless their evidence is new."""

from collections.abc import Collection, Iterator, Mapping
from math import isclose
from typing import Any

from sqlmodel import Session, col, select

from treaty.registry.core.enums import Decision
from treaty.registry.tables import ProposalRow, ProposalSuggestionRow

# A limit within this relative tolerance is the same limit, learned on other days.
TOLERANCE = 0.1
# Evidence from this many times more partitions is new, even for the same limit.
GROWTH = 2
# Value frequencies and the number of partitions behind a limit change with every partition.
COUNTED, LEARNED = "counts", ".points"


def rejected_suggestions(
    session: Session, contract_id: str, identities: Collection[str]
) -> dict[str, Mapping[str, Any]]:
    """Return the suggestions of those identities whose latest decision is a rejection.

    Considers all proposals of the contract."""
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
    """Describe the evidence that is new since a suggestion was rejected; '' if there is none.

    A different limit, set of values or severity is new, and so is evidence from twice as many partitions."""
    changes = []
    if _differs(_claims(before), _claims(now)):
        changes.append(f"now: {now.get('sentence', '')}; when rejected: {before.get('sentence', '')}")
    partitions, then = _partitions(now), _partitions(before)
    if then and partitions >= GROWTH * then:
        changes.append(f"now based on {partitions:,} partitions; when rejected: {then:,}")
    return "; ".join(changes)


def _claims(content: Mapping[str, Any]) -> dict[str, Any]:
    """Return the claims of a suggestion by path, without its wording."""
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
    count = (content.get("evidence") or {}).get("partitions")
    return count if isinstance(count, int) else 0
