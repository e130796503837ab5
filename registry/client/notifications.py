"""Calls about channels, and about the messages that go out."""

from uuid import UUID

from treaty.registry import schemas
from treaty.registry.client.transport import ApiTransport
from treaty.registry.core.enums import OutboxState


class NotificationsApi(ApiTransport):
    """Channels, and the messages that go out."""

    def channels(self) -> list[schemas.ChannelOut]:
        """One's own channels and those of one's teams, oldest first; all for who manages users."""
        return self._get(list[schemas.ChannelOut], "/channels")

    def add_channel(self, channel: schemas.ChannelIn) -> schemas.NewChannelOut:
        """A new channel, with the secret of its webhooks, which is told this once."""
        return self._post(schemas.NewChannelOut, "/channels", channel)

    def remove_channel(self, channel_id: UUID) -> None:
        """Removes a channel."""
        self._send("DELETE", f"/channels/{channel_id}")

    def test_channel(self, channel_id: UUID) -> schemas.ChannelOut:
        """Has a notice be sent that says only that it came."""
        return self._post(schemas.ChannelOut, f"/channels/{channel_id}/test")

    def messages(self, *, state: OutboxState | None = None, limit: int | None = 100) -> list[schemas.OutboxMessageOut]:
        """Messages that go out, newest first; for who administers."""
        return self._list(schemas.Page[schemas.OutboxMessageOut], "/messages", limit=limit, state=state)

    def retry_message(self, message_id: UUID) -> schemas.OutboxMessageOut:
        """Has a message that was given up be delivered after all."""
        return self._post(schemas.OutboxMessageOut, f"/messages/{message_id}/retry")
