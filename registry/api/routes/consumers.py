"""Routes of subscriptions, consumer checks and acknowledgements."""

from contextlib import suppress
from dataclasses import replace
from typing import Annotated
from uuid import UUID

from fastapi import Depends, Query, Response
from sqlmodel import Session

from treaty.engine.core import clock
from treaty.registry import schemas
from treaty.registry.access import authentication
from treaty.registry.access.authentication import Principal
from treaty.registry.api.http import presenters
from treaty.registry.api.http.admission import admission, admission_router, document_body
from treaty.registry.api.http.dependencies import Caller, ContractFilter, Paging, Reader, Service, Shared, Writer
from treaty.registry.api.http.etags import IfMatch, NeedsMatch, needed, with_etag
from treaty.registry.api.routes.replays import replay_record
from treaty.registry.contracts import subscriptions
from treaty.registry.contracts.declared_use import Use
from treaty.registry.contracts.documents import Documents
from treaty.registry.core import ids
from treaty.registry.core.bounded_values import LookupText
from treaty.registry.core.enums import Permission
from treaty.registry.core.errors import ServiceBusy
from treaty.registry.review.consumers import acknowledgements, consumer_checks
from treaty.registry.review.consumers.acknowledgements import AcknowledgementFilter
from treaty.registry.review.consumers.check_document import RequestedCheck
from treaty.registry.review.consumers.consumer_checks import CheckAuthorship, StoredConsumerCheck
from treaty.registry.review.proposals import promotions, proposal_list, proposals
from treaty.registry.review.proposals.promotions import CheckPromotion, PromotionPreview
from treaty.registry.review.replays import replay_versions
from treaty.registry.tables import ConsumerCheckRow, SubscriptionRow

router = admission_router(tags=["consumers"])
OptionalId = Annotated[LookupText | None, Query(min_length=1, description="Only subscriptions to this contract")]
Mine = Annotated[bool, Query(description="Only subscriptions of the caller or their teams")]
Ended = Annotated[bool, Query(description="Include subscriptions that have ended")]
VersionFilter = Annotated[LookupText | None, Query(description="Only requests for this version")]
OwnRequests = Annotated[bool, Query(description="Only requests to the caller")]
Waiting = Annotated[bool, Query(description="Only requests that are pending or objected to")]
ONE = "/subscriptions/{subscription_id}"
CHECK = ONE + "/checks/{check_id}"


def unchanged(subscription_id: UUID, by: Caller, tx: Writer, if_match: IfMatch) -> None:
    """Raise PreconditionFailed if the subscription does not match If-Match."""
    if if_match.stated:
        subscription = subscriptions.get(tx, subscription_id, by=by, lock=True)
        if_match.check(tx, subscription.id, f'"{subscription.revision}"')


def same_check(subscription_id: UUID, check_id: LookupText, by: Caller, tx: Writer, if_match: NeedsMatch) -> None:
    """Raise PreconditionRequired without If-Match, and PreconditionFailed if the check does not match it."""
    if if_match.stated:
        subscription = subscriptions.get(tx, subscription_id, by=by, lock=True)
        last = consumer_checks.last(tx, subscription.id, check_id)
        if_match.check(tx, last.id, f'"{last.number}"')


def same_answer(acknowledgement_id: UUID, by: Caller, tx: Writer, if_match: NeedsMatch) -> None:
    """Raise like `same_check` for the acknowledgement."""
    if if_match.stated:
        row = acknowledgements.get(tx, acknowledgement_id, by=by)
        if_match.check(tx, row.id, presenters.acknowledgement(acknowledgements.acknowledgement_listing(tx, row)).etag)


def acknowledgement_filter(
    contract_id: ContractFilter = None, version: VersionFilter = None, *, mine: OwnRequests = False,
    waiting: Waiting = False,
) -> AcknowledgementFilter:  # fmt: skip
    """Return the filter of the request."""
    return AcknowledgementFilter(contract_id, version, mine, waiting)


@router.get("/subscriptions")
def list_subscriptions(
    by: Caller, tx: Reader, paging: Paging, *, contract_id: OptionalId = None, mine: Mine = False, ended: Ended = False
) -> schemas.Page[schemas.SubscriptionOut]:
    """List subscriptions. Each contains the reason if its pin is outdated."""
    authentication.require_permission_anywhere(by, Permission.READ)
    listings = subscriptions.list_subscriptions(tx, by, paging, contract_id=contract_id, mine=mine, ended=ended)
    return presenters.page(lambda each: presenters.subscription(each, by), listings)


@router.post("/subscriptions", status_code=201)
@admission(Permission.SUBSCRIBE, body=document_body)
def subscribe(body: schemas.SubscriptionIn, by: Caller, tx: Writer) -> schemas.SubscriptionOut:
    """Subscribe to a contract for a purpose."""
    use = replace(_use(body), team=body.team)
    subscription = subscriptions.register(tx, body.contract_id, use, subscription_id=ids.new(), by=by, now=clock.now())
    return _committed(tx, subscription, by)


@router.get(ONE)
def get_subscription(subscription_id: UUID, by: Caller, tx: Reader, answer: Response) -> schemas.SubscriptionOut:
    """Retrieve a subscription. Its ETag is its revision."""
    return with_etag(
        answer,
        presenters.subscription(
            subscriptions.subscription_listing(tx, subscriptions.get(tx, subscription_id, by=by)), by
        ),
    )


@router.put(ONE, dependencies=[Depends(unchanged)])
@admission(Permission.SUBSCRIBE, body=document_body)
def change_subscription(
    subscription_id: UUID, body: schemas.SubscriptionUpdateIn, by: Caller, tx: Writer
) -> schemas.SubscriptionOut:
    """Update a subscription."""
    now = clock.now()
    return _committed(
        tx, subscriptions.change(tx, subscription_id, _use(body), revision=body.revision, by=by, now=now), by
    )


@router.post(f"{ONE}/end", dependencies=[Depends(needed), Depends(unchanged)])
@admission(Permission.SUBSCRIBE)
def end_subscription(subscription_id: UUID, by: Caller, tx: Writer) -> schemas.SubscriptionOut:
    """End a subscription. Ending another user's subscription requires an administrator."""
    return _committed(tx, subscriptions.end(tx, subscription_id, by=by, now=clock.now()), by)


@router.get(f"{ONE}/checks")
def list_checks(subscription_id: UUID, by: Caller, tx: Reader) -> list[schemas.ConsumerCheckOut]:
    """List the current checks of a subscription."""
    return [_check(each) for each in consumer_checks.list_checks(tx, subscription_id, by=by)]


@router.post(f"{ONE}/checks", status_code=201)
@admission(Permission.SUBSCRIBE, body=document_body)
def add_check(subscription_id: UUID, body: schemas.ConsumerCheckIn, by: Caller, tx: Writer) -> schemas.ConsumerCheckOut:
    """Add a check to a subscription. It is evaluated on the same states as the contract."""
    return _commit_check(tx, consumer_checks.add(tx, subscription_id, _requested_check(body), _writing(by)))


@router.post(f"{ONE}/checks/copies", status_code=201)
@admission(Permission.SUBSCRIBE)
def copy_check(subscription_id: UUID, body: schemas.CheckCopyIn, by: Caller, tx: Writer) -> schemas.ConsumerCheckOut:
    """Copy a check of a contract to a subscription. The copy is independent of the original."""
    origin = consumer_checks.CheckSource(
        contract_id=body.contract_id,
        object=body.object,
        check=body.check,
        version=body.version,
        into=body.target_object,
        identity=body.id,
    )
    return _commit_check(tx, consumer_checks.copy(tx, subscription_id, origin, _writing(by)))


@router.put(CHECK, dependencies=[Depends(same_check)])
@admission(Permission.SUBSCRIBE, body=document_body)
def change_check(
    subscription_id: UUID, check_id: LookupText, body: schemas.ConsumerCheckIn, by: Caller, tx: Writer
) -> schemas.ConsumerCheckOut:
    """Update a consumer check. Its previous definition is retained."""
    requested = RequestedCheck(check_id, body.object, body.column, body.patch)
    return _commit_check(tx, consumer_checks.change(tx, subscription_id, requested, _writing(by)))


@router.delete(CHECK, status_code=204, dependencies=[Depends(same_check)])
@admission(Permission.SUBSCRIBE)
def end_check(subscription_id: UUID, check_id: LookupText, by: Caller, tx: Writer) -> None:
    """Remove a consumer check. It is no longer evaluated."""
    consumer_checks.end(tx, subscription_id, check_id, _writing(by))
    tx.commit()


@router.post(f"{CHECK}/promote", status_code=201)
@admission(Permission.DECIDE)
def promote_check(
    subscription_id: UUID, check_id: LookupText, by: Caller, shared: Shared, read: Reader, tx: Writer
) -> schemas.ProposalSummaryOut:
    """Propose a consumer check for the contract, with its results and a replay."""
    idea = CheckPromotion(subscription_id, check_id)
    replayed = replace(idea, replay=_replayed(read, promotions.outlook(read, idea, by=by), shared, by))
    proposal = promotions.promote(tx, replayed, make_id=ids.new, by=by, now=clock.now())
    tx.commit()
    return presenters.proposal_summary(proposal_list.proposal_listing(tx, proposal), by)


@router.get("/acknowledgements")
def list_acknowledgements(
    by: Caller, tx: Reader, paging: Paging, criteria: Annotated[AcknowledgementFilter, Depends(acknowledgement_filter)]
) -> schemas.Page[schemas.AcknowledgementOut]:
    """List acknowledgement requests for approved versions and their answers, newest first."""
    authentication.require_permission_anywhere(by, Permission.READ)
    return presenters.page(presenters.acknowledgement, acknowledgements.list_acknowledgements(tx, by, paging, criteria))


@router.post("/acknowledgements/{acknowledgement_id}/answer", dependencies=[Depends(same_answer)])
@admission(Permission.SUBSCRIBE)
def answer(
    acknowledgement_id: UUID, body: schemas.AcknowledgementIn, by: Caller, tx: Writer
) -> schemas.AcknowledgementOut:
    """Acknowledge a breaking version or object to it."""
    row = acknowledgements.answer(tx, acknowledgement_id, body.state, comment=body.comment, by=by, now=clock.now())
    tx.commit()
    return presenters.acknowledgement(acknowledgements.acknowledgement_listing(tx, row))


@router.get("/proposals/{proposal_id}/impact")
def impact(proposal_id: UUID, by: Caller, tx: Reader) -> list[schemas.ConsumerImpactOut]:
    """Retrieve the impact of a proposal on each consumer of the contract."""
    documents = Documents()
    preview = proposals.preview(tx, proposals.get(tx, proposal_id, by=by), documents)
    return [_impact(each) for each in acknowledgements.impact_of(tx, preview.contract, documents)]


def _replayed(read: Session, of: PromotionPreview, shared: Service, by: Principal) -> tuple[str, ...]:
    """Return the replay results of the check; empty without stored states or if replays are busy."""
    with suppress(ServiceBusy):
        record = replay_record(read, replay_versions.of_document(read, of.contract_id, of.document, by=by), shared)
        lines = (line for each in record["objects"] if each["partitions"] for line in each["checks"])
        return tuple(line["sentence"] for line in lines if line["check_id"] in of.checks)
    return ()


def _use(body: schemas.UseIn) -> Use:
    return Use(
        purpose=body.purpose,
        contact=body.contact,
        pin=body.pin,
        pinned_to=body.pinned_to,
        reads=body.reads,
        kinds=body.notification_kinds,
        channel_id=body.channel_id,
    )


def _requested_check(body: schemas.ConsumerCheckIn) -> RequestedCheck:
    entry = body.patch.get("quality")
    entry_id = entry.get("id") if isinstance(entry, dict) else None
    return RequestedCheck(
        body.id or (entry_id if isinstance(entry_id, str) else ""), body.object, body.column, body.patch
    )


def _writing(by: Principal) -> CheckAuthorship:
    return CheckAuthorship(ids.new(), by, clock.now())


def _committed(tx: Session, subscription: SubscriptionRow, by: Principal) -> schemas.SubscriptionOut:
    tx.commit()
    return presenters.subscription(subscriptions.subscription_listing(tx, subscription), by)


def _commit_check(tx: Session, row: ConsumerCheckRow) -> schemas.ConsumerCheckOut:
    tx.commit()
    return _check(consumer_checks.shown(tx, row))


def _check(check: StoredConsumerCheck) -> schemas.ConsumerCheckOut:
    fields = check.row.model_dump(include={"number", "object", "column", "patch", "source", "created_at"})
    return schemas.ConsumerCheckOut(id=check.row.identity, **fields, sentence=check.sentence, misfit_reason=check.lost)


def _impact(impact: acknowledgements.ConsumerImpact) -> schemas.ConsumerImpactOut:
    return schemas.ConsumerImpactOut(
        subscription_id=impact.subscription.id,
        subscriber=impact.subscriber,
        purpose=impact.subscription.purpose,
        contact=impact.subscription.contact,
        breaks=impact.breaks,
        affected=bool(impact.breaks),
    )
