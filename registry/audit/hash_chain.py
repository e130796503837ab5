"""The audit as a chain of plain entries: what each one's hash covers, whether they follow each other, and the head.

Knows no database, so that an export is verified wherever it lies."""

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

NO_ENTRY = "is not written as an audit writes its entries"
MISSING = "is missing: another entry stands in its place"
CHANGED = "is not as it was written"
LOOSE = "does not follow the entry before it"
REPLACED = "is another than the one that the head names"
CUT_OFF = "is missing: the audit had more entries when its head was taken"


class AuditHead(BaseModel):
    """The last entry of an audit at a moment; keep it elsewhere, and nothing before it can be cut off or rewritten.

    `key` says which key signed it; None: it is not signed."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    position: int = Field(ge=0, strict=True)
    hash: str = Field(pattern="^[0-9a-f]{64}$")
    time: datetime
    key: str | None = None
    signature: str | None = None


@dataclass(frozen=True)
class ChainCheck:
    """How far entries follow each other: so many do, up to the one of that hash.

    `broken_at` is the first position at which something is wrong, `fault` what; both None where nothing is."""

    entries: int
    hash: str = BEGINNING
    broken_at: int | None = None
    fault: str | None = None

    def broken(self, fault: str) -> "ChainCheck":
        """The chain, of which the next entry has that fault."""
        return ChainCheck(self.entries, self.hash, self.entries + 1, fault)


def seal(entry: Entry) -> str:
    """The hash that the entry must have. Raises ValueError for what is no plain data."""
    return fingerprint({name: value for name, value in entry.items() if name != "hash"})


def follow(entries: Iterable[Entry], head: AuditHead | None = None) -> ChainCheck:
    """Whether the entries are as they were written, up to the head where one is given. [] follow each other."""
    chain = ChainCheck(0)
    for entry in entries:
        fault = _fault(entry, chain, head)
        if fault:
            return chain.broken(fault)
        chain = ChainCheck(entry["position"], entry["hash"])
    return chain.broken(CUT_OFF) if head and head.position > chain.entries else chain


def lines(entries: Iterable[Entry]) -> Iterator[bytes]:
    """The entries as an export has them: canonical JSON, one to a line."""
    return (canonical(entry) + b"\n" for entry in entries)


def read(exported: Iterable[bytes]) -> Iterator[Entry]:
    """The entries of an export; an empty one for a line that no export writes, with which no chain goes on."""
    return map(_entry, exported)


def signed(head: AuditHead, key: HashKey | None) -> AuditHead:
    """The head with the key's signature; as it is where there is no key."""
    return head.model_copy(update={"key": key.id, "signature": _signature(head, key)}) if key else head


def genuine(head: AuditHead, keys: Collection[HashKey]) -> bool | None:
    """Whether one of the keys signed the head; None where it is not signed, or by a key that is not among them."""
    key = next((each for each in keys if each.id == head.key), None)
    if head.signature is None or key is None:
        return None
    return hmac.compare_digest(head.signature, _signature(head, key))


def written(time: datetime) -> str:
    """A moment as entries and heads are hashed with it."""
    return time.astimezone(UTC).isoformat()


def _signature(head: AuditHead, key: HashKey) -> str:
    told = {"position": head.position, "hash": head.hash, "time": written(head.time)}
    return hmac.digest(key.content, ABOUT_HEADS + canonical(told), sha256).hex()


def _fault(entry: Entry, before: ChainCheck, head: AuditHead | None) -> str | None:
    position = before.entries + 1
    if entry.keys() != FIELDS:
        return NO_ENTRY
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


def _entry(line: bytes) -> Entry:
    try:
        found = json.loads(line)
        return found if isinstance(found, dict) and canonical(found) + b"\n" == line else {}
    except (ValueError, RecursionError):
        return {}
