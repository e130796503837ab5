"""Log as text lines or JSON lines, with the ids of the current context.

Ids pass from a request to its event, and on to the run, task and verdict; each line has those that are known. Lines
contain no data and no secrets: for unexpected errors, JSON lines have only the class and the stack frames, because
the message could contain either."""

import json
import logging
import sys
import traceback
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import UTC, datetime
from typing import Any

NAMED = ("treaty", "uvicorn")
PLAIN = "%(asctime)s %(name)s %(levelname)s %(message)s"
FIELDS = "fields"
_about: ContextVar[Mapping[str, str]] = ContextVar("treaty_log_fields", default={})  # noqa: B039 - never changed


@contextmanager
def log_fields(**fields: object) -> Iterator[None]:
    """Add fields to every line logged meanwhile in this thread or task; None values are omitted."""
    token = _about.set({**_about.get(), **_texts(fields)})
    try:
        yield
    finally:
        _about.reset(token)


def log_event(log: logging.Logger, message: str, **fields: object) -> None:
    """Log an event at level INFO with additional fields; None values are omitted."""
    log.info("%s", message, extra={FIELDS: _texts(fields)})


def configure(form: str) -> None:
    """Configure logging of this process to standard error.

    `form`: "json" for JSON lines; anything else for text."""
    out = logging.StreamHandler(sys.stderr)
    out.setFormatter(JsonFormatter() if form == "json" else TextFormatter(PLAIN))
    logging.basicConfig(level=logging.WARNING, handlers=[out], force=True)
    for name in NAMED:
        logging.getLogger(name).setLevel(logging.INFO)


class TextFormatter(logging.Formatter):
    """A text line with the fields at its end."""

    def formatMessage(self, record: logging.LogRecord) -> str:  # noqa: N802 - the base class defines this name
        """Return the line without any traceback."""
        suffix = "".join(f" {name}={value}" for name, value in _fields(record).items())
        return super().formatMessage(record) + suffix


class JsonFormatter(logging.Formatter):
    """A line of JSON."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the record and its fields as JSON; for an error, its class and stack frames."""
        entry = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
        }
        return json.dumps({**_fields(record), **entry, **_raised(record.exc_info)}, ensure_ascii=False)


def _fields(record: logging.LogRecord) -> Mapping[str, str]:
    return {**_about.get(), **getattr(record, FIELDS, {})}


def _raised(error: Any) -> dict[str, Any]:
    if not error or error[0] is None:
        return {}
    frames = traceback.extract_tb(error[2])
    return {"error": error[0].__name__, "raised": [f"{each.filename}:{each.lineno} {each.name}" for each in frames]}


def _texts(fields: Mapping[str, object]) -> dict[str, str]:
    return {name: str(value) for name, value in fields.items() if value is not None}
