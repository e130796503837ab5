"""Drafting a contract: the engine profiles a table, and what it suggests becomes a proposal of whoever asked."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any
from uuid import UUID

from sqlmodel import Session

from engine.requests import Drafted, DraftRequest, Source
from registry import drafts
from registry.tables import Proposal, Task
from registry.validation import Ids
from registry.words import ProposalState

DRAFT = "draft"


def request(payload: Mapping[str, Any]) -> DraftRequest:
    """What to ask of the engine. Raises KeyError where the payload lacks its source, contract or object."""
    source = payload["source"]
    return DraftRequest(
        source=Source(source["location"], source.get("format"), tuple(source.get("partition_by") or ())),
        contract_id=payload["contract_id"],
        object=payload["object"],
        columns=tuple(payload.get("columns") or ()),
        partitions=tuple(payload.get("partitions") or ()),
        aliases=tuple((alias["namespace"], alias["name"]) for alias in payload.get("aliases") or ()),
    )


def keep(session: Session, task: Task, drafted: Drafted, *, now: datetime, ids: Ids) -> dict[str, Any]:
    """Stores the draft as its author's proposal. Returns the task's result. Raises Invalid for faults in it."""
    proposal = Proposal(
        id=ids(),
        contract_id=task.payload["contract_id"],
        title=task.payload.get("title") or "",
        base=drafted.document,
        source={**task.payload["source"], "object": task.payload["object"]},
        author_id=UUID(task.payload["author"]),
        state=ProposalState.DRAFT,
        task_id=task.id,
        created=now,
    )
    drafts.create_drafted(session, proposal, drafted.suggestions, make_id=ids, now=now)
    return {"proposal_id": str(proposal.id), "suggestions": len(drafted.suggestions)}
