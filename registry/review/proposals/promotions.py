"""A consumer's check made a proposal for the producer's contract, with credit to whose idea it was and how it went."""

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
    """Which check of which subscription is promoted. `replay`: what it would have said of all that is stored, in
    sentences; () where that is not known."""

    subscription_id: UUID
    check: str
    replay: tuple[str, ...] = ()


@dataclass(frozen=True)
class PromotionPreview:
    """The contract in force as it would be with the check: its document, and the ids that the check has there."""

    contract_id: str
    document: bytes
    checks: frozenset[str]


def promote(
    session: Session, idea: CheckPromotion, *, make_id: Callable[[], UUID], by: Principal, now: datetime
) -> ProposalRow:
    """Proposes the consumer's check for the contract in force: a proposal of one suggestion, to be decided by others.

    Raises NotFound for no such check, Invalid where it does not fit the contract any more."""
    version, content = _content(session, idea, by)
    credit, named = content["consumer"]["credit"], content["consumer"]["name"]
    told = consumer_check_history.of_check(session, idea.subscription_id, content["consumer"]["checks"])
    content["evidence"] = {**told, **({"replay": list(idea.replay)} if idea.replay else {})}
    proposal = ProposalRow(
        id=make_id(), contract_id="", title=f"Promote {idea.check}, a check of {named}", base=version.body,
        author_id=by.user_id, state=ProposalState.IN_REVIEW, comment=credit, created_at=now,
    )  # fmt: skip
    return proposals.create_drafted(session, proposal, [content], make_id=make_id, now=now)


def outlook(session: Session, idea: CheckPromotion, *, by: Principal) -> PromotionPreview:
    """What the contract would be with the check. Raises as `promote` does."""
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
    """The version in force, and the check as a suggestion for it."""
    require_permission_anywhere(by, Permission.DECIDE)
    subscription = subscriptions.get(session, idea.subscription_id, by=by)
    require_permission(by, Permission.DECIDE, visibility.contract_resource(session, subscription.contract_id))
    row = consumer_checks.last(session, subscription.id, idea.check)
    version = in_force(session, subscription.contract_id)
    consumer = subscriptions.names(session, [subscription])[subscription.id]
    return version, _suggestion(read(version.body), consumer_checks.asked_of(row), subscription, consumer)


def _suggestion(
    producer: Document, asked: RequestedCheck, subscription: SubscriptionRow, consumer: str
) -> dict[str, Any]:
    """The check as a suggestion, as drafts make them; its patch names whose idea it was."""
    bound = consumer_checks.bound(producer, asked)
    credit = f"a check of {consumer}, who uses these data for: {subscription.purpose}"
    return {
        "id": f"consumer/{subscription.id}/{asked.identity}",
        "kind": "consumer",
        "object": asked.object,
        "column": asked.column,
        "sentence": "; ".join(each.sentence for each in bound),
        "expression": _expression(bound),
        "severity": bound[0].check.severity,
        "patch": _credited(producer, asked, credit),
        "consumer": {
            "subscription": str(subscription.id),
            "name": consumer,
            "credit": credit,
            "checks": [each.check.id for each in bound],
        },
    }


def _expression(bound: tuple[BoundCheck, ...]) -> str:
    return "; ".join(each.analyzer.phrase for each in bound if each.analyzer)


def _credited(producer: Document, asked: RequestedCheck, credit: str) -> dict[str, Any]:
    """What is set in the producer's document: under an id that is free there, and beside what its column says."""
    named = {"property": CREDIT, "value": credit}
    element = _element(producer, asked)
    if "quality" in asked.patch:
        entry: Mapping[str, Any] = asked.patch["quality"]
        taken = {each.id for each in producer.object(asked.object).checks}
        own = entry.get("customProperties") or []
        return {"quality": {**entry, "id": _free(asked.identity, taken), "customProperties": [*own, named]}}
    options = {**element.get("logicalTypeOptions", {}), **asked.patch.get("logicalTypeOptions", {})}
    merged = {**asked.patch, **({"logicalTypeOptions": options} if "logicalTypeOptions" in asked.patch else {})}
    return {**merged, "customProperties": [*element.get("customProperties", []), named]}


def _element(producer: Document, asked: RequestedCheck) -> Mapping[str, Any]:
    table = next(each for each in members(producer.document, "schema") if each[1].get("name") == asked.object)
    return dict(columns(table))[asked.column][1] if asked.column else table[1]


def _free(identity: str, taken: set[str]) -> str:
    numbered = (f"{identity}-{number}" for number in range(2, len(taken) + 3))
    return identity if identity not in taken else next(each for each in numbered if each not in taken)
