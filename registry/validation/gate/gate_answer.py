"""Answer the gate from stored results: whether data satisfies its contracts.

An answer applies to the data that was evaluated; it is unknown if the data may have changed since, or was never
evaluated. A partition is answered by the latest results of its own checks and by the checks of the whole dataset.
All data is answered by these and the checks of every existing partition: the newest run for what just arrived, and
earlier runs for older partitions, since a bad old partition affects readers of all data."""

import json
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple
from uuid import UUID

from sqlalchemy import ColumnElement, String, cast, or_
from sqlmodel import Session, col, select

from treaty.contracts.document.model import SCOPES
from treaty.contracts.document.reader import read
from treaty.engine.core.results import Outcome, Verdict
from treaty.registry.contracts import in_force, version_status
from treaty.registry.core.enums import GateAnswer, PinKind, SubscriptionState
from treaty.registry.core.errors import NotFound
from treaty.registry.core.state_machines import IN_FORCE
from treaty.registry.datasets import contract_datasets
from treaty.registry.datasets.contract_datasets import ContractObject
from treaty.registry.datasets.related_datasets import ResolvedDataset
from treaty.registry.measurements.runs.recording import RunSeriesKey
from treaty.registry.measurements.states import state_store
from treaty.registry.tables import (
    CheckResultRow,
    ContractVersionRow,
    DatasetRow,
    RunRow,
    SubscriptionRow,
    TeamRow,
    UserRow,
)
from treaty.registry.validation.gate import staleness
from treaty.registry.validation.gate.staleness import ReadinessQuery

ALONE = "partition {} was never evaluated individually"
PROBLEMS = {
    Outcome.FAILED: "failed",
    Outcome.NOT_EVALUATED: "could not be evaluated: {row.reason}",
    Outcome.UNCERTAIN: "is uncertain",
}
# The worst of several answers applies; listed from best to worst.
ORDER = (GateAnswer.ALLOW, GateAnswer.WARN, GateAnswer.UNKNOWN, GateAnswer.BLOCK)


class VersionInForce(NamedTuple):
    """A version in force, without its document."""

    id: UUID
    contract_id: str
    version: str
    fingerprint: str


@dataclass(frozen=True, kw_only=True)
class ContractGateStatus:
    """Gate status of the dataset for one contract or consumer.

    `run`: the run that evaluated the data; None if there is none. `subscription_id`: set if the status is of a
    consumer's checks or pin. `upstream_failed`: bad data from upstream affects it."""

    about: ContractObject
    version: str
    answer: GateAnswer
    reason: str | None = None
    run: RunRow | None = None
    subscription_id: UUID | None = None
    upstream_failed: bool = False


def contract_statuses(
    session: Session, dataset: ResolvedDataset, look: ReadinessQuery, consumer: str | None = None
) -> tuple[ContractGateStatus, ...]:
    """Return the gate status of each contract about the dataset, the worst first.

    `consumer`: user, team or subscription id whose checks and pin apply as well. Raises NotFound if no version is in
    force, or if the consumer has no subscription."""
    subscribed = _subscriptions(session, dataset.about, consumer) if consumer else ()
    statuses = [each for about in dataset.about for each in _of_object(session, dataset, about, look, subscribed)]
    if not statuses:
        raise NotFound("; ".join(filter(None, (in_force.missing_reason(session, each) for each in dataset.about))))
    return tuple(sorted(statuses, key=lambda each: ORDER.index(each.answer), reverse=True))


def _of_object(
    session: Session,
    resolved_dataset: ResolvedDataset,
    about: ContractObject,
    look: ReadinessQuery,
    subscribed: Sequence[SubscriptionRow],
) -> Iterator[ContractGateStatus]:
    dataset = contract_datasets.dataset_of(session, *about) or resolved_dataset.dataset
    versions = _versions(session, about.contract_id)
    own = [each for each in subscribed if each.contract_id == about.contract_id]
    for subscription in own if versions else ():
        versions, lag_reason = _followed(session, versions, subscription)
        if lag_reason:
            yield ContractGateStatus(
                about=about,
                version=versions[0].version,
                answer=GateAnswer.WARN,
                reason=lag_reason,
                run=None,
                subscription_id=subscription.id,
            )
    for version in versions:
        yield _contract_status(session, dataset, about, version, look)
    for subscription in own if versions else ():
        yield from _of_consumer(session, dataset, about, versions[0], look, subscription)


def _contract_status(
    session: Session, dataset: DatasetRow, about: ContractObject, version: VersionInForce, look: ReadinessQuery
) -> ContractGateStatus:
    run_key = RunSeriesKey(*about, version.fingerprint)
    run = staleness.newest(session, dataset, run_key, look.dataset_fingerprint)
    answer, reason = _answer(session, dataset, run_key, run, look, version)
    return ContractGateStatus(about=about, version=version.version, answer=answer, reason=reason, run=run)


def _of_consumer(
    session: Session,
    dataset: DatasetRow,
    about: ContractObject,
    version: VersionInForce,
    look: ReadinessQuery,
    subscription: SubscriptionRow,
) -> Iterator[ContractGateStatus]:
    """Yield the status of the consumer's checks by their last run; nothing if there is none."""
    conditions = RunRow.dataset_id == dataset.id, RunRow.contract_id == about.contract_id, RunRow.object == about.object
    query = select(RunRow).where(*conditions, RunRow.subscription_id == subscription.id).order_by(col(RunRow.id).desc())
    run = session.exec(query.limit(1)).first()
    if run is not None:
        run_key = RunSeriesKey(*about, run.fingerprint, subscription.id)
        answer, reason = _answer(session, dataset, run_key, run, look, version)
        yield ContractGateStatus(
            about=about, version=run.version, answer=answer, reason=reason, run=run, subscription_id=subscription.id
        )


def _answer(
    session: Session,
    dataset: DatasetRow,
    series_key: RunSeriesKey,
    run: RunRow | None,
    look: ReadinessQuery,
    version: VersionInForce,
) -> tuple[GateAnswer, str | None]:
    reason = staleness.doubt(session, dataset, series_key, run, look)
    if run is None or reason is not None:
        return GateAnswer.UNKNOWN, reason
    trouble = _trouble(session, series_key, run, look)
    if trouble is None:
        return GateAnswer.UNKNOWN, ALONE.format(look.partition)
    return _verdict(session, trouble, version)


def _verdict(
    session: Session, trouble: Sequence[CheckResultRow], version: VersionInForce
) -> tuple[GateAnswer, str | None]:
    """Return the worst answer of these results, and its reason."""
    worst, reason = GateAnswer.ALLOW, None
    for row in trouble:
        check_answer = _of_check(session, row, version)
        if ORDER.index(check_answer) > ORDER.index(worst):
            location = f" in {row.partition}" if row.partition else ""
            problem = PROBLEMS[row.outcome].format(row=row)
            worst, reason = check_answer, f"{row.check_id} {problem}{location} ({row.sentence})"
    return worst, reason


def _of_check(session: Session, row: CheckResultRow, version: VersionInForce) -> GateAnswer:
    as_failed = GateAnswer.BLOCK if row.severity == "error" else GateAnswer.WARN
    if row.outcome is Outcome.FAILED:
        return as_failed
    body = session.exec(select(ContractVersionRow.body).where(ContractVersionRow.id == version.id)).one()
    answers = _answers(body)
    return (
        answers.on_unknown
        if row.outcome is Outcome.NOT_EVALUATED
        else min(answers.on_uncertain, as_failed, key=ORDER.index)
    )


class UndecidedAnswers(NamedTuple):
    """The version's answers for checks that could not be evaluated, and for uncertain ones."""

    on_unknown: GateAnswer
    on_uncertain: GateAnswer


@lru_cache(maxsize=1024)
def _answers(body: bytes) -> UndecidedAnswers:
    terms = read(body).terms
    return UndecidedAnswers(GateAnswer(terms.on_unknown), GateAnswer(terms.on_uncertain))


def _trouble(
    session: Session, series_key: RunSeriesKey, run: RunRow, look: ReadinessQuery
) -> list[CheckResultRow] | None:
    """Return the relevant results that did not pass.

    None if the requested partition was never evaluated individually."""
    if look.partition is None:
        earlier_runs = _before(session, series_key, run)
        return [
            row
            for row in _bad(session, run.id, *earlier_runs)
            if row.run_id == run.id or row.partition in earlier_runs[row.run_id]
        ]
    partition_run = _judging(session, series_key, run, look.partition)
    if partition_run is None:
        return None
    dataset_problems = (row for row in _bad(session, run.id) if row.partition is None and row.scope in SCOPES)
    return [*dataset_problems, *(row for row in _bad(session, partition_run.id) if row.partition == look.partition)]


def _bad(session: Session, *run_ids: UUID) -> list[CheckResultRow]:
    """Return the results of these runs that did not pass, newest run first."""
    query = select(CheckResultRow).where(
        col(CheckResultRow.run_id).in_(run_ids), col(CheckResultRow.outcome).in_(PROBLEMS)
    )
    return list(session.exec(query.order_by(col(CheckResultRow.run_id).desc(), col(CheckResultRow.position))))


def _before(session: Session, series_key: RunSeriesKey, run: RunRow) -> dict[UUID, set[str]]:
    """Return the earlier runs that did not pass, with their partitions not evaluated since.

    Only partitions that still exist are included."""
    earlier = (
        *staleness.runs_of(run.dataset_id, series_key),
        col(RunRow.dataset_fingerprint).is_not(None),
        col(RunRow.id) < run.id,
    )
    first = select(RunRow.id).where(*earlier, RunRow.verdict != Verdict.PASSED).order_by(col(RunRow.id)).limit(1)
    query = select(RunRow.id, RunRow.verdict, RunRow.partitions).where(
        *earlier, col(RunRow.id) >= first.scalar_subquery()
    )
    runs = session.exec(query.order_by(col(RunRow.id).desc())).all()
    if not runs or run.dataset_id is None:
        return {}
    remaining = state_store.stored_fingerprints(session, run.dataset_id, version=run.states_version).keys() - set(
        run.partitions
    )
    by_run: dict[UUID, set[str]] = {}
    for run_id, verdict, partitions in runs:
        if verdict is not Verdict.PASSED:
            by_run[run_id] = remaining.intersection(partitions)
        remaining = remaining.difference(partitions)
    return {run_id: partitions for run_id, partitions in by_run.items() if partitions}


def _judging(session: Session, series_key: RunSeriesKey, run: RunRow, partition: str) -> RunRow | None:
    """Return the newest run that evaluated the partition individually, not newer than `run`."""
    if partition in run.partitions:
        return run
    conditions = (*staleness.runs_of(run.dataset_id, series_key), col(RunRow.dataset_fingerprint).is_not(None))
    # Later runs are about other data. The SQL filter on the JSON text may match similar names, so names are compared
    # again in Python.
    candidates = (
        col(RunRow.id) <= run.id,
        cast(col(RunRow.partitions), String).contains(json.dumps(partition), autoescape=True),
    )
    query = select(RunRow).where(*conditions, *candidates).order_by(col(RunRow.id).desc())
    return next((each for each in session.exec(query) if partition in each.partitions), None)


def _versions(session: Session, contract_id: str) -> list[VersionInForce]:
    row = ContractVersionRow
    query = select(row.id, row.contract_id, row.version, row.fingerprint).where(row.contract_id == contract_id)
    rows = session.exec(query.where(col(row.state).in_(IN_FORCE)).order_by(col(row.approved_at).desc()))
    return [VersionInForce(*each) for each in rows]


def _subscriptions(session: Session, about: Iterable[ContractObject], consumer: str) -> Sequence[SubscriptionRow]:
    row, ids = SubscriptionRow, {each.contract_id for each in about}
    user = select(UserRow.id).where(UserRow.name == consumer.strip().lower())
    team = select(TeamRow.id).where(TeamRow.name == consumer.strip().lower())
    own = col(row.team_id).is_(None) & col(row.user_id).in_(user)
    named: list[ColumnElement[bool]] = [own, col(row.team_id).in_(team)]
    with suppress(ValueError):
        named.append(col(row.id) == UUID(consumer))
    active = select(row).where(row.state == SubscriptionState.ACTIVE)
    subscriptions = session.exec(active.where(col(row.contract_id).in_(ids), or_(*named)).order_by(col(row.id))).all()
    if not subscriptions:
        raise NotFound(f"{consumer} has no subscription to a contract about this dataset")
    return subscriptions


def _followed(
    session: Session, versions: list[VersionInForce], subscription: SubscriptionRow
) -> tuple[list[VersionInForce], str | None]:
    """Return the versions that the consumer follows, and why the pin has no effect.

    If the pinned version is not in force, all versions in force apply; otherwise the reason is None."""
    if subscription.pin is PinKind.NONE:
        return versions, None
    overview = version_status.standings(session, [subscription.contract_id])[subscription.contract_id]
    followed = overview.followed(subscription.pin, subscription.pinned_to)
    pinned = [each for each in versions if followed is not None and each.id == followed.id]
    return (pinned, None) if pinned else (versions, version_status.lag(subscription, overview))
