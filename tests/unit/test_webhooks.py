"""Signatures of webhooks: a receiver knows who sent a body, and when."""

from base64 import b64encode
from datetime import UTC, datetime, timedelta

import pytest

from treaty.registry.notifications.transport.webhook_signatures import TIME, Unsigned, new_secret, signed, verify

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
SECRET = "whsec_" + b64encode(b"0" * 32).decode()
BODY = b'{"type":"treaty.violation"}'


def test_what_was_signed_is_verified_by_the_same_secret() -> None:
    headers = signed(SECRET, "msg_1", BODY, now=NOW)
    assert verify(SECRET, headers, BODY, now=NOW + timedelta(minutes=4)) == "msg_1"
    assert verify(SECRET, {name.upper(): value for name, value in headers.items()}, BODY, now=NOW) == "msg_1"


def test_the_signature_is_that_of_the_standard() -> None:
    """The example that the standard's own libraries are tested with."""
    secret, moment = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", datetime.fromtimestamp(1614265330, UTC)
    headers = signed(secret, "msg_p5jXN8AQM9LWM0D4loKWxJek", b'{"test": 2432232314}', now=moment)
    assert headers["webhook-signature"] == "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="


def test_of_several_signatures_one_suffices() -> None:
    headers = signed(SECRET, "msg_1", BODY, now=NOW)
    headers["webhook-signature"] = f"v1,AAAA {headers['webhook-signature']}"
    assert verify(SECRET, headers, BODY, now=NOW)


@pytest.mark.parametrize(
    ("change", "body", "minutes", "said"),
    [
        ({}, BODY + b" ", 0, "another body"),
        ({"webhook-id": "msg_2"}, BODY, 0, "another body"),
        ({TIME: str(int(NOW.timestamp()) + 1)}, BODY, 0, "another body"),
        ({"webhook-signature": ""}, BODY, 0, "another body"),
        ({TIME: "now"}, BODY, 0, "no number"),
        ({}, BODY, 6, "too long ago"),
        ({}, BODY, -6, "too long ago"),
    ],
)
def test_what_was_changed_or_is_old_is_not_verified(
    change: dict[str, str], body: bytes, minutes: int, said: str
) -> None:
    headers = {**signed(SECRET, "msg_1", BODY, now=NOW), **change}
    with pytest.raises(Unsigned, match=said):
        verify(SECRET, headers, body, now=NOW + timedelta(minutes=minutes))


def test_another_secret_verifies_nothing() -> None:
    with pytest.raises(Unsigned, match="another secret"):
        verify(new_secret(), signed(SECRET, "msg_1", BODY, now=NOW), BODY, now=NOW)


@pytest.mark.parametrize("name", ["webhook-id", "webhook-timestamp", "webhook-signature"])
def test_a_missing_header_is_named(name: str) -> None:
    headers = signed(SECRET, "msg_1", BODY, now=NOW)
    del headers[name]
    with pytest.raises(Unsigned, match=name):
        verify(SECRET, headers, BODY, now=NOW)


def test_secrets_differ() -> None:
    assert len({new_secret() for _ in range(100)}) == 100
