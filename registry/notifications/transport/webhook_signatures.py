"""Sign webhooks according to Standard Webhooks, so that receivers can verify sender and time.

Signatures are made by the `standardwebhooks` library; Python receivers can verify them with it."""

import secrets
from base64 import b64encode
from datetime import UTC, datetime

from standardwebhooks import Webhook

MARK = "whsec_"
ID, TIME, SIGNATURE = "webhook-id", "webhook-timestamp", "webhook-signature"


def new_secret() -> str:
    """Return a new secret: 32 random bytes, Base64-encoded after the prefix `whsec_`."""
    return MARK + b64encode(secrets.token_bytes(32)).decode()


def signed(secret: str, message_id: str, body: bytes, *, now: datetime) -> dict[str, str]:
    """Return the headers of a signed UTF-8 body."""
    # The library formats the clock time as UTC without converting its zone.
    moment = now.astimezone(UTC)
    signature = Webhook(secret).sign(message_id, moment, body.decode())
    return {ID: message_id, TIME: str(int(moment.timestamp())), SIGNATURE: signature}
