"""Sign audit heads with the audit key and parse stored heads."""

from collections.abc import Sequence
from datetime import datetime

from pydantic import ValidationError
from sqlmodel import Session

from treaty.engine.core.hash_key import HashKey
from treaty.registry.audit import audit_log, hash_chain
from treaty.registry.audit.hash_chain import AuditHead
from treaty.registry.core.errors import InvalidRequest
from treaty.registry.core.keyring import ring
from treaty.registry.core.settings import RegistrySettings


def keys(settings: RegistrySettings) -> Sequence[HashKey]:
    """Return the keys that sign heads, the current one first; empty if none is configured.

    Raises the errors of `keys.ring`."""
    return ring("TREATY_AUDIT_KEY_TEXT", texts=settings.audit_key_text, files=settings.audit_keys)


def signed_head(session: Session, signing: Sequence[HashKey], *, now: datetime) -> AuditHead:
    """Return the current head of the audit log, signed with the first key; unsigned without keys."""
    return hash_chain.signed(audit_log.head_of(session, now=now), next(iter(signing), None))


def read(text: bytes) -> AuditHead:
    """Parse a head from JSON. Raises InvalidRequest if the text is not a valid head."""
    try:
        return AuditHead.model_validate_json(text)
    except ValidationError as error:
        places = ", ".join(sorted({".".join(map(str, each["loc"])) or "the JSON text" for each in error.errors()}))
        raise InvalidRequest(f"Not a valid audit head: {places} cannot be used.") from None
