"""Client methods for channels and outgoing messages."""

from uuid import UUID

from treaty.registry import schemas
from treaty.registry.client.transport import ApiTransport
from treaty.registry.core.enums import OutboxState


class NotificationsApi(ApiTransport):
    """Client methods for channels and outgoing messages."""

    def channels(self) -> list[schemas.ChannelOut]:
        """List the channels of the caller and their teams, oldest first.

        Users with the permission to manage users receive all channels."""
        return self._get(list[schemas.ChannelOut], "/channels")

    def add_channel(self, channel: schemas.ChannelIn) -> schemas.NewChannelOut:
        """Add a channel. The response contains the webhook secret, which cannot be retrieved later."""
        return self._post(schemas.NewChannelOut, "/channels", channel)

    def remove_channel(self, channel_id: UUID, *, etag: str = "*") -> None:
        """Remove a channel.

        `etag`: `etag` of the channel as read; "*" removes it in any state."""
        self._deleted(f"/channels/{channel_id}", etag)

    def test_channel(self, channel_id: UUID) -> schemas.ChannelOut:
        """Send a test notification to a channel."""
        return self._post(schemas.ChannelOut, f"/channels/{channel_id}/test")

    def messages(self, *, state: OutboxState | None = None, limit: int | None = 100) -> list[schemas.OutboxMessageOut]:
        """List outgoing messages, newest first. Requires an administrator."""
        return self._list(schemas.Page[schemas.OutboxMessageOut], "/messages", limit=limit, state=state)

    def retry_message(self, message_id: UUID) -> schemas.OutboxMessageOut:
        """Retry a message whose delivery was abandoned."""
        return self._post(schemas.OutboxMessageOut, f"/messages/{message_id}/retry")
