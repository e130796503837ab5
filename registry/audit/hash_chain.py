"""Hash, verify, export and sign the chain of audit entries.

Needs no database, so that an export can be verified anywhere."""

import hmac
import json
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import sha256
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from treaty.contracts.fingerprint import canonical, fingerprint
from treaty.engine.core.hash_key import HashKey

BEGINNING = "0" * 64
FIELDS = frozenset(
    {"position", "time", "actor", "action", "object_type", "object_id", "details", "previous_hash", "hash"}
)
ABOUT_HEADS = b"treaty: head of an audit "
Entry = Mapping[str, Any]

# What `read` yields for an export without its last line.
BREAK: Entry = {"break": True}
# Written in place of an entry that is not plain data; no such entry was ever sealed.
UNWRITABLE = {"fault": "cannot be written as JSON"}
NO_ENTRY = "is not a valid audit entry"
MISSING = "is missing: another entry is in its place"
CHANGED = "has been modified"
LOOSE = "does not continue the chain of the previous entry"
REPLACED = "does not match the head"
BROKEN_OFF = "is missing: the export breaks off here"
CUT_OFF = "is missing: the audit log had more entries when the head was created"


class AuditHead(BaseModel):
    """The last entry of an audit log at a point in time.

    Store it outside the registry: no entry up to it can then be removed or rewritten without detection.

    - `key`: id of the key that signed it; null if it is unsigned.
    - `position`: position of the last entry, starting at 1; 0 for an empty log.
    - `hash`: hash of the last entry.
    - `time`: time at which the head was created.
    - `signature`: signature of the head by the service's key; null if it is unsigned."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    position: int = Field(ge=0, strict=True)
    hash: str = Field(pattern="^[0-9a-f]{64}$")
    time: datetime
    key: str | None = None
    signature: str | None = None


@dataclass(frozen=True)
class ChainCheck:
    """Result of verifying a chain of entries.

    `entries`: number of valid entries before the first fault.
    `hash`: hash of the last valid entry.
    `broken_at`, `fault`: position and description of the first fault; None if the chain is valid."""

    entries: int
    hash: str = BEGINNING
    broken_at: int | None = None
    fault: str | None = None

    def broken(self, fault: str) -> "ChainCheck":
        """Return the check with that fault at the next entry."""
        return ChainCheck(self.entries, self.hash, self.entries + 1, fault)


def seal(entry: Entry) -> str:
    """Return the hash of an entry. Raises ValueError if the entry is not plain data."""
    return fingerprint({name: value for name, value in entry.items() if name != "hash"})


def follow(entries: Iterable[Entry], head: AuditHead | None = None) -> ChainCheck:
    """Verify that the entries form an unmodified chain, up to `head` if it is set.

    An empty chain is valid."""
    chain = ChainCheck(0)
    for entry in entries:
        fault = _fault(entry, chain, head)
        if fault:
            return chain.broken(fault)
        chain = ChainCheck(entry["position"], entry["hash"])
    return chain.broken(CUT_OFF) if head and head.position > chain.entries else chain


def lines(entries: Iterable[Entry]) -> Iterator[bytes]:
    """Yield the entries as export lines, then their number. Each line is a canonical JSON document."""
    count = 0
    for count, entry in enumerate(entries, 1):  # noqa: B007 - the last number is used
        yield _line(entry)
    yield _end(count)


def read(exported: Iterable[bytes]) -> Iterator[Entry]:
    """Yield the entries of an export. A malformed line yields an empty entry, which breaks the chain.

    So does a missing last line, or one with another number of entries."""
    count, is_complete = 0, False
    for line in exported:
        is_complete = not is_complete and line == _end(count)
        if not is_complete:
            count += 1
            yield _entry(line)
    if not is_complete:
        yield BREAK


def signed(head: AuditHead, key: HashKey | None) -> AuditHead:
    """Return the head signed with the key; unchanged if `key` is None."""
    return head.model_copy(update={"key": key.id, "signature": _signature(head, key)}) if key else head


def genuine(head: AuditHead, keys: Collection[HashKey]) -> bool | None:
    """Return whether the head's signature is valid.

    None if the head is unsigned or its key is not among `keys`."""
    key = next((each for each in keys if each.id == head.key), None)
    if head.signature is None or key is None:
        return None
    return hmac.compare_digest(head.signature, _signature(head, key))


def written(time: datetime) -> str:
    """Format a time as it is hashed: ISO 8601 in UTC."""
    return time.astimezone(UTC).isoformat()


def _signature(head: AuditHead, key: HashKey) -> str:
    payload = {"position": head.position, "hash": head.hash, "time": written(head.time)}
    return hmac.digest(key.content, ABOUT_HEADS + canonical(payload), sha256).hex()


def _fault(entry: Entry, before: ChainCheck, head: AuditHead | None) -> str | None:
    position = before.entries + 1
    if entry.keys() != FIELDS:
        return BROKEN_OFF if entry is BREAK else NO_ENTRY
    if entry["position"] != position:
        return MISSING
    if entry["hash"] != _sealed(entry):
        return CHANGED
    if entry["previous_hash"] != before.hash:
        return LOOSE
    return REPLACED if head and (head.position == position and head.hash != entry["hash"]) else None


def _sealed(entry: Entry) -> str | None:
    try:
        return seal(entry)
    except (TypeError, ValueError):
        return None


def _end(count: int) -> bytes:
    """Return the last line of an export."""
    return canonical({"entries": count}) + b"\n"


def _line(entry: Entry) -> bytes:
    try:
        return canonical(entry) + b"\n"
    except (TypeError, ValueError):
        return canonical(UNWRITABLE) + b"\n"


def _entry(line: bytes) -> Entry:
    try:
        parsed = json.loads(line)
        return parsed if isinstance(parsed, dict) and canonical(parsed) + b"\n" == line else {}
    except (ValueError, RecursionError):
        return {}
