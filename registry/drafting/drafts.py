"""Draft a contract: the engine profiles a table, and its suggestions become the requester's proposal."""

from collections.abc import Mapping
from contextlib import suppress
from datetime import datetime
from typing import Any
from uuid import UUID

from sqlmodel import Session

from treaty.engine.core.learning_options import PatternOptions, ProgramOptions
from treaty.engine.protocol.requests import DraftRequest, DraftResult, TableSource
from treaty.engine.suggestions.selection.arrival_deadlines import suggest
from treaty.registry.contracts import lookup
from treaty.registry.core.enums import ProposalState
from treaty.registry.core.errors import NotFound
from treaty.registry.core.ids import Ids
from treaty.registry.core.settings import RegistrySettings
from treaty.registry.datasets import contract_datasets
from treaty.registry.drafting import catalog_suggestions, preferences, profiles, reference_keys
from treaty.registry.measurements.anomalies import baselines, false_alarms
from treaty.registry.measurements.runs.recording import RunSeriesKey
from treaty.registry.review.proposals import proposals
from treaty.registry.review.replays import state_timeline
from treaty.registry.tables import ProposalRow, TaskRow


def request(session: Session, payload: Mapping[str, Any], settings: RegistrySettings) -> DraftRequest:
    """Build the engine's draft request from a task's payload.

    Raises KeyError if the payload lacks its source, contract or object."""
    source = payload["source"]
    return DraftRequest(
        source=TableSource(source["location"], source.get("format"), tuple(source.get("partition_by") or ())),
        contract_id=payload["contract_id"],
        object=payload["object"],
        columns=tuple(payload.get("columns") or ()),
        partitions=tuple(payload.get("partitions") or ()),
        aliases=tuple((alias["namespace"], alias["name"]) for alias in payload.get("aliases") or ()),
        in_force=_in_force(session, payload),
        sample=payload.get("sample"),
        lake=settings.lake,
        key_model=settings.key_models,
        programs=ProgramOptions(**options) if (options := payload.get("programs")) else None,
        patterns=PatternOptions(**payload.get("patterns") or {}),
        compare=bool(payload.get("compare")),
        keys=reference_keys.keys(session, payload),
        # A nightly redraft has no author and reads no tables other than those with keys that its columns are named
        # after.
        sketched="author" in payload,
        excluded_partitions=baselines.spoilt_partitions(
            session, RunSeriesKey(payload["contract_id"], payload["object"], "")
        ),
    )


def keep(session: Session, task: TaskRow, drafted: DraftResult, *, now: datetime, ids: Ids) -> dict[str, Any]:
    """Store the draft as a proposal of its author, and return the task's result.

    Raises InvalidRequest if the draft has faults."""
    proposal = ProposalRow(
        id=ids(),
        contract_id=task.payload["contract_id"],
        title=task.payload.get("title") or "",
        base=drafted.document,
        source={**task.payload["source"], "object": task.payload["object"]},
        author_id=UUID(task.payload["author"]),
        state=ProposalState.DRAFT,
        task_id=task.id,
        created_at=now,
    )
    candidates = _candidates(session, proposal, drafted, task.payload["object"])
    evaluated = false_alarms.with_false_alarms(session, proposal.contract_id, candidates)
    suggestions = preferences.ordered(session, evaluated)
    proposals.create_drafted(session, proposal, suggestions, make_id=ids, now=now)
    profiles.store_profile(session, proposal, drafted.profile, now=now)
    result = {"proposal_id": str(proposal.id), "suggestions": len(proposals.suggestions_of(session, proposal))}
    more = {"notes": list(drafted.profile.get("notes") or ()), "choices": [dict(each) for each in drafted.choices]}
    return {**result, **{name: items for name, items in more.items() if items}}


def _candidates(
    session: Session, proposal: ProposalRow, drafted: DraftResult, object_name: str
) -> list[Mapping[str, Any]]:
    """Return the engine's suggestions with arrival deadlines and what catalogs state."""
    contract = proposals.read(drafted.document)
    candidates = [*drafted.suggestions, *arriving(session, proposal.contract_id, object_name)]
    stated = catalog_suggestions.statements(session, contract, object_name)
    return catalog_suggestions.with_catalogs(candidates, stated, contract, object_name)


def arriving(session: Session, contract_id: str, object_name: str) -> list[dict[str, Any]]:
    """Suggest arrival deadlines from past arrival times; [] if none are known."""
    dataset = contract_datasets.dataset_of(session, contract_id, object_name)
    return suggest(state_timeline.moments(session, dataset), object_name) if dataset else []


def _in_force(session: Session, payload: Mapping[str, Any]) -> bytes | None:
    """Return the document of the contract's version in force; None for a new contract."""
    with suppress(NotFound):
        return lookup.version(session, payload["contract_id"]).body
    return None
