"""Calls about consumers: subscriptions, checks of their own, and what they acknowledge."""

from collections.abc import Sequence
from uuid import UUID

from treaty.registry import schemas
from treaty.registry.client.transport import ApiTransport


class ConsumersApi(ApiTransport):
    """Consumers: subscriptions, checks of their own, and what they acknowledge."""

    def subscriptions(
        self, *, contract_id: str | None = None, mine: bool = False, ended: bool = False
    ) -> list[schemas.SubscriptionOut]:
        """Subscriptions, of a contract or one's own; each with whether its pin is behind."""
        form = schemas.Page[schemas.SubscriptionOut]
        return self._list(form, "/subscriptions", contract_id=contract_id, mine=mine, ended=ended)

    def subscription(self, subscription_id: UUID) -> schemas.SubscriptionOut:
        """A subscription."""
        return self._get(schemas.SubscriptionOut, f"/subscriptions/{subscription_id}")

    def subscribe(self, subscription: schemas.SubscriptionIn) -> schemas.SubscriptionOut:
        """Subscribes to a contract, for a purpose."""
        return self._post(schemas.SubscriptionOut, "/subscriptions", subscription)

    def change_subscription(
        self, subscription_id: UUID, change: schemas.SubscriptionUpdateIn
    ) -> schemas.SubscriptionOut:
        """Replaces what one says of one's use, as of the revision that was seen."""
        sent = self._send("PUT", f"/subscriptions/{subscription_id}", body=change)
        return self._answer(schemas.SubscriptionOut, sent)

    def choose_notifications(
        self, seen: schemas.SubscriptionOut, *, notification_kinds: Sequence[str], channel_id: UUID | None
    ) -> schemas.SubscriptionOut:
        """Chooses of which notices one is told for the subscription, () of all, and through which channel, None through
        all; what else it says stays as it was seen."""
        use = seen.model_dump(include={*schemas.UseIn.model_fields})
        chosen = {**use, "notification_kinds": notification_kinds, "channel_id": channel_id, "revision": seen.revision}
        return self.change_subscription(seen.id, schemas.SubscriptionUpdateIn.model_validate(chosen))

    def end_subscription(self, subscription_id: UUID) -> schemas.SubscriptionOut:
        """Ends one's subscription for good."""
        return self._post(schemas.SubscriptionOut, f"/subscriptions/{subscription_id}/end")

    def consumer_checks(self, subscription_id: UUID) -> list[schemas.ConsumerCheckOut]:
        """The checks of a subscription as they are now."""
        return self._get(list[schemas.ConsumerCheckOut], f"/subscriptions/{subscription_id}/checks")

    def add_consumer_check(self, subscription_id: UUID, check: schemas.ConsumerCheckIn) -> schemas.ConsumerCheckOut:
        """Adds a check of one's own."""
        return self._post(schemas.ConsumerCheckOut, f"/subscriptions/{subscription_id}/checks", check)

    def copy_check(self, subscription_id: UUID, copied: schemas.CheckCopyIn) -> schemas.ConsumerCheckOut:
        """Copies a check of a contract, which then stands by itself."""
        return self._post(schemas.ConsumerCheckOut, f"/subscriptions/{subscription_id}/checks/copies", copied)

    def change_consumer_check(
        self, subscription_id: UUID, check_id: str, check: schemas.ConsumerCheckIn
    ) -> schemas.ConsumerCheckOut:
        """Has the check say something else from now on."""
        sent = self._send("PUT", f"/subscriptions/{subscription_id}/checks/{check_id}", body=check)
        return self._answer(schemas.ConsumerCheckOut, sent)

    def end_consumer_check(self, subscription_id: UUID, check_id: str) -> None:
        """Has the check be judged no longer."""
        self._send("DELETE", f"/subscriptions/{subscription_id}/checks/{check_id}")

    def promote_check(self, subscription_id: UUID, check_id: str) -> schemas.ProposalSummaryOut:
        """Proposes a consumer's check for the contract itself."""
        return self._post(schemas.ProposalSummaryOut, f"/subscriptions/{subscription_id}/checks/{check_id}/promote")

    def acknowledgements(
        self,
        *,
        contract_id: str | None = None,
        version: str | None = None,
        mine: bool = False,
        waiting: bool = False,
    ) -> list[schemas.AcknowledgementOut]:
        """What consumers were told of approved versions, and their answers, newest first."""
        form, path = schemas.Page[schemas.AcknowledgementOut], "/acknowledgements"
        return self._list(form, path, contract_id=contract_id, version=version, mine=mine, waiting=waiting)

    def answer(
        self,
        acknowledgement_id: UUID,
        given: schemas.AcknowledgementAnswer,
        *,
        comment: str | None = None,
    ) -> schemas.AcknowledgementOut:
        """Acknowledges a version that breaks one, or objects to it; `PENDING` takes that back while it waits."""
        body = schemas.AcknowledgementIn(state=given, comment=comment)
        return self._post(schemas.AcknowledgementOut, f"/acknowledgements/{acknowledgement_id}/answer", body)

    def impact(self, proposal_id: UUID) -> list[schemas.ConsumerImpactOut]:
        """What a proposal would mean for each consumer of its contract."""
        return self._get(list[schemas.ConsumerImpactOut], f"/proposals/{proposal_id}/impact")
