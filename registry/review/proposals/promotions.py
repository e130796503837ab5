"""Promote a consumer's check to the producer's contract, as a proposal that credits the consumer."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from sqlmodel import Session

from treaty.contracts.document import writer
from treaty.contracts.document.columns import columns, members
from treaty.contracts.document.model import Contract as Document
from treaty.contracts.document.reader import read
from treaty.contracts.editing import patches
from treaty.contracts.errors import ContractError
from treaty.engine.checks.bound_check import BoundCheck
from treaty.registry.access import visibility
from treaty.registry.access.authentication import Principal, require_permission, require_permission_anywhere
from treaty.registry.contracts import subscriptions
from treaty.registry.contracts.version_status import in_force
from treaty.registry.core.enums import Permission, ProposalState
from treaty.registry.core.errors import InvalidRequest
from treaty.registry.review.consumers import consumer_checks
from treaty.registry.review.consumers.check_document import RequestedCheck
from treaty.registry.review.proposals import consumer_check_history, proposals
from treaty.registry.tables import ContractVersionRow, ProposalRow, SubscriptionRow

CREDIT = "treatyConsumer"


@dataclass(frozen=True)
class CheckPromotion:
    """A consumer's check to promote.

    `replay`: sentences about its replay on the stored states; () if it was not replayed."""

    subscription_id: UUID
    check: str
    replay: tuple[str, ...] = ()


@dataclass(frozen=True)
class PromotionPreview:
    """The contract in force with the promoted check.

    `checks`: ids of the check in that document."""

    contract_id: str
    document: bytes
    checks: frozenset[str]


def promote(
    session: Session, idea: CheckPromotion, *, make_id: Callable[[], UUID], by: Principal, now: datetime
) -> ProposalRow:
    """Propose the consumer's check for the contract in force.

    The proposal has one suggestion, which others decide about. Raises NotFound if the check does not exist, and
    InvalidRequest if it no longer fits the contract."""
    version, content = _content(session, idea, by)
    credit, consumer_name = content["consumer"]["credit"], content["consumer"]["name"]
    history = consumer_check_history.of_check(session, idea.subscription_id, content["consumer"]["checks"])
    content["evidence"] = {**history, **({"replay": list(idea.replay)} if idea.replay else {})}
    proposal = ProposalRow(
        id=make_id(), contract_id="", title=f"Promote check {idea.check} of {consumer_name}", base=version.body,
        author_id=by.user_id, state=ProposalState.IN_REVIEW, comment=credit, created_at=now,
    )  # fmt: skip
    return proposals.create_drafted(session, proposal, [content], make_id=make_id, now=now)


def outlook(session: Session, idea: CheckPromotion, *, by: Principal) -> PromotionPreview:
    """Return the contract as it would be with the check.

    Raises the errors of `promote`."""
    version, content = _content(session, idea, by)
    patch = patches.Patch(content["object"], content["column"], content["patch"])
    try:
        changed = patches.apply(read(version.body).document, [patch])
        document = writer.write({**changed, "version": f"{version.version} with {idea.check}"})
    except ContractError as error:
        raise InvalidRequest.because(error) from error
    own = content["patch"].get("quality")
    return PromotionPreview(
        version.contract_id, document, frozenset([own["id"]] if own else content["consumer"]["checks"])
    )


def _content(session: Session, idea: CheckPromotion, by: Principal) -> tuple[ContractVersionRow, dict[str, Any]]:
    """Return the version in force and the check as a suggestion for it."""
    require_permission_anywhere(by, Permission.DECIDE)
    subscription = subscriptions.get(session, idea.subscription_id, by=by)
    require_permission(by, Permission.DECIDE, visibility.contract_resource(session, subscription.contract_id))
    row = consumer_checks.last(session, subscription.id, idea.check)
    version = in_force(session, subscription.contract_id)
    consumer = subscriptions.names(session, [subscription])[subscription.id]
    return version, _suggestion(read(version.body), consumer_checks.asked_of(row), subscription, consumer)


def _suggestion(
    producer: Document, check: RequestedCheck, subscription: SubscriptionRow, consumer: str
) -> dict[str, Any]:
    """Return the check as a suggestion in the format of drafts; its patch credits the consumer."""
    bound = consumer_checks.bound(producer, check)
    credit = f"check by {consumer}, who uses this data for: {subscription.purpose}"
    return {
        "id": f"consumer/{subscription.id}/{check.identity}",
        "kind": "consumer",
        "object": check.object,
        "column": check.column,
        "sentence": "; ".join(each.sentence for each in bound),
        "expression": _expression(bound),
        "severity": bound[0].check.severity,
        "patch": _credited(producer, check, credit),
        "consumer": {
            "subscription": str(subscription.id),
            "name": consumer,
            "credit": credit,
            "checks": [each.check.id for each in bound],
        },
    }


def _expression(bound: tuple[BoundCheck, ...]) -> str:
    return "; ".join(each.analyzer.phrase for each in bound if each.analyzer)


def _credited(producer: Document, check: RequestedCheck, credit: str) -> dict[str, Any]:
    """Return the patch with a free id and a credit, merged into existing options."""
    credit_entry = {"property": CREDIT, "value": credit}
    element = _element(producer, check)
    if "quality" in check.patch:
        entry: Mapping[str, Any] = check.patch["quality"]
        ids = {each.id for each in producer.object(check.object).checks}
        own = entry.get("customProperties") or []
        return {"quality": {**entry, "id": _free(check.identity, ids), "customProperties": [*own, credit_entry]}}
    options = {**element.get("logicalTypeOptions", {}), **check.patch.get("logicalTypeOptions", {})}
    merged = {**check.patch, **({"logicalTypeOptions": options} if "logicalTypeOptions" in check.patch else {})}
    return {**merged, "customProperties": [*element.get("customProperties", []), credit_entry]}


def _element(producer: Document, check: RequestedCheck) -> Mapping[str, Any]:
    table = next(each for each in members(producer.document, "schema") if each[1].get("name") == check.object)
    return dict(columns(table))[check.column][1] if check.column else table[1]


def _free(identity: str, used: set[str]) -> str:
    candidates = (f"{identity}-{number}" for number in range(2, len(used) + 3))
    return identity if identity not in used else next(each for each in candidates if each not in used)
