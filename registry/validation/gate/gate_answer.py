"""What the gate answers: how the data stand to what is promised of them, told from the store alone.

An answer is about the data that were judged. Where others may be there by now, or where nobody looked at them, it is
unknown. Of a partition count the checks of it, as it was judged last, and those of the whole dataset; of all data these
and the checks of every partition that is there. What just arrived is the newest run's; a bad partition of before is bad
for who reads them all."""

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

ALONE = "no run judged partition {} by itself"
TROUBLE = (Outcome.FAILED, Outcome.NOT_EVALUATED)
# The worst of several decides.
ORDER = (GateAnswer.PASS, GateAnswer.WARN, GateAnswer.UNKNOWN, GateAnswer.BLOCK)
ON_UNKNOWN = {"pass": GateAnswer.PASS, "warn": GateAnswer.WARN, "block": GateAnswer.BLOCK}


class VersionInForce(NamedTuple):
    """A version in force, without its document."""

    id: UUID
    contract_id: str
    version: str
    fingerprint: str


@dataclass(frozen=True, kw_only=True)
class ContractGateStatus:
    """How the data stand to one promise. `run`: what judged them, None where none did; `subscription_id`: the promise
    is what that consumer checks, or follows. `upstream_failed`: bad data came to them from further up."""

    about: ContractObject
    version: str
    answer: GateAnswer
    reason: str | None = None
    run: RunRow | None = None
    subscription_id: UUID | None = None
    upstream_failed: bool = False


def contract_statuses(
    session: Session, found: ResolvedDataset, look: ReadinessQuery, consumer: str | None = None
) -> tuple[ContractGateStatus, ...]:
    """How the data stand to each promise about the dataset, the worst first.

    `consumer`: with the checks and by the pin of that user, or of that subscription. Raises NotFound where nothing is
    in force about it, or where nobody of that name subscribed to it."""
    subscribed = _subscriptions(session, found.about, consumer) if consumer else ()
    answers = [each for about in found.about for each in _of_object(session, found, about, look, subscribed)]
    if not answers:
        raise NotFound("; ".join(filter(None, (in_force.missing_reason(session, each) for each in found.about))))
    return tuple(sorted(answers, key=lambda each: ORDER.index(each.answer), reverse=True))


def _of_object(
    session: Session,
    found: ResolvedDataset,
    about: ContractObject,
    look: ReadinessQuery,
    subscribed: Sequence[SubscriptionRow],
) -> Iterator[ContractGateStatus]:
    dataset = contract_datasets.dataset_of(session, *about) or found.dataset
    versions = _versions(session, about.contract_id)
    mine = [each for each in subscribed if each.contract_id == about.contract_id]
    for subscription in mine if versions else ():
        versions, behind = _followed(session, versions, subscription)
        if behind:
            yield ContractGateStatus(
                about=about,
                version=versions[0].version,
                answer=GateAnswer.WARN,
                reason=behind,
                run=None,
                subscription_id=subscription.id,
            )
    for version in versions:
        yield _contract_status(session, dataset, about, version, look)
    for subscription in mine if versions else ():
        yield from _of_consumer(session, dataset, about, versions[0], look, subscription)


def _contract_status(
    session: Session, dataset: DatasetRow, about: ContractObject, version: VersionInForce, look: ReadinessQuery
) -> ContractGateStatus:
    whose = RunSeriesKey(*about, version.fingerprint)
    run = staleness.newest(session, dataset, whose, look.dataset_fingerprint)
    answer, reason = _answer(session, dataset, whose, run, look, version)
    return ContractGateStatus(about=about, version=version.version, answer=answer, reason=reason, run=run)


def _of_consumer(
    session: Session,
    dataset: DatasetRow,
    about: ContractObject,
    version: VersionInForce,
    look: ReadinessQuery,
    subscription: SubscriptionRow,
) -> Iterator[ContractGateStatus]:
    """How the data stand to the consumer's checks as they were judged last; nothing where they never were."""
    mine = RunRow.dataset_id == dataset.id, RunRow.contract_id == about.contract_id, RunRow.object == about.object
    query = select(RunRow).where(*mine, RunRow.subscription_id == subscription.id).order_by(col(RunRow.id).desc())
    run = session.exec(query.limit(1)).first()
    if run is not None:
        whose = RunSeriesKey(*about, run.fingerprint, subscription.id)
        answer, reason = _answer(session, dataset, whose, run, look, version)
        yield ContractGateStatus(
            about=about, version=run.version, answer=answer, reason=reason, run=run, subscription_id=subscription.id
        )


def _answer(
    session: Session,
    dataset: DatasetRow,
    whose: RunSeriesKey,
    run: RunRow | None,
    look: ReadinessQuery,
    version: VersionInForce,
) -> tuple[GateAnswer, str | None]:
    reason = staleness.doubt(session, dataset, whose, run, look)
    if run is None or reason is not None:
        return GateAnswer.UNKNOWN, reason
    trouble = _trouble(session, whose, run, look)
    if trouble is None:
        return GateAnswer.UNKNOWN, ALONE.format(look.partition)
    return _verdict(session, trouble, version)


def _verdict(
    session: Session, trouble: Sequence[CheckResultRow], version: VersionInForce
) -> tuple[GateAnswer, str | None]:
    """The worst that a check says, and what that check is."""
    worst, reason = GateAnswer.PASS, None
    for row in trouble:
        found = _of_check(session, row, version)
        if ORDER.index(found) > ORDER.index(worst):
            where = f" in {row.partition}" if row.partition else ""
            how = f"could not be evaluated: {row.reason}" if row.outcome is Outcome.NOT_EVALUATED else "failed"
            worst, reason = found, f"{row.check_id} {how}{where} ({row.sentence})"
    return worst, reason


def _of_check(session: Session, row: CheckResultRow, version: VersionInForce) -> GateAnswer:
    if row.outcome is Outcome.FAILED:
        return GateAnswer.BLOCK if row.severity == "error" else GateAnswer.WARN
    body = session.exec(select(ContractVersionRow.body).where(ContractVersionRow.id == version.id)).one()
    return ON_UNKNOWN[_on_unknown(body)]


@lru_cache(maxsize=1024)
def _on_unknown(body: bytes) -> str:
    """What the version says of checks that could not be evaluated."""
    return read(body).terms.on_unknown


def _trouble(session: Session, whose: RunSeriesKey, run: RunRow, look: ReadinessQuery) -> list[CheckResultRow] | None:
    """The results that count and are no passes; None where the partition that is asked about was never judged alone."""
    if look.partition is None:
        before = _before(session, whose, run)
        return [
            row for row in _bad(session, run.id, *before) if row.run_id == run.id or row.partition in before[row.run_id]
        ]
    own = _judging(session, whose, run, look.partition)
    if own is None:
        return None
    whole = (row for row in _bad(session, run.id) if row.partition is None and row.scope in SCOPES)
    return [*whole, *(row for row in _bad(session, own.id) if row.partition == look.partition)]


def _bad(session: Session, *run_ids: UUID) -> list[CheckResultRow]:
    """The results of these runs that are no passes, those of the newest first."""
    query = select(CheckResultRow).where(
        col(CheckResultRow.run_id).in_(run_ids), col(CheckResultRow.outcome).in_(TROUBLE)
    )
    return list(session.exec(query.order_by(col(CheckResultRow.run_id).desc(), col(CheckResultRow.position))))


def _before(session: Session, whose: RunSeriesKey, run: RunRow) -> dict[UUID, set[str]]:
    """The runs before that were no passes, with the partitions that are there and that nobody judged since."""
    older = (
        *staleness.runs_of(run.dataset_id, whose),
        col(RunRow.dataset_fingerprint).is_not(None),
        col(RunRow.id) < run.id,
    )
    first = select(RunRow.id).where(*older, RunRow.verdict != Verdict.PASSED).order_by(col(RunRow.id)).limit(1)
    judged = select(RunRow.id, RunRow.verdict, RunRow.partitions).where(
        *older, col(RunRow.id) >= first.scalar_subquery()
    )
    runs = session.exec(judged.order_by(col(RunRow.id).desc())).all()
    if not runs or run.dataset_id is None:
        return {}
    left = state_store.stored_fingerprints(session, run.dataset_id, version=run.states_version).keys() - set(
        run.partitions
    )
    found: dict[UUID, set[str]] = {}
    for run_id, verdict, partitions in runs:
        if verdict is not Verdict.PASSED:
            found[run_id] = left.intersection(partitions)
        left = left.difference(partitions)
    return {run_id: partitions for run_id, partitions in found.items() if partitions}


def _judging(session: Session, whose: RunSeriesKey, run: RunRow, partition: str) -> RunRow | None:
    """The newest run that judged the partition by itself: what is there still, as `run` is up to date."""
    if partition in run.partitions:
        return run
    mine = (*staleness.runs_of(run.dataset_id, whose), col(RunRow.dataset_fingerprint).is_not(None))
    # What came after it is of other data. The list is kept as JSON; what merely looks alike is told apart here.
    named = (
        col(RunRow.id) <= run.id,
        cast(col(RunRow.partitions), String).contains(json.dumps(partition), autoescape=True),
    )
    query = select(RunRow).where(*mine, *named).order_by(col(RunRow.id).desc())
    return next((each for each in session.exec(query) if partition in each.partitions), None)


def _versions(session: Session, contract_id: str) -> list[VersionInForce]:
    row = ContractVersionRow
    query = select(row.id, row.contract_id, row.version, row.fingerprint).where(row.contract_id == contract_id)
    found = session.exec(query.where(col(row.state).in_(IN_FORCE)).order_by(col(row.approved_at).desc()))
    return [VersionInForce(*each) for each in found]


def _subscriptions(session: Session, about: Iterable[ContractObject], consumer: str) -> Sequence[SubscriptionRow]:
    row, ids = SubscriptionRow, {each.contract_id for each in about}
    user = select(UserRow.id).where(UserRow.name == consumer.strip().lower())
    team = select(TeamRow.id).where(TeamRow.name == consumer.strip())
    own = col(row.team_id).is_(None) & col(row.user_id).in_(user)
    named: list[ColumnElement[bool]] = [own, col(row.team_id).in_(team)]
    with suppress(ValueError):
        named.append(col(row.id) == UUID(consumer))
    active = select(row).where(row.state == SubscriptionState.ACTIVE)
    found = session.exec(active.where(col(row.contract_id).in_(ids), or_(*named)).order_by(col(row.id))).all()
    if not found:
        raise NotFound(f"{consumer} has no subscription to a contract about the dataset")
    return found


def _followed(
    session: Session, versions: list[VersionInForce], subscription: SubscriptionRow
) -> tuple[list[VersionInForce], str | None]:
    """The versions in force that the consumer follows, and why the pin is of no use where it is not."""
    if subscription.pin is PinKind.NONE:
        return versions, None
    stands = version_status.standings(session, [subscription.contract_id])[subscription.contract_id]
    followed = stands.followed(subscription.pin, subscription.pinned_to)
    found = [each for each in versions if followed is not None and each.id == followed.id]
    return (found, None) if found else (versions, version_status.lag(subscription, stands))
