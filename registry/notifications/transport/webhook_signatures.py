"""Signatures of webhooks, as the Standard Webhooks have them: by them a receiver knows who sent a body, and when.

The signature is that of `standardwebhooks`, with which receivers in Python verify it."""

import secrets
from base64 import b64encode
from datetime import UTC, datetime

from standardwebhooks import Webhook

MARK = "whsec_"
ID, TIME, SIGNATURE = "webhook-id", "webhook-timestamp", "webhook-signature"


def new_secret() -> str:
    """A fresh secret: 32 bytes that are written after a mark."""
    return MARK + b64encode(secrets.token_bytes(32)).decode()


def signed(secret: str, message_id: str, body: bytes, *, now: datetime) -> dict[str, str]:
    """The headers that a body, which is UTF-8, is sent with."""
    # The library takes the clock's digits for UTC, whatever zone they are of.
    moment = now.astimezone(UTC)
    signature = Webhook(secret).sign(message_id, moment, body.decode())
    return {ID: message_id, TIME: str(int(moment.timestamp())), SIGNATURE: signature}
