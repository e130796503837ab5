"""Deliver the messages of the outbox, one at a time and never within a transaction.

Any number of deliverers may run: each message is leased to one of them, and messages to one destination are sent in
order."""

import logging
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from email.utils import parsedate_to_datetime
from itertools import takewhile
from random import random
from uuid import UUID

from sqlalchemy import Engine as Database
from sqlmodel import Session

from treaty.contracts.fingerprint import canonical, fingerprint
from treaty.engine.core import clock
from treaty.registry.core.database import read_session, transaction
from treaty.registry.core.enums import ChannelKind
from treaty.registry.core.settings import RegistrySettings
from treaty.registry.notifications import messages, outbox
from treaty.registry.notifications.messages import RenderedNotice
from treaty.registry.notifications.outbox import LINEAGE, NOTICE
from treaty.registry.notifications.transport import egress, smtp, webhook_signatures
from treaty.registry.notifications.transport.egress import (
    ANYWHERE,
    DestinationNotAllowed,
    DestinationUnreachable,
    Lookup,
    OutboundResponse,
    reach,
)
from treaty.registry.notifications.transport.smtp import Mail, MailRejected
from treaty.registry.tables import ChannelRow, OutboxMessageRow

log = logging.getLogger("treaty.deliverer")
# Longer than any delivery takes, including the database.
LEASE = timedelta(minutes=2)
JSON = {"Content-Type": "application/json", "User-Agent": "treaty"}
# These reject the message itself, so a retry would fail too. All other statuses concern the destination.
REFUSALS = frozenset({400, 410, 413, 414, 415, 422})


class DeliveryFailed(Exception):
    """A message was not accepted.

    `retry`: whether a later attempt may succeed. `after`: earliest retry that the receiver requests; None if it
    requests none."""

    def __init__(self, reason: str, *, retry: bool = True, after: timedelta | None = None) -> None:
        self.reason, self.retry, self.after = reason, retry, after
        super().__init__(reason)


@dataclass(frozen=True, kw_only=True)
class OutboxDeliverer:
    """A stateless deliverer: all of its state is in the database."""

    database: Database
    settings: RegistrySettings
    clock: Callable[[], datetime] = clock.now
    jitter: Callable[[], float] = random
    find: Lookup = egress.lookup
    worker: str = "deliverer"

    def step(self) -> bool:
        """Attempt to deliver the message that is due first. False if none is due."""
        message = self.claim()
        if message is not None:
            self.deliver(message)
        return message is not None

    def deliver(self, message: OutboxMessageRow) -> None:
        """Send a claimed message and store the outcome."""
        try:
            if message.attempts > outbox.ATTEMPTS:
                raise DeliveryFailed(f"previous attempts ended without a result; last error: {message.error or 'none'}")
            SENDERS[message.kind](self, message)
        except DeliveryFailed as failure:
            self._keep(message, failure)
        except Exception as error:
            log.exception("Unexpected error while delivering a message")
            self._keep(message, DeliveryFailed(f"unexpected {type(error).__name__}; the worker's log has the details"))
        else:
            self._keep(message, None)

    def drain(self, most: int = 100) -> int:
        """Attempt to deliver due messages, at most `most`, and return the number of attempts."""
        return sum(1 for _ in takewhile(bool, (self.step() for _ in range(most))))

    def claim(self) -> OutboxMessageRow | None:
        """Claim the message that is due first; None if none is due."""
        now = self.clock()
        with read_session(self.database) as tx:
            if not outbox.due(tx, now=now):
                return None
        with transaction(self.database) as tx:
            message = outbox.claim(tx, worker=self.worker, now=now, lease=LEASE)
            tx.commit()
        return message

    def _keep(self, message: OutboxMessageRow, missed: DeliveryFailed | None) -> None:
        """Record the outcome of the attempt; nothing if another deliverer holds the message."""
        with suppress(outbox.DeliveryLeaseLost), transaction(self.database) as tx:
            now = self.clock()
            if missed is None:
                outbox.sent(tx, message, now=now)
            else:
                log.warning("A message (%s) was not delivered: %s", message.kind, missed.reason)
                outbox.failed(tx, message, missed.reason, now=now, retry_at=self._again(message, missed, now))
            tx.commit()

    def _again(self, message: OutboxMessageRow, missed: DeliveryFailed, now: datetime) -> datetime | None:
        if not missed.retry or message.attempts >= outbox.ATTEMPTS:
            return None
        requested_pause = min(missed.after or timedelta(0), outbox.LONGEST_ASKED)
        return now + max(outbox.pause(message.attempts, self.jitter()), requested_pause)


def identity(message: OutboxMessageRow) -> str:
    """Return the id by which a receiver recognizes retries of the message."""
    return f"msg_{fingerprint(message.key)[:32]}"


def _lineage(deliverer: OutboxDeliverer, message: OutboxMessageRow) -> None:
    if deliverer.settings.openlineage_config:
        _through_client(deliverer.settings.openlineage_config, message)
        return
    url, key = deliverer.settings.lineage_service, deliverer.settings.openlineage_key
    if not url:
        raise DeliveryFailed("no lineage service is configured: set TREATY_OPENLINEAGE_URL")
    auth = {"Authorization": f"Bearer {key}"} if key else {}
    headers = {**JSON, **auth, "Idempotency-Key": identity(message)}
    _judge(_post(deliverer, url, canonical(message.payload), headers, trusted=True), deliverer.clock())


def _through_client(path: str, message: OutboxMessageRow) -> None:
    """Send the event through the transport in the client's own configuration."""
    from treaty.registry.lineage.events import transports

    try:
        transports.emit(path, message.payload)
    except Exception as error:
        raise DeliveryFailed(f"the OpenLineage transport failed: {type(error).__name__}") from error


def _notice(deliverer: OutboxDeliverer, message: OutboxMessageRow) -> None:
    with read_session(deliverer.database) as tx:
        channel = _channel(tx, message)
    notice = RenderedNotice.from_payload(message.payload["notice"]).at(deliverer.settings.pages)
    WAYS[channel.kind](deliverer, channel, notice, message)


def _channel(session: Session, message: OutboxMessageRow) -> ChannelRow:
    channel = session.get(ChannelRow, UUID(message.payload["channel"]))
    if channel is None:
        raise DeliveryFailed("the channel was removed", retry=False)
    return channel


def _by_mail(
    deliverer: OutboxDeliverer, channel: ChannelRow, notice: RenderedNotice, message: OutboxMessageRow
) -> None:
    if not deliverer.settings.smtp_url:
        raise DeliveryFailed("no mail server is configured: set TREATY_SMTP_URL")
    mail = Mail(
        to=channel.target,
        subject=f"[Treaty] {notice.title}",
        text=messages.as_text(notice),
        key=identity(message),
        sent_at=datetime.fromisoformat(notice.time),
    )
    try:
        smtp.send(mail, by=smtp.server(deliverer.settings.smtp_url), sender=deliverer.settings.mail_from)
    except MailRejected as error:
        raise DeliveryFailed(str(error), retry=not error.for_good) from None


def _by_chat(
    deliverer: OutboxDeliverer, channel: ChannelRow, notice: RenderedNotice, message: OutboxMessageRow
) -> None:
    headers = {**JSON, "Idempotency-Key": identity(message)}
    _judge(_post(deliverer, channel.target, canonical(messages.as_chat(notice)), headers), deliverer.clock())


def _by_webhook(
    deliverer: OutboxDeliverer, channel: ChannelRow, notice: RenderedNotice, message: OutboxMessageRow
) -> None:
    body, now = canonical(messages.as_data(notice)), deliverer.clock()
    signature = webhook_signatures.signed(channel.secret or "", identity(message), body, now=now)
    _judge(_post(deliverer, channel.target, body, {**JSON, **signature}), now)


def _post(
    deliverer: OutboxDeliverer, url: str, body: bytes, headers: Mapping[str, str], *, trusted: bool = False
) -> OutboundResponse:
    """Send the request and return the response. `trusted`: the URL is from the settings, so any host is allowed."""
    policy = ANYWHERE if trusted else reach(deliverer.settings.webhook_allowed_hosts)
    try:
        return egress.post(url, body, headers, within=policy, find=deliverer.find)
    except DestinationNotAllowed as error:
        raise DeliveryFailed(str(error), retry=False) from None
    except DestinationUnreachable as error:
        raise DeliveryFailed(str(error)) from None


def _judge(answer: OutboundResponse, now: datetime) -> None:
    """Raise DeliveryFailed unless the response accepts the message."""
    if 200 <= answer.status < 300:
        return
    if 300 <= answer.status < 400:
        raise DeliveryFailed(
            f"the receiver responded with status {answer.status}; redirects are not followed", retry=False
        )
    is_rejection = answer.status in REFUSALS
    raise DeliveryFailed(
        f"the receiver responded with status {answer.status}", retry=not is_rejection, after=_after(answer.headers, now)
    )


def _after(headers: Mapping[str, str], now: datetime) -> timedelta | None:
    """Return the pause in the Retry-After header (seconds or a date); None if it is missing."""
    value = headers.get("retry-after", "").strip()
    if value.isdecimal():
        return timedelta(seconds=min(int(value[:9]), outbox.LONGEST_ASKED.total_seconds()))
    with suppress(ValueError, TypeError, OverflowError):
        return max(parsedate_to_datetime(value) - now, timedelta(0))
    return None


SENDERS: Mapping[str, Callable[[OutboxDeliverer, OutboxMessageRow], None]] = {LINEAGE: _lineage, NOTICE: _notice}
WAYS: Mapping[ChannelKind, Callable[[OutboxDeliverer, ChannelRow, RenderedNotice, OutboxMessageRow], None]] = {
    ChannelKind.EMAIL: _by_mail,
    ChannelKind.SLACK: _by_chat,
    ChannelKind.WEBHOOK: _by_webhook,
}
