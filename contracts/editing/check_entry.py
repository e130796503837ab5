"""Serialize a check as an ODCS quality entry."""

import re
from collections.abc import Mapping
from typing import Any

from treaty.contracts.assertions import DetectorLimit, ReferenceLimit
from treaty.contracts.document.model import ContractCheck
from treaty.contracts.fingerprint import fingerprint


def entry_for(check: ContractCheck) -> dict[str, Any]:
    """Return the quality entry of type custom, engine treaty, that is equivalent to the check.

    Used for checks that come from keywords of a column and have no entry of their own."""
    words: dict[str, Any] = {"analyzer": check.analyzer, **check.arguments}
    if check.where is not None:
        words["where"] = check.where
    if check.scope is not None:
        words["scope"] = check.scope
    if check.assertion is not None:
        words[check.assertion.operator] = _limit(check.assertion.limit)
    entry = {"id": check.id, "name": check.name, "type": "custom", "engine": "treaty", "severity": check.severity}
    dimension = {"dimension": check.dimension} if check.dimension else {}
    return {**entry, **dimension, "implementation": words}


def _limit(limit: Any) -> Any:
    if isinstance(limit, tuple):
        return [_limit(each) for each in limit]
    if isinstance(limit, ReferenceLimit):
        return {"dataset": limit.dataset, "analyzer": limit.analyzer, **limit.arguments}
    if isinstance(limit, DetectorLimit):
        return {"detector": limit.detector, **limit.arguments}
    return limit


def check(
    check_id: str, name: str, dimension: str, implementation: Mapping[str, Any], *, scope: str = "delta"
) -> dict[str, Any]:
    """Return the quality entry of a check; its scope defaults to the partitions that arrived."""
    words = {"id": _slug(check_id), "name": name, "type": "custom", "engine": "treaty", "dimension": dimension}
    return {**words, "implementation": {**implementation, "scope": scope}}


def _slug(text: str) -> str:
    """Return the text as letters, digits and dashes.

    If characters were replaced, digits of the text's fingerprint make the result unique."""
    slug = re.sub(r"[^A-Za-z0-9_-]", "-", text)
    return slug if slug == text else f"{slug}-{fingerprint(text)[:6]}"
