"""Report the parts of an accepted event that deviate from OpenLineage."""

from collections.abc import Iterator, Mapping
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from treaty.registry.lineage.events.model import FACET_LIMIT, HEAVY, KEPT_FACETS, LineageEvent, is_dataset, size

TYPES = frozenset({"START", "RUNNING", "COMPLETE", "ABORT", "FAIL", "OTHER"})
# A later event time indicates a wrong clock: the time of arrival is used instead.
AHEAD = timedelta(minutes=10)
REQUIRED = ("_producer", "_schemaURL")
GROUPS = ("facets", "inputFacets", "outputFacets")
# Producers choose the names: the number and length of messages must be bounded.
MOST = 20
LONGEST = 80


def diagnose(event: LineageEvent, received: datetime) -> list[str]:
    """Return a message for each deviation of the event; [] if there is none.

    Messages name parts that are missing, ignored or interpreted differently, without values. At most 20 messages are
    returned, followed by the number of further ones."""
    messages = dict.fromkeys((*_envelope(event, received), *_parts(event)))
    lines = list(messages)
    return lines if len(lines) <= MOST else [*lines[:MOST], f"and {len(lines) - MOST} more"]


def _envelope(event: LineageEvent, received: datetime) -> Iterator[str]:
    document = event.document
    if event.naive_time:
        yield "eventTime has no time zone; UTC was assumed"
    if event.event_time > received + AHEAD:
        yield "eventTime is in the future; the time of arrival was used instead"
    if not isinstance(document.get("producer"), str):
        yield "producer is missing"
    yield from _schema(document, type(event.content).__name__)
    if event.run is not None:
        yield from _run(event, document)


def _schema(document: Mapping[str, Any], kind: str) -> Iterator[str]:
    url = document.get("schemaURL")
    if not isinstance(url, str):
        yield "schemaURL is missing"
    elif "#" in url and not url.endswith(f"/{kind}"):
        yield f"schemaURL names another type; the event was read as a {kind} because of its fields"


def _run(event: LineageEvent, document: Mapping[str, Any]) -> Iterator[str]:
    assert event.run is not None
    if event.run.type is None:
        yield "eventType is missing; the event was stored but triggers no validation"
    elif event.run.type not in TYPES:
        yield "eventType is not defined by OpenLineage; the event was stored but triggers no validation"
    if not _is_uuid(event.run.run.id):
        yield "run.runId is not a UUID; it was accepted unchanged"


def _parts(event: LineageEvent) -> Iterator[str]:
    document, large = event.document, len(event.body) > FACET_LIMIT
    for name in ("run", "job", "dataset"):
        yield from _facets(name, document.get(name), large=large)
    for name in ("inputs", "outputs"):
        datasets = document.get(name)
        if datasets is not None and not isinstance(datasets, list):
            yield f"{name} is not a list; it was ignored"
        yield from _datasets(name, datasets if isinstance(datasets, list) else [], large=large)


def _datasets(name: str, several: list[Any], *, large: bool) -> Iterator[str]:
    for index, each in enumerate(several):
        if is_dataset(each):
            yield from _facets(f"{name}[{index}]", each, large=large)
        else:
            yield f"{name}[{index}] lacks a namespace or name; it was ignored"


def _facets(where: str, part: Any, *, large: bool) -> Iterator[str]:
    for group in GROUPS if isinstance(part, dict) else ():
        facets = part.get(group)
        for name, facet in facets.items() if isinstance(facets, dict) else ():
            yield from _facet(f"{where}.{group}.{name[:LONGEST]}", name, facet, large=large)


def _facet(where: str, name: str, facet: Any, *, large: bool) -> Iterator[str]:
    if not isinstance(facet, dict):
        yield f"{where} is not an object; it was ignored"
        return
    if missing := [each for each in REQUIRED if each not in facet]:
        yield f"{where} lacks {' and '.join(missing)}"
    if name in HEAVY or (large and name not in KEPT_FACETS and size(facet) > FACET_LIMIT):
        yield f"{where} was not stored: Treaty does not read it and it may be large"


def _is_uuid(text: str) -> bool:
    try:
        UUID(text)
    except ValueError:
        return False
    return True
