"""Redraft contracts in force every night, and propose new suggestions and schema changes.

Not proposed again are checks in the version in force, suggestions in an open proposal, and rejected suggestions
without new evidence."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from sqlmodel import Session, col, func, select

from treaty.contracts.comparison.compatibility import compare
from treaty.contracts.document import reader, writer
from treaty.contracts.document.deadlines import promises
from treaty.contracts.document.model import Contract as Document
from treaty.contracts.document.model import DataObject
from treaty.contracts.editing import patches
from treaty.contracts.editing.schema_drift import Drift
from treaty.contracts.editing.schema_drift import apply_drift as drifted_of
from treaty.contracts.errors import ContractError
from treaty.contracts.fingerprint import fingerprint
from treaty.engine.checks import argument_order
from treaty.engine.protocol.requests import DraftResult
from treaty.registry.access import users
from treaty.registry.audit import audit_log
from treaty.registry.contracts import in_force
from treaty.registry.core.audit_actions import AuditAction
from treaty.registry.core.enums import ProposalState, TaskKind
from treaty.registry.core.ids import Ids
from treaty.registry.core.settings import RegistrySettings
from treaty.registry.core.state_machines import IN_FORCE, OPEN
from treaty.registry.datasets import contract_datasets
from treaty.registry.drafting import drafts as drafting_drafts
from treaty.registry.drafting import profiles
from treaty.registry.measurements.anomalies import false_alarms
from treaty.registry.notifications import dispatch, messages
from treaty.registry.queue import task_queue
from treaty.registry.review.proposals import proposals, rejected_suggestions
from treaty.registry.tables import ContractVersionRow, ProposalRow, ProposalSuggestionRow, RunRow, TaskRow, UserRow

# Author of proposals that no user requested; the user is inactive, so that this name cannot sign in.
AUTHOR = "treaty"
# A version that was activated more recently than this was just reviewed.
MIN_AGE = timedelta(hours=20)
NOTHING = "nothing new to propose"


def is_due(settings: RegistrySettings, *, now: datetime) -> bool:
    """Return whether contracts are redrafted in this hour."""
    return settings.redraft_hour == now.hour


def order(session: Session, settings: RegistrySettings, *, now: datetime, ids: Ids) -> int:
    """Enqueue a redraft of every object in force with data validated since its last redraft.

    Returns the number of new tasks; each object is enqueued at most once a day."""
    tasks = [_ordered(session, each, settings, now=now, ids=ids) for each in _promises(session, now)]
    return sum(task is not None for task in tasks)


def _promises(session: Session, now: datetime) -> Iterator[tuple[str, str]]:
    row = ContractVersionRow
    since = func.coalesce(row.activated_at, row.approved_at)
    conditions = col(row.state).in_(IN_FORCE), since < now - MIN_AGE
    for contract_id in session.exec(
        select(row.contract_id).where(*conditions).distinct().order_by(row.contract_id)
    ).all():
        for contract in in_force.versions(session, contract_id)[:1]:
            yield from ((contract_id, each.name) for each in contract.objects)


def _ordered(
    session: Session, about: tuple[str, str], settings: RegistrySettings, *, now: datetime, ids: Ids
) -> TaskRow | None:
    dataset = contract_datasets.dataset_of(session, *about)
    if dataset is None or not dataset.location or not _judged_since(session, dataset.id, _last(session, about)):
        return None
    source = {"location": dataset.location, "format": dataset.format, "partition_by": list(dataset.partition_by)}
    payload = {"contract_id": about[0], "object": about[1], "source": source, "sample": settings.redraft_sample_rows}
    key = "/".join((TaskKind.REDRAFT, *about, str(now.date())))
    task_id = ids()
    return task_queue.enqueue(
        session,
        kind=TaskKind.REDRAFT,
        payload=payload,
        key=key,
        now=now,
        task_id=task_id,
        priority=task_queue.Priority.UPKEEP,
    )


def _last(session: Session, about: tuple[str, str]) -> datetime | None:
    """Return when the object's last redraft was enqueued; None for never."""
    conditions = (
        TaskRow.kind == TaskKind.REDRAFT,
        col(TaskRow.key).startswith("/".join((TaskKind.REDRAFT, *about, "")), autoescape=True),
    )
    return session.exec(select(func.max(TaskRow.created_at)).where(*conditions)).one()


def _judged_since(session: Session, dataset_id: UUID, moment: datetime | None) -> bool:
    runs = select(RunRow.id).where(RunRow.dataset_id == dataset_id)
    since = runs if moment is None else runs.where(col(RunRow.finished_at) > moment)
    return session.exec(since.limit(1)).first() is not None


def keep(session: Session, task: TaskRow, drafted: DraftResult, *, now: datetime, ids: Ids) -> dict[str, Any]:
    """Propose new suggestions and schema changes, and return the task's result.

    The proposal is in review at once, and its replay is enqueued. Without anything new there is no proposal. Raises
    InvalidRequest if the draft has faults."""
    contract_id, name = str(task.payload["contract_id"]), str(task.payload["object"])
    before = next(iter(in_force.versions(session, contract_id)), None)
    if before is None or not any(each.name == name for each in before.objects):
        return {"note": f"no version of {contract_id} in force has the object {name}"}
    base, drift = _drifted(session, before, name, drafted)
    suggestions = [*drafted.suggestions, *drafting_drafts.arriving(session, contract_id, name)]
    fresh = _fresh(session, contract_id, base, name, false_alarms.with_false_alarms(session, contract_id, suggestions))
    if not (drift or fresh):
        return {"note": NOTHING}
    summary = "columns changed" if drift else "new suggestions"
    proposal = authored(session, task, base, f"Redraft of {name}: {summary}", now=now, ids=ids)
    proposal.source = {**task.payload["source"], "object": name, "drift": list(drift.sentences)}
    proposals.create_drafted(session, proposal, fresh, make_id=ids, now=now)
    profiles.store_profile(session, proposal, drafted.profile, now=now)
    session.flush()
    put_forward(session, proposal, drift, before, now=now, ids=ids)
    return {"proposal_id": str(proposal.id), "suggestions": len(fresh), "drift": list(drift.sentences)}


def _drifted(session: Session, before: Document, name: str, drafted: DraftResult) -> tuple[bytes, Drift]:
    """Apply the table's current columns to the version in force.

    Returns the document and the drift. The document is unchanged and the drift empty if the same drift is already
    proposed or was declined."""
    tables = reader.read(drafted.document).document["schema"]
    columns = next((each.get("properties") or () for each in tables if each.get("name") == name), ())
    updated, drift = drifted_of(before.document, name, columns)
    if not drift or _is_known(session, before.id, name, drift):
        return before.source, Drift()
    return writer.write(updated), drift


def _is_known(session: Session, contract_id: str, name: str, drift: Drift) -> bool:
    conditions = ProposalRow.contract_id == contract_id, col(ProposalRow.state) != ProposalState.APPROVED
    proposal_sources = ((source or {}) for source in session.exec(select(ProposalRow.source).where(*conditions)))
    return any(each.get("object") == name and each.get("drift") == list(drift.sentences) for each in proposal_sources)


def _fresh(
    session: Session, contract_id: str, base: bytes, name: str, suggestions: Sequence[Mapping[str, Any]]
) -> list[Mapping[str, Any]]:
    """Return suggestions that are not optional, covered, pending, or rejected without new evidence."""
    contract = proposals.read(base)
    pending = waiting(session, contract_id)
    proposed = [each for each in suggestions if not each.get("optional")]
    new = [each for each in proposed if each["id"] not in pending and is_new(contract, name, each)]
    before = rejected_suggestions.rejected_suggestions(session, contract_id, [each["id"] for each in new])
    return [each for each in new if each["id"] not in before or rejected_suggestions.news(before[each["id"]], each)]


def waiting(session: Session, contract_id: str) -> frozenset[str]:
    """Return the identities of suggestions in open proposals."""
    query = select(ProposalSuggestionRow.identity).join(
        ProposalRow, col(ProposalRow.id) == col(ProposalSuggestionRow.proposal_id)
    )
    return frozenset(
        session.exec(query.where(ProposalRow.contract_id == contract_id, col(ProposalRow.state).in_(OPEN)))
    )


def is_new(contract: Document, name: str, suggestion: Mapping[str, Any]) -> bool:
    """Return whether the suggestion would add a check or deadline to the contract's object.

    A check is new if its analyzer, column, arguments or filter differ. A different threshold alone is not new,
    because it changes with every night's data. False if the suggestion cannot be applied."""
    if "slaProperties" in suggestion["patch"]:
        return not any(each.object == name for each in promises(contract).watched)
    entry = suggestion["patch"].get("quality")
    if entry and any(each.id == entry.get("id") for each in contract.object(name).checks):
        return False
    patch = patches.Patch(suggestion["object"], suggestion["column"], suggestion["patch"])
    try:
        after = patches.apply(contract.document, [patch])
        checks = _promised(reader.read(writer.write(after)).object(name))
    except ContractError:
        return False
    return bool(checks - _promised(contract.object(name))) if entry else after != contract.document


def _promised(of: DataObject) -> frozenset[str]:
    return frozenset(fingerprint([each.analyzer, each.column, dict(each.arguments), each.where]) for each in of.checks)


def authored(session: Session, task: TaskRow, base: bytes, title: str, *, now: datetime, ids: Ids) -> ProposalRow:
    """Create a proposal by Treaty itself, in review at once."""
    return ProposalRow(
        id=ids(),
        contract_id=str(task.payload["contract_id"]),
        title=title,
        base=base,
        author_id=_author(session, now=now, ids=ids).id,
        state=ProposalState.IN_REVIEW,
        task_id=task.id,
        created_at=now,
    )


def _author(session: Session, *, now: datetime, ids: Ids) -> UserRow:
    author = session.exec(select(UserRow).where(UserRow.name == AUTHOR)).first()
    return author or users.create_user(
        session, UserRow(id=ids(), name=AUTHOR, roles=[], active=False, created_at=now), actor=AUTHOR, now=now
    )


def put_forward(
    session: Session, proposal: ProposalRow, drift: Drift, before: Document, *, now: datetime, ids: Ids
) -> None:
    """Describe the drift, notify the owners, and enqueue a replay of the proposal."""
    if drift:
        bump = compare(before, reader.read(proposal.base), argument_order.order).bump
        version = proposals.preview(session, proposal).version
        proposal.comment = "; ".join((*drift.sentences, f"this is a {bump.value} change: version {version}"))
    dispatch.notify(session, messages.proposal_submitted(proposal, by=proposal.author_id), now=now)
    task_id = ids()
    payload: dict[str, Any] = {
        "proposal_id": str(proposal.id), "document": None, "merge_counts": False, "include_replaced": False,
        "hidden": [], "hidden_references": [], "contract_id": proposal.contract_id, "author": str(proposal.author_id),
    }  # fmt: skip
    task_queue.enqueue(
        session, kind=TaskKind.REPLAY, payload=payload, key=f"{TaskKind.REPLAY}/{task_id}", now=now, task_id=task_id,
        priority=task_queue.Priority.UPKEEP,
    )  # fmt: skip
    details = {"contract": proposal.contract_id, "version": before.version}
    audit_log.record(session, AuditAction.REPLAY_REQUESTED, actor=AUTHOR, object_id=task_id, now=now, details=details)
