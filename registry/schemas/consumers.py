"""Models of subscriptions, consumer checks and acknowledgements."""

from datetime import datetime
from typing import Annotated, Any, Literal
from uuid import UUID

from pydantic import Field, StringConstraints, computed_field

from treaty.registry.core.bounded_values import WITHOUT_NUL, Revision
from treaty.registry.core.enums import AcknowledgementState, NotificationKind, PinKind, SubscriptionState
from treaty.registry.schemas.base import PRINTABLE, ApiModel, ApiRequest, EtagModel, Name, Prose

ContractId = Annotated[str, StringConstraints(min_length=1, max_length=500, pattern=PRINTABLE)]
Path = Annotated[str, StringConstraints(min_length=1, max_length=500, pattern=PRINTABLE)]
CheckId = Annotated[str, StringConstraints(max_length=100, pattern=r"^[A-Za-z0-9_-]+$")]
# Answers to an acknowledgement request; PENDING withdraws an answer.
AcknowledgementAnswer = Literal[
    AcknowledgementState.ACKNOWLEDGED, AcknowledgementState.OBJECTED, AcknowledgementState.PENDING
]
Reads = Annotated[dict[Path, Annotated[list[Path], Field(max_length=5000)]], Field(max_length=200)]


# Notification kinds for consumers.
Consumed = Literal[
    NotificationKind.VIOLATION, NotificationKind.RECOVERY, NotificationKind.BREAKING, NotificationKind.LAG
]


class UseIn(ApiRequest):
    """Use of a contract's data by a consumer.

    - `purpose`: what the data is used for.
    - `contact`: how to reach the consumer.
    - `pin`: whether the consumer follows the version in force, a group of versions or one version.
    - `pinned_to`: the version or group of versions of the pin.
    - `reads`: columns by object, `"*"` for all columns; null means all columns of all objects.
    - `notification_kinds`: kinds of notifications to send; empty means all.
    - `channel_id`: channel for the notifications; null means all channels that are not limited to one contract."""

    purpose: Name
    contact: Name
    pin: PinKind = PinKind.NONE
    pinned_to: Name | None = None
    reads: Reads | None = None
    notification_kinds: tuple[Consumed, ...] = ()
    channel_id: UUID | None = None


class SubscriptionIn(UseIn):
    """A new subscription to a contract.

    - `team`: name of a team of the caller to subscribe; null subscribes the caller."""

    contract_id: ContractId
    team: Name | None = None


class SubscriptionUpdateIn(UseIn):
    """New values of a subscription.

    - `revision`: revision of the subscription that the change is based on."""

    revision: Revision


class SubscriptionOut(EtagModel):
    """A subscription of a user or team to a contract.

    - `subscriber`: name of the user, or of the team if `team` is true. Every member of the team may change it.
    - `reads`: columns by object, `"*"` for all columns.
    - `checks`: number of consumer checks.
    - `outdated_reason`: why the pin is older than the version in force; null if it is not.
    - `is_own`: the caller may change the subscription.
    - `pinned_to`: group or number of the version that the subscription is pinned to; null if it is not."""

    id: UUID
    contract_id: str
    subscriber: str
    team: bool = False
    purpose: str
    contact: str
    pin: PinKind
    pinned_to: str | None
    reads: dict[str, tuple[str, ...]]
    notification_kinds: tuple[NotificationKind, ...] = ()
    channel_id: UUID | None = None
    state: SubscriptionState
    revision: int
    created_at: datetime
    ended_at: datetime | None
    checks: int
    outdated_reason: str | None
    is_own: bool

    @computed_field  # type: ignore[prop-decorator]
    @property
    def etag(self) -> str:
        """The revision. An outdated pin does not change it."""
        return f'"{self.revision}"'


class ConsumerCheckIn(ApiRequest):
    """A consumer's check on an object or one of its columns.

    - `patch`: either `quality` with one check in the document format, or attributes of the column: `required`,
      `unique`, `enum`, `logicalTypeOptions`.
    - `id`: null generates an id."""

    object: Path
    column: Path | None = None
    patch: Annotated[dict[str, Any], Field(min_length=1, max_length=4), WITHOUT_NUL]
    id: CheckId | None = None


class CheckCopyIn(ApiRequest):
    """A check of a contract to copy.

    - `version`: null means the version in force.
    - `target_object`, `id`: null keeps those of the original.
    - `check`: id of the check to copy."""

    contract_id: ContractId
    object: Path
    check: Path
    version: Name | None = None
    target_object: Path | None = None
    id: CheckId | None = None


class ConsumerCheckOut(EtagModel):
    """The current state of a consumer check.

    - `number`: number of the check's definition; increases with every change.
    - `source`: the check that it was copied from; null if it is not a copy.
    - `sentence`: the check in words.
    - `misfit_reason`: why the check no longer fits the contract in force; null if it fits.
    - `patch`: entry of the check, as in a contract document; null if the check ended."""

    id: str
    number: int
    object: str
    column: str | None
    patch: dict[str, Any] | None
    source: dict[str, Any] | None
    created_at: datetime
    sentence: str
    misfit_reason: str | None

    @computed_field  # type: ignore[prop-decorator]
    @property
    def etag(self) -> str:
        """The number of the check. Changes of the contract do not change it."""
        return f'"{self.number}"'


class AcknowledgementOut(EtagModel):
    """A consumer's acknowledgement of an approved version.

    - `breaking_reasons`: why the version breaks the consumer; empty if it is only announced.
    - `due_at`: deadline for the answer; null if no answer is required.
    - `answered_at`: time of the consumer's response; null if there is none."""

    id: UUID
    contract_id: str
    version: str
    subscription_id: UUID
    subscriber: str
    purpose: str
    breaking_reasons: tuple[str, ...]
    state: AcknowledgementState
    requested_at: datetime
    due_at: datetime | None
    comment: str | None
    answered_at: datetime | None


class AcknowledgementIn(ApiRequest):
    """An answer to an acknowledgement request.

    - `state`: `acknowledged`, `objected`, or `pending` to withdraw an answer while the version is waiting.
    - `comment`: required for an objection."""

    state: AcknowledgementAnswer
    comment: Prose | None = None


class ConsumerImpactOut(ApiModel):
    """The impact of a proposal on a consumer.

    - `breaks`: reasons why the proposal breaks the consumer; empty if it does not.
    - `affected`: the proposal breaks the consumer."""

    subscription_id: UUID
    subscriber: str
    purpose: str
    contact: str
    breaks: tuple[str, ...]
    affected: bool
