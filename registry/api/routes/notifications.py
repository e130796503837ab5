"""Routes of channels and outgoing messages."""

from typing import Annotated
from uuid import UUID

from fastapi import Depends, Query

from treaty.engine.core import clock
from treaty.registry import schemas
from treaty.registry.api.http import presenters
from treaty.registry.api.http.admission import admission, admission_router
from treaty.registry.api.http.dependencies import Caller, Paging, Reader, Writer
from treaty.registry.api.http.etags import NeedsMatch
from treaty.registry.core import ids
from treaty.registry.core.enums import OutboxState, Permission
from treaty.registry.notifications import channels, outbox
from treaty.registry.notifications.channels import ChannelListing
from treaty.registry.tables import ChannelRow

router = admission_router(tags=["notifications"])
StateFilter = Annotated[OutboxState | None, Query(description="Only messages in this state")]


def same_channel(channel_id: UUID, by: Caller, tx: Writer, match: NeedsMatch) -> None:
    """Raise PreconditionRequired without If-Match, and PreconditionFailed if the channel does not match it."""
    if match.stated:
        (listing,) = channels.channel_listings(tx, [channels.own(tx, channel_id, by)])
        match.check(tx, channel_id, _channel(listing).etag)


@router.get("/channels")
def list_channels(by: Caller, tx: Reader) -> list[schemas.ChannelOut]:
    """List the channels of the caller and their teams. Users who manage users receive all channels."""
    return list(map(_channel, channels.channels(tx, by)))


@router.post("/channels", status_code=201)
@admission(Permission.TOKENS)
def add_channel(body: schemas.ChannelIn, by: Caller, tx: Writer) -> schemas.NewChannelOut:
    """Add a notification channel."""
    now = clock.now()
    channel = ChannelRow(
        id=ids.new(),
        kind=body.kind,
        target=body.target.get_secret_value().strip(),
        team_id=body.team_id,
        contract_id=body.contract_id,
        notification_kinds=sorted({each.value for each in body.notification_kinds}),
        created_at=now,
    )
    listing = channels.add(tx, channel, by=by, now=now)
    tx.commit()
    return schemas.NewChannelOut(channel=_channel(listing), secret=channel.secret)


@router.delete("/channels/{channel_id}", status_code=204, dependencies=[Depends(same_channel)])
@admission(Permission.TOKENS)
def remove_channel(channel_id: UUID, by: Caller, tx: Writer) -> None:
    """Remove a channel."""
    channels.remove(tx, channel_id, by=by, now=clock.now())
    tx.commit()


@router.post("/channels/{channel_id}/test", status_code=202)
@admission(Permission.TOKENS)
def send_test_message(channel_id: UUID, by: Caller, tx: Writer) -> schemas.ChannelOut:
    """Send a test notification to a channel."""
    listing = channels.try_out(tx, channel_id, subject=ids.new(), by=by, now=clock.now())
    tx.commit()
    return _channel(listing)


@router.get("/messages")
def list_messages(
    by: Caller, tx: Reader, paging: Paging, state: StateFilter = None
) -> schemas.Page[schemas.OutboxMessageOut]:
    """List outgoing messages, newest first: pending, sent and abandoned ones. Requires an administrator."""
    return presenters.page(schemas.OutboxMessageOut.model_validate, outbox.list_messages(tx, by, paging, state))


@router.post("/messages/{message_id}/retry")
@admission(Permission.USERS)
def retry_message(message_id: UUID, by: Caller, tx: Writer) -> schemas.OutboxMessageOut:
    """Retry a message whose delivery was abandoned."""
    message = outbox.replay(tx, message_id, by=by, now=clock.now())
    tx.commit()
    return schemas.OutboxMessageOut.model_validate(message)


def _channel(channel: ChannelListing) -> schemas.ChannelOut:
    fields = channel.channel.model_dump(include={"id", "kind", "contract_id", "notification_kinds", "created_at"})
    last = schemas.OutboxMessageOut.model_validate(channel.last) if channel.last else None
    return schemas.ChannelOut(
        **fields, target=channels.shown(channel.channel), holder=channel.holder, last_message=last
    )
