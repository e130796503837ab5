"""Signatures of webhooks, as the Standard Webhooks have them: by them a receiver knows who sent a body, and when.

`verify` is for receivers in Python; it needs nothing but the standard library."""

import hashlib
import hmac
import secrets
from base64 import b64decode, b64encode
from collections.abc import Mapping
from datetime import datetime, timedelta

MARK = "whsec_"
ID, TIME, SIGNATURE = "webhook-id", "webhook-timestamp", "webhook-signature"
TOLERANCE = timedelta(minutes=5)


class Unsigned(ValueError):
    """The body does not bear a signature that is good now."""


def new_secret() -> str:
    """A fresh secret: 32 bytes that are written after a mark."""
    return MARK + b64encode(secrets.token_bytes(32)).decode()


def signed(secret: str, message_id: str, body: bytes, *, now: datetime) -> dict[str, str]:
    """The headers that a body is sent with."""
    moment = str(int(now.timestamp()))
    return {ID: message_id, TIME: moment, SIGNATURE: _signature(secret, message_id, moment, body)}


def verify(secret: str, headers: Mapping[str, str], body: bytes, *, now: datetime) -> str:
    """The message's id, by which a repeat is told. Raises Unsigned for a body that was changed, was signed with another
    secret, or is not of now."""
    given = {name.lower(): value for name, value in headers.items()}
    missing = [name for name in (ID, TIME, SIGNATURE) if name not in given]
    if missing:
        raise Unsigned(f"there is no header {missing[0]}")
    _refuse_old(given[TIME], now)
    expected = _signature(secret, given[ID], given[TIME], body).encode()
    if not any(hmac.compare_digest(expected, each.encode()) for each in given[SIGNATURE].split()):
        raise Unsigned("the signature is of another body, or by another secret")
    return given[ID]


def _signature(secret: str, message_id: str, moment: str, body: bytes) -> str:
    key = b64decode(secret.removeprefix(MARK))
    told = b".".join((message_id.encode(), moment.encode(), body))
    return f"v1,{b64encode(hmac.new(key, told, hashlib.sha256).digest()).decode()}"


def _refuse_old(moment: str, now: datetime) -> None:
    try:
        apart = abs(int(moment) - now.timestamp())
    except ValueError:
        raise Unsigned(f"{TIME} is no number of seconds") from None
    if apart > TOLERANCE.total_seconds():
        raise Unsigned("it was signed too long ago, or in time to come")
