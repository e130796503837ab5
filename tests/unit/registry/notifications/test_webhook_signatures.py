"""Signatures of webhooks: a receiver knows who sent a body, and when."""

from base64 import b64encode
from datetime import UTC, datetime, timedelta, timezone

import pytest
from standardwebhooks import Webhook, WebhookVerificationError

from treaty.engine.core import clock
from treaty.registry.notifications.transport.webhook_signatures import TIME, new_secret, signed

SECRET = "whsec_" + b64encode(b"0" * 32).decode()
NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
BODY = b'{"type":"treaty.violation"}'
FOREIGN = '{"data":{"table":"Bestellungen ü 漢 \0 😀"},"type":"treaty.violation"}'.encode()


@pytest.mark.parametrize(
    ("secret", "name", "body", "now", "signature"),
    [
        (
            SECRET,
            "msg_1",
            FOREIGN,
            NOON + timedelta(microseconds=999_999),
            "DzEG7Uv9ejFB89wOS7uDCWayhQJFlH6RPxwn1mOuqXY=",
        ),
        ("whsec_c2VjcmV0", "msg_2f9c", b"{}", NOON, "eSinpBd5KsaAQZiLgi8Sr1ADhNQrU9eMUcxQMEKCX+k="),
    ],
)
@pytest.mark.parametrize("zone", [UTC, timezone(timedelta(hours=2))])
def test_the_bytes_that_are_sent_stay_what_they_were(
    secret: str, name: str, body: bytes, now: datetime, signature: str, zone: timezone
) -> None:
    assert signed(secret, name, body, now=now.astimezone(zone)) == {
        "webhook-id": name,
        "webhook-timestamp": "1772366400",
        "webhook-signature": f"v1,{signature}",
    }


def test_the_signature_is_that_of_the_standard() -> None:
    """The example that the standard's own libraries are tested with."""
    secret, moment = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", datetime.fromtimestamp(1614265330, UTC)
    headers = signed(secret, "msg_p5jXN8AQM9LWM0D4loKWxJek", b'{"test": 2432232314}', now=moment)
    assert headers["webhook-signature"] == "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="


def test_what_was_signed_is_verified_by_the_same_secret() -> None:
    secret = new_secret()
    headers = signed(secret, "msg_1", BODY, now=clock.now() - timedelta(minutes=4))
    assert Webhook(secret).verify(BODY, headers) == {"type": "treaty.violation"}


@pytest.mark.parametrize(
    ("change", "body", "minutes"),
    [
        ({}, BODY + b" ", 0),
        ({"webhook-id": "msg_2"}, BODY, 0),
        ({TIME: "1772366400"}, BODY, 0),
        ({}, BODY, 6),
        ({}, BODY, -6),
    ],
)
def test_what_was_changed_or_is_old_is_not_verified(change: dict[str, str], body: bytes, minutes: int) -> None:
    headers = {**signed(SECRET, "msg_1", BODY, now=clock.now() - timedelta(minutes=minutes)), **change}
    with pytest.raises(WebhookVerificationError):
        Webhook(SECRET).verify(body, headers)


def test_another_secret_verifies_nothing() -> None:
    with pytest.raises(WebhookVerificationError):
        Webhook(new_secret()).verify(BODY, signed(SECRET, "msg_1", BODY, now=clock.now()))


def test_secrets_differ() -> None:
    assert len({new_secret() for _ in range(100)}) == 100
