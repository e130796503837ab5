"""Consumers: their subscriptions, checks and acknowledgements, as the API takes and gives them."""

from datetime import datetime
from typing import Annotated, Any, Literal
from uuid import UUID

from pydantic import Field, StringConstraints, computed_field

from treaty.registry.core.enums import AcknowledgementState, NotificationKind, PinKind, SubscriptionState
from treaty.registry.schemas.base import PRINTABLE, ApiModel, ApiRequest, EtagModel, Name, Prose

ContractId = Annotated[str, StringConstraints(min_length=1, max_length=500, pattern=PRINTABLE)]
Path = Annotated[str, StringConstraints(min_length=1, max_length=500, pattern=PRINTABLE)]
CheckId = Annotated[str, StringConstraints(max_length=100, pattern=r"^[A-Za-z0-9_-]+$")]
# What a consumer may say of a version: that they know of it, that it must not be, or that they have not said it.
AcknowledgementAnswer = Literal[
    AcknowledgementState.ACKNOWLEDGED, AcknowledgementState.OBJECTED, AcknowledgementState.PENDING
]
Reads = Annotated[dict[Path, Annotated[list[Path], Field(max_length=5000)]], Field(max_length=200)]


# Of what consumers are told as consumers.
Consumed = Literal[
    NotificationKind.VIOLATION, NotificationKind.RECOVERY, NotificationKind.BREAKING, NotificationKind.LAG
]


class UseIn(ApiRequest):
    """What a consumer says of their use of the data. `reads`: columns by object, "*" for all; None: all of everything.

    `pinned_to` names the group or the version that `pin` speaks of. `notification_kinds`: of which notices they are
    told; (): of all. `channel_id`: through which channel of theirs; None: through all that are of no one contract."""

    purpose: Name
    contact: Name
    pin: PinKind = PinKind.NONE
    pinned_to: Name | None = None
    reads: Reads | None = None
    notification_kinds: tuple[Consumed, ...] = ()
    channel_id: UUID | None = None


class SubscriptionIn(UseIn):
    """A new subscription to a contract; `team`: of the team of that name, to which the subscriber belongs."""

    contract_id: ContractId
    team: Name | None = None


class SubscriptionUpdateIn(UseIn):
    """What a subscription shall say; `revision` is the one that was shown."""

    revision: int


class SubscriptionOut(EtagModel):
    """A subscription. `outdated_reason` says why its pin is behind what is in force; None: it is not. `checks`: how
    many.

    `team`: `subscriber` is a team, of which every member may change it. `is_own`: the asking principal may."""

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
        """Its revision: whether it lags is no part of its state."""
        return f'"{self.revision}"'


class ConsumerCheckIn(ApiRequest):
    """A check of a consumer's own, on an object or one of its columns.

    `patch` has either `quality`, one entry as in a document, or words of the column: required, unique, enum,
    logicalTypeOptions. `id` None: one is made."""

    object: Path
    column: Path | None = None
    patch: Annotated[dict[str, Any], Field(min_length=1, max_length=4)]
    id: CheckId | None = None


class CheckCopyIn(ApiRequest):
    """A check of a contract's version (None: the one in force), to be copied; `target_object` and `id` None: as it is
    there."""

    contract_id: ContractId
    object: Path
    check: Path
    version: Name | None = None
    target_object: Path | None = None
    id: CheckId | None = None


class ConsumerCheckOut(EtagModel):
    """A consumer's check as it is now. `misfit_reason`: why it no longer fits the contract in force; None: it does."""

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
        """Its number: whether it fits the contract in force is no part of its state."""
        return f'"{self.number}"'


class AcknowledgementOut(EtagModel):
    """What a consumer was told of an approved version. `breaking_reasons`: why it breaks them; () where they are only
    told."""

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
    """Whether the consumer acknowledges the version or objects to it, which needs a comment; `pending` takes an answer
    back while the version waits."""

    state: AcknowledgementAnswer
    comment: Prose | None = None


class ConsumerImpactOut(ApiModel):
    """What a proposal would mean for a consumer: whether it breaks them, and why."""

    subscription_id: UUID
    subscriber: str
    purpose: str
    contact: str
    breaks: tuple[str, ...]
    affected: bool
