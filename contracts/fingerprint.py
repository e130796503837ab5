"""Fingerprints: the same identity for equal content, regardless of layout."""

import hashlib
import json
from typing import Any


def canonical(content: Any) -> bytes:
    """Return the canonical JSON of plain data: sorted keys, no blanks, UTF-8.

    Raises ValueError for NaN and infinities."""
    return json.dumps(content, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False).encode()


def fingerprint(content: Any) -> str:
    """Return the sha256 (64 hex digits) of the canonical JSON of plain data."""
    return hashlib.sha256(canonical(content)).hexdigest()


def short_fingerprint(content: Any) -> str:
    """Return the first 16 hex digits of the fingerprint: enough to identify one of some millions."""
    return fingerprint(content)[:16]
