"""What people say of single points: that nothing was wrong with the data of a partition, or that something was.

The newest word about a content of a partition counts, before what incidents say of it. Each is kept as it was said, and
is taken back by another one."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from sqlmodel import Session, col, func, select

from treaty.registry.access import visibility
from treaty.registry.access.authentication import Principal, require_permission
from treaty.registry.audit import audit_log
from treaty.registry.core.enums import AuditAction, FeedbackKind, Permission
from treaty.registry.core.errors import InvalidRequest, NotFound
from treaty.registry.core.ids import derived_id
from treaty.registry.datasets import contract_datasets
from treaty.registry.datasets.contract_datasets import ContractObject
from treaty.registry.tables import IncidentRow, PartitionStateRow, PointFeedbackRow, RunRow, UserRow

# Which data of which run: a partition, None: all together.
Spot = tuple[UUID, str | None]
WHY = "say why, in a few words"
NOT_JUDGED = "the run judged no partition of that name"


@dataclass(frozen=True)
class NewFeedback:
    """What somebody says of what a run judged, and why."""

    run_id: UUID
    partition: str | None
    kind: FeedbackKind
    reason: str


@dataclass(frozen=True)
class DataFeedback:
    """What is said of the data of runs: which were as expected, and which were not."""

    expected: frozenset[Spot] = frozenset()
    incident: frozenset[Spot] = frozenset()


def add_feedback(
    session: Session, said: NewFeedback, *, by: Principal, now: datetime, mark_id: UUID
) -> PointFeedbackRow:
    """Keeps what the principal says. Raises NotFound for no such run, Forbidden for who may not settle its incidents,
    Invalid for no reason and for data that the run did not judge."""
    run = run_for_feedback(session, said, by=by)
    require_permission(by, Permission.INCIDENTS, visibility.object_resource(session, run.contract_id, run.object))
    if not said.reason.strip():
        raise InvalidRequest(WHY)
    row = _row(session, run, said, author=by.user_id, now=now, mark_id=mark_id)
    session.add(row)
    details = {
        "contract": run.contract_id, "object": run.object, "partition": said.partition, "mark": said.kind.value,
        "why": said.reason,
    }  # fmt: skip
    audit_log.record(session, AuditAction.MARK_SET, actor=by.name, object_id=row.id, now=now, details=details)
    return row


def word(session: Session, run: RunRow, said: NewFeedback, *, by: Principal) -> PointFeedbackRow:
    """What the principal would say, as it would be kept."""
    return _row(session, run, said, author=by.user_id, now=run.finished_at, mark_id=run.id)


def run_for_feedback(session: Session, said: NewFeedback, *, by: Principal) -> RunRow:
    """The run that something is said of. Raises NotFound where the principal may not see it, or it was a consumer's;
    Invalid where it judged no such data."""
    run = visibility.require_readable_run(session, said.run_id, by)
    if run.subscription_id is not None:
        raise NotFound
    if said.partition and said.partition not in run.partitions:
        raise InvalidRequest(NOT_JUDGED)
    return run


def of_incident(
    session: Session, incident: IncidentRow, spots: Mapping[ContractObject, Iterable[Spot]], mark: FeedbackKind
) -> None:
    """Keeps what the incident's end says of the data that failed in it: those of the newest run of each partition."""
    why = incident.comment or (incident.resolution.value.replace("_", " ") if incident.resolution else "opened again")
    author, now = incident.resolved_by_id, incident.resolved_at
    assert author
    assert now
    for about, found in spots.items():
        newest = dict(sorted(((partition, run_id) for run_id, partition in found), key=lambda each: each[1]))
        for partition, run_id in newest.items():
            said = NewFeedback(run_id, partition, mark, why)
            mark_id = derived_id(now, f"{incident.id}/{incident.revision}/{about}/{partition}")
            row = _row(session, session.get_one(RunRow, run_id), said, author=author, now=now, mark_id=mark_id)
            row.incident_id = incident.id
            session.add(row)


def take_back(session: Session, incident: IncidentRow, *, author: UUID, now: datetime) -> None:
    """Takes back what the incident's end said of its data, where nobody said anything else since."""
    for row in [each for about in _abouts(session, incident.id) for each in current_feedback(session, about)]:
        if row.incident_id == incident.id:
            told = row.model_dump(exclude={"id", "kind", "reason", "author_id", "created_at"})
            mark_id = derived_id(now, f"{row.id}/back")
            session.add(
                PointFeedbackRow(
                    **told,
                    id=mark_id,
                    kind=FeedbackKind.CLEARED,
                    reason="opened again",
                    author_id=author,
                    created_at=now,
                )
            )


def _abouts(session: Session, incident_id: UUID) -> list[ContractObject]:
    row = PointFeedbackRow
    query = select(row.contract_id, row.object).where(row.incident_id == incident_id).distinct()
    return [ContractObject(*each) for each in session.exec(query.order_by(row.contract_id, row.object))]


def _row(
    session: Session, run: RunRow, said: NewFeedback, *, author: UUID, now: datetime, mark_id: UUID
) -> PointFeedbackRow:
    partition = said.partition or None
    return PointFeedbackRow(
        id=mark_id,
        contract_id=run.contract_id,
        object=run.object,
        run_id=run.id,
        partition=partition,
        from_version=_since(session, run, partition),
        kind=said.kind,
        reason=said.reason.strip(),
        author_id=author,
        created_at=now,
    )


def _since(session: Session, run: RunRow, partition: str | None) -> int | None:
    """The version of the dataset's states that brought the content that the run judged; None where that is not kept."""
    if partition is None or run.states_version is None or run.dataset_id is None:
        return None
    row = PartitionStateRow
    mine = row.dataset_id == run.dataset_id, row.partition == partition, row.from_version <= run.states_version
    return session.exec(select(func.max(row.from_version)).where(*mine)).one()


def list_feedback(
    session: Session, contract_id: str, object_name: str, *, limit: int
) -> Sequence[tuple[PointFeedbackRow, str]]:
    """What was said of the data of the contract's object, newest first, with who said it."""
    row = PointFeedbackRow
    query = select(row, UserRow.name).join(UserRow, col(UserRow.id) == col(row.author_id))
    mine = query.where(row.contract_id == contract_id, row.object == object_name)
    return session.exec(mine.order_by(col(row.created_at).desc(), col(row.id).desc()).limit(limit)).all()


def current_feedback(
    session: Session, about: ContractObject, *, before: datetime | None = None
) -> list[PointFeedbackRow]:
    """The newest word about each content of each partition, in the order of time; `before`: as it was then."""
    row = PointFeedbackRow
    query = select(row).where(row.contract_id == about.contract_id, row.object == about.object)
    if before is not None:
        query = query.where(row.created_at < before)
    rows = session.exec(query.order_by(col(row.created_at), col(row.id))).all()
    return list({(each.partition, each.from_version or each.run_id): each for each in rows}.values())


def data_feedback(
    session: Session, about: ContractObject, *, before: datetime | None = None, also: Sequence[PointFeedbackRow] = ()
) -> DataFeedback:  # fmt: skip
    """What is said of the data of which runs; `also`: as if that were said, too."""
    rows = [*current_feedback(session, about, before=before), *also]
    newest = {(each.partition, each.from_version or each.run_id): each for each in rows}
    spots = _spots(session, about, [each for each in newest.values() if each.kind is not FeedbackKind.CLEARED])
    kinds = (
        frozenset(spot for spot, mark in spots.items() if mark is kind)
        for kind in (FeedbackKind.EXPECTED, FeedbackKind.INCIDENT)
    )
    return DataFeedback(*kinds)


def _spots(session: Session, about: ContractObject, rows: Sequence[PointFeedbackRow]) -> dict[Spot, FeedbackKind]:
    """By run and partition what is said of the content that the run judged."""
    found: dict[Spot, FeedbackKind] = {(each.run_id, each.partition): each.kind for each in rows}
    dated = [each for each in rows if each.from_version is not None]
    if not dated:
        return found
    ends = _ends(session, about, {str(each.partition) for each in dated})
    runs = _runs(session, about, min(each.from_version or 0 for each in dated))
    for each in dated:
        since = each.from_version or 0
        until = min((end for end in ends.get(str(each.partition), ()) if end > since), default=None)
        for run_id, version, partitions in runs:
            if since <= version and (until is None or version < until) and each.partition in partitions:
                found[run_id, each.partition] = each.kind
    return found


def _ends(session: Session, about: ContractObject, partitions: Iterable[str]) -> dict[str, list[int]]:
    """The versions of the states that brought a content of these partitions."""
    dataset = contract_datasets.dataset_of(session, *about)
    row = PartitionStateRow
    query = select(row.partition, row.from_version).where(col(row.partition).in_(sorted(partitions)))
    found: dict[str, list[int]] = {}
    for partition, since in session.exec(query.where(row.dataset_id == dataset.id)) if dataset else ():
        found.setdefault(partition, []).append(since)
    return found


def _runs(session: Session, about: ContractObject, since: int) -> list[tuple[UUID, int, Sequence[str]]]:
    mine = RunRow.contract_id == about.contract_id, RunRow.object == about.object, col(RunRow.subscription_id).is_(None)
    query = select(RunRow.id, RunRow.states_version, RunRow.partitions).where(
        *mine, col(RunRow.states_version) >= since
    )
    return [(run_id, version or 0, partitions) for run_id, version, partitions in session.exec(query)]
