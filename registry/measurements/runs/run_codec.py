"""Lossless JSON encoding of runs, sent by the gate to the registry."""

import json
from datetime import date
from decimal import Decimal
from typing import Any

from pydantic import ValidationError

from treaty.engine.core.errors import StateError
from treaty.engine.core.results import RunResult

EXACT = "$decimal"


def written(run: RunResult) -> bytes:
    """Encode the run without its samples, which are rows of the table."""
    return json.dumps(run.model_dump(exclude={"samples"}), default=_plain, sort_keys=True).encode()


def read(content: bytes) -> RunResult:
    """Decode a run. Raises StateError for invalid content."""
    try:
        return RunResult.model_validate(json.loads(content, object_hook=_exact))
    except (ValueError, ValidationError, ArithmeticError):
        raise StateError("the content is not an encoded run") from None


def _plain(value: Any) -> Any:
    if isinstance(value, Decimal):
        return {EXACT: str(value)}
    if isinstance(value, date):
        return value.isoformat()
    raise TypeError(f"cannot encode a {type(value).__name__} in a run")


def _exact(document: dict[str, Any]) -> Any:
    return Decimal(document[EXACT]) if document.keys() == {EXACT} else document
