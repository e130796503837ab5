"""What the processes say while they work: lines for people, or JSON lines for programs, with what each is about.

Ids go along from a request to the event that it brought, to its run, its task and its verdict: of these each line
names what it knows. Lines hold no data and no secrets; of an unexpected error JSON lines say its kind and where it
was raised, since its text could hold either."""

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
    """All that is said meanwhile in this thread or task names these fields; those that are None are left out."""
    token = _about.set({**_about.get(), **_texts(fields)})
    try:
        yield
    finally:
        _about.reset(token)


def log_event(log: logging.Logger, message: str, **fields: object) -> None:
    """Says that something was done, with fields of its own; those that are None are left out."""
    log.info("%s", message, extra={FIELDS: _texts(fields)})


def configure(form: str) -> None:
    """Has this process say what it does on its standard error: as lines of text, or as "json" lines."""
    out = logging.StreamHandler(sys.stderr)
    out.setFormatter(JsonFormatter() if form == "json" else TextFormatter(PLAIN))
    logging.basicConfig(level=logging.WARNING, handlers=[out], force=True)
    for name in NAMED:
        logging.getLogger(name).setLevel(logging.INFO)


class TextFormatter(logging.Formatter):
    """A line for people, with the fields at its end."""

    def formatMessage(self, record: logging.LogRecord) -> str:  # noqa: N802 - the name is the base's
        """The line, before any traceback."""
        told = "".join(f" {name}={value}" for name, value in _fields(record).items())
        return super().formatMessage(record) + told


class JsonFormatter(logging.Formatter):
    """A line of JSON."""

    def format(self, record: logging.LogRecord) -> str:
        """The record with its fields; of an error its kind and where it was raised."""
        told = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
        }
        return json.dumps({**_fields(record), **told, **_raised(record.exc_info)}, ensure_ascii=False)


def _fields(record: logging.LogRecord) -> Mapping[str, str]:
    return {**_about.get(), **getattr(record, FIELDS, {})}


def _raised(error: Any) -> dict[str, Any]:
    if not error or error[0] is None:
        return {}
    frames = traceback.extract_tb(error[2])
    return {"error": error[0].__name__, "raised": [f"{each.filename}:{each.lineno} {each.name}" for each in frames]}


def _texts(fields: Mapping[str, object]) -> dict[str, str]:
    return {name: str(value) for name, value in fields.items() if value is not None}
