"""Client methods for subscriptions, consumer checks and acknowledgements."""

from collections.abc import Sequence
from uuid import UUID

from treaty.registry import schemas
from treaty.registry.client.transport import ApiTransport


class ConsumersApi(ApiTransport):
    """Client methods for subscriptions, consumer checks and acknowledgements."""

    def subscriptions(
        self, *, contract_id: str | None = None, mine: bool = False, ended: bool = False
    ) -> list[schemas.SubscriptionOut]:
        """List subscriptions, each with the reason if its pin is outdated.

        `contract_id`: only of this contract. `mine`: only the caller's own. `ended`: includes ended ones."""
        form = schemas.Page[schemas.SubscriptionOut]
        return self._list(form, "/subscriptions", contract_id=contract_id, mine=mine, ended=ended)

    def subscription(self, subscription_id: UUID) -> schemas.SubscriptionOut:
        """Fetch a subscription."""
        return self._get(schemas.SubscriptionOut, f"/subscriptions/{subscription_id}")

    def subscribe(self, subscription: schemas.SubscriptionIn) -> schemas.SubscriptionOut:
        """Subscribe to a contract for a purpose."""
        return self._post(schemas.SubscriptionOut, "/subscriptions", subscription)

    def change_subscription(
        self, subscription_id: UUID, change: schemas.SubscriptionUpdateIn
    ) -> schemas.SubscriptionOut:
        """Update a subscription. The change names the revision that it is based on."""
        sent = self._send("PUT", f"/subscriptions/{subscription_id}", body=change)
        return self._answer(schemas.SubscriptionOut, sent)

    def choose_notifications(
        self, subscription: schemas.SubscriptionOut, *, notification_kinds: Sequence[str], channel_id: UUID | None
    ) -> schemas.SubscriptionOut:
        """Set the notification kinds and the channel of a subscription.

        `notification_kinds`: empty means all. `channel_id`: None means all of the caller's general channels.
        All other fields remain as in the subscription passed."""
        use = subscription.model_dump(include={*schemas.UseIn.model_fields})
        chosen = {
            **use,
            "notification_kinds": notification_kinds,
            "channel_id": channel_id,
            "revision": subscription.revision,
        }
        return self.change_subscription(subscription.id, schemas.SubscriptionUpdateIn.model_validate(chosen))

    def end_subscription(self, subscription_id: UUID, *, etag: str = "*") -> schemas.SubscriptionOut:
        """End one of the caller's subscriptions permanently."""
        return self._changed(schemas.SubscriptionOut, "POST", f"/subscriptions/{subscription_id}/end", etag)

    def consumer_checks(self, subscription_id: UUID) -> list[schemas.ConsumerCheckOut]:
        """List the current checks of a subscription."""
        return self._get(list[schemas.ConsumerCheckOut], f"/subscriptions/{subscription_id}/checks")

    def add_consumer_check(self, subscription_id: UUID, check: schemas.ConsumerCheckIn) -> schemas.ConsumerCheckOut:
        """Add a check to a subscription."""
        return self._post(schemas.ConsumerCheckOut, f"/subscriptions/{subscription_id}/checks", check)

    def copy_check(self, subscription_id: UUID, copied: schemas.CheckCopyIn) -> schemas.ConsumerCheckOut:
        """Copy a check of a contract to a subscription; the copy is independent of the original."""
        return self._post(schemas.ConsumerCheckOut, f"/subscriptions/{subscription_id}/checks/copies", copied)

    def change_consumer_check(
        self, subscription_id: UUID, check_id: str, check: schemas.ConsumerCheckIn, *, etag: str = "*"
    ) -> schemas.ConsumerCheckOut:
        """Replace the definition of a consumer check."""
        path = f"/subscriptions/{subscription_id}/checks/{check_id}"
        return self._changed(schemas.ConsumerCheckOut, "PUT", path, etag, body=check)

    def end_consumer_check(self, subscription_id: UUID, check_id: str, *, etag: str = "*") -> None:
        """Remove a consumer check; it is no longer evaluated."""
        self._deleted(f"/subscriptions/{subscription_id}/checks/{check_id}", etag)

    def promote_check(self, subscription_id: UUID, check_id: str) -> schemas.ProposalSummaryOut:
        """Propose a consumer check for the contract."""
        return self._post(schemas.ProposalSummaryOut, f"/subscriptions/{subscription_id}/checks/{check_id}/promote")

    def acknowledgements(
        self,
        *,
        contract_id: str | None = None,
        version: str | None = None,
        mine: bool = False,
        waiting: bool = False,
    ) -> list[schemas.AcknowledgementOut]:
        """List acknowledgement requests for approved versions and their answers, newest first.

        `waiting`: only unanswered ones."""
        form, path = schemas.Page[schemas.AcknowledgementOut], "/acknowledgements"
        return self._list(form, path, contract_id=contract_id, version=version, mine=mine, waiting=waiting)

    def answer(
        self,
        acknowledgement_id: UUID,
        acknowledgement: schemas.AcknowledgementAnswer,
        *,
        comment: str | None = None,
        etag: str = "*",
    ) -> schemas.AcknowledgementOut:
        """Acknowledge a breaking version or object to it.

        `PENDING` withdraws an answer while the version is still waiting."""
        body = schemas.AcknowledgementIn(state=acknowledgement, comment=comment)
        return self._changed(
            schemas.AcknowledgementOut, "POST", f"/acknowledgements/{acknowledgement_id}/answer", etag, body=body
        )

    def impact(self, proposal_id: UUID) -> list[schemas.ConsumerImpactOut]:
        """Fetch the impact of a proposal on each consumer of its contract."""
        return self._get(list[schemas.ConsumerImpactOut], f"/proposals/{proposal_id}/impact")
