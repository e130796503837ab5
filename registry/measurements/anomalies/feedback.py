"""Store user feedback on data points: the data of a partition was as expected, or part of an incident.

The latest feedback about a content of a partition takes precedence, also over incidents. Feedback is never changed; a
later row replaces it."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from sqlmodel import Session, col, func, select

from treaty.registry.access import visibility
from treaty.registry.access.authentication import Principal, require_permission
from treaty.registry.audit import audit_log
from treaty.registry.core.audit_actions import AuditAction
from treaty.registry.core.enums import FeedbackKind, Permission
from treaty.registry.core.errors import InvalidRequest, NotFound
from treaty.registry.core.ids import derived_id
from treaty.registry.datasets import contract_datasets
from treaty.registry.datasets.contract_datasets import ContractObject
from treaty.registry.tables import IncidentRow, PartitionStateRow, PointFeedbackRow, RunRow, UserRow

# A run and a partition of its data; None means all partitions together.
Spot = tuple[UUID, str | None]
WHY = "Enter a reason."
NOT_JUDGED = "The run did not validate a partition of that name."


@dataclass(frozen=True)
class NewFeedback:
    """Feedback to add: a point of a run, its kind and the reason."""

    run_id: UUID
    partition: str | None
    kind: FeedbackKind
    reason: str


@dataclass(frozen=True)
class DataFeedback:
    """The points with feedback: data that was as expected, and data of incidents."""

    expected: frozenset[Spot] = frozenset()
    incident: frozenset[Spot] = frozenset()


def add_feedback(
    session: Session, feedback: NewFeedback, *, by: Principal, now: datetime, mark_id: UUID
) -> PointFeedbackRow:
    """Store the principal's feedback.

    Raises NotFound if the run is not visible, Forbidden without the permission to resolve its incidents, and
    InvalidRequest if the reason is empty or the run did not validate the partition."""
    run = run_for_feedback(session, feedback, by=by)
    require_permission(by, Permission.INCIDENTS, visibility.object_resource(session, run.contract_id, run.object))
    if not feedback.reason.strip():
        raise InvalidRequest(WHY)
    row = _row(session, run, feedback, author=by.user_id, now=now, mark_id=mark_id)
    session.add(row)
    details = {
        "contract": run.contract_id, "object": run.object, "partition": feedback.partition, "kind": feedback.kind.value,
        "reason": feedback.reason,
    }  # fmt: skip
    audit_log.record(session, AuditAction.FEEDBACK_SET, actor=by.name, object_id=row.id, now=now, details=details)
    return row


def word(session: Session, run: RunRow, feedback: NewFeedback, *, by: Principal) -> PointFeedbackRow:
    """Build the feedback row without storing it, to preview its effects."""
    return _row(session, run, feedback, author=by.user_id, now=run.finished_at, mark_id=run.id)


def run_for_feedback(session: Session, feedback: NewFeedback, *, by: Principal) -> RunRow:
    """Return the run that the feedback is about.

    Raises NotFound if it is not visible or belongs to a consumer, and InvalidRequest if it did not validate the
    partition."""
    run = visibility.require_readable_run(session, feedback.run_id, by)
    if run.subscription_id is not None:
        raise NotFound
    if feedback.partition and feedback.partition not in run.partitions:
        raise InvalidRequest(NOT_JUDGED)
    return run


def of_incident(
    session: Session, incident: IncidentRow, spots: Mapping[ContractObject, Iterable[Spot]], mark: FeedbackKind
) -> None:
    """Store the feedback implied by an incident's resolution, for each partition's latest run."""
    why = incident.comment or (incident.resolution.value.replace("_", " ") if incident.resolution else "reopened")
    author, now = incident.resolved_by_id, incident.resolved_at
    assert author
    assert now
    for about, points in spots.items():
        newest = dict(sorted(((partition, run_id) for run_id, partition in points), key=lambda each: each[1]))
        for partition, run_id in newest.items():
            new_feedback = NewFeedback(run_id, partition, mark, why)
            feedback_id = derived_id(now, f"{incident.id}/{incident.revision}/{about}/{partition}")
            row = _row(
                session, session.get_one(RunRow, run_id), new_feedback, author=author, now=now, mark_id=feedback_id
            )
            row.incident_id = incident.id
            session.add(row)


def take_back(session: Session, incident: IncidentRow, *, author: UUID, now: datetime) -> None:
    """Clear feedback from the incident's resolution, unless later feedback has replaced it."""
    for row in [each for about in _abouts(session, incident.id) for each in current_feedback(session, about)]:
        if row.incident_id == incident.id:
            fields = row.model_dump(exclude={"id", "kind", "reason", "author_id", "created_at"})
            feedback_id = derived_id(now, f"{row.id}/back")
            session.add(
                PointFeedbackRow(
                    **fields,
                    id=feedback_id,
                    kind=FeedbackKind.CLEARED,
                    reason="reopened",
                    author_id=author,
                    created_at=now,
                )
            )


def _abouts(session: Session, incident_id: UUID) -> list[ContractObject]:
    row = PointFeedbackRow
    query = select(row.contract_id, row.object).where(row.incident_id == incident_id).distinct()
    return [ContractObject(*each) for each in session.exec(query.order_by(row.contract_id, row.object))]


def _row(
    session: Session, run: RunRow, feedback: NewFeedback, *, author: UUID, now: datetime, mark_id: UUID
) -> PointFeedbackRow:
    partition = feedback.partition or None
    return PointFeedbackRow(
        id=mark_id,
        contract_id=run.contract_id,
        object=run.object,
        run_id=run.id,
        partition=partition,
        from_version=_since(session, run, partition),
        kind=feedback.kind,
        reason=feedback.reason.strip(),
        author_id=author,
        created_at=now,
    )


def _since(session: Session, run: RunRow, partition: str | None) -> int | None:
    """Return the states version that introduced the validated content; None if it is not stored."""
    if partition is None or run.states_version is None or run.dataset_id is None:
        return None
    row = PartitionStateRow
    conditions = row.dataset_id == run.dataset_id, row.partition == partition, row.from_version <= run.states_version
    return session.exec(select(func.max(row.from_version)).where(*conditions)).one()


def list_feedback(
    session: Session, contract_id: str, object_name: str, *, limit: int
) -> Sequence[tuple[PointFeedbackRow, str]]:
    """Return the feedback on the contract object with its authors' names, newest first."""
    row = PointFeedbackRow
    query = select(row, UserRow.name).join(UserRow, col(UserRow.id) == col(row.author_id))
    of_object = query.where(row.contract_id == contract_id, row.object == object_name)
    return session.exec(of_object.order_by(col(row.created_at).desc(), col(row.id).desc()).limit(limit)).all()


def current_feedback(
    session: Session, about: ContractObject, *, before: datetime | None = None
) -> list[PointFeedbackRow]:
    """Return the latest feedback on each content of each partition, oldest first.

    `before`: use feedback before this time; None means all."""
    row = PointFeedbackRow
    query = select(row).where(row.contract_id == about.contract_id, row.object == about.object)
    if before is not None:
        query = query.where(row.created_at < before)
    rows = session.exec(query.order_by(col(row.created_at), col(row.id))).all()
    return list({(each.partition, each.from_version or each.run_id): each for each in rows}.values())


def data_feedback(
    session: Session, about: ContractObject, *, before: datetime | None = None, also: Sequence[PointFeedbackRow] = ()
) -> DataFeedback:  # fmt: skip
    """Return the points with current feedback. `also`: additional feedback, as if it were stored."""
    rows = [*current_feedback(session, about, before=before), *also]
    newest = {(each.partition, each.from_version or each.run_id): each for each in rows}
    points = _spots(session, about, [each for each in newest.values() if each.kind is not FeedbackKind.CLEARED])
    kinds = (
        frozenset(spot for spot, mark in points.items() if mark is kind)
        for kind in (FeedbackKind.EXPECTED, FeedbackKind.INCIDENT)
    )
    return DataFeedback(*kinds)


def _spots(session: Session, about: ContractObject, rows: Sequence[PointFeedbackRow]) -> dict[Spot, FeedbackKind]:
    """Return the feedback kind by run and partition, for all runs with the same content."""
    kinds: dict[Spot, FeedbackKind] = {(each.run_id, each.partition): each.kind for each in rows}
    versioned = [each for each in rows if each.from_version is not None]
    if not versioned:
        return kinds
    ends = _ends(session, about, {str(each.partition) for each in versioned})
    runs = _runs(session, about, min(each.from_version or 0 for each in versioned))
    for each in versioned:
        from_version = each.from_version or 0
        until_version = min((end for end in ends.get(str(each.partition), ()) if end > from_version), default=None)
        for run_id, version, partitions in runs:
            if (
                from_version <= version
                and (until_version is None or version < until_version)
                and each.partition in partitions
            ):
                kinds[run_id, each.partition] = each.kind
    return kinds


def _ends(session: Session, about: ContractObject, partitions: Iterable[str]) -> dict[str, list[int]]:
    """Return, by partition, the states versions that introduced a content."""
    dataset = contract_datasets.dataset_of(session, *about)
    row = PartitionStateRow
    query = select(row.partition, row.from_version).where(col(row.partition).in_(sorted(partitions)))
    versions: dict[str, list[int]] = {}
    for partition, from_version in session.exec(query.where(row.dataset_id == dataset.id)) if dataset else ():
        versions.setdefault(partition, []).append(from_version)
    return versions


def _runs(session: Session, about: ContractObject, since: int) -> list[tuple[UUID, int, Sequence[str]]]:
    conditions = (
        RunRow.contract_id == about.contract_id,
        RunRow.object == about.object,
        col(RunRow.subscription_id).is_(None),
    )
    query = select(RunRow.id, RunRow.states_version, RunRow.partitions).where(
        *conditions, col(RunRow.states_version) >= since
    )
    return [(run_id, version or 0, partitions) for run_id, version, partitions in session.exec(query)]
