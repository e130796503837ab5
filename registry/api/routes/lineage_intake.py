"""Routes that receive lineage events, compatible with Marquez. The status 201 means that an event is stored."""

import asyncio
import json
import logging
import zlib
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from typing import Any, Literal

from anyio import CapacityLimiter, to_thread
from fastapi import Request, Response
from fastapi.concurrency import run_in_threadpool
from pydantic import BaseModel
from sqlalchemy.exc import SQLAlchemyError
from starlette.exceptions import HTTPException

from treaty.contracts.errors import Fault
from treaty.engine.core import clock
from treaty.registry.access.authentication import Principal
from treaty.registry.api.http import metrics
from treaty.registry.api.http.admission import admission, admission_router, event_body
from treaty.registry.api.http.dependencies import Service, bearer, service
from treaty.registry.api.http.lineage_senders import SENDER, LineageSender, authenticate_sender
from treaty.registry.api.http.problems import problem
from treaty.registry.core import gzip_bodies, ids, logs
from treaty.registry.core.database import transaction
from treaty.registry.lineage.events import event_store, model
from treaty.registry.lineage.events.event_store import EventRejection, ReceivedEvent
from treaty.registry.lineage.events.model import LineageEvent, NotAnEvent, NotJson
from treaty.registry.lineage.events.receiver import IntakeOverloaded, UnstorableEvent

router = admission_router(prefix="/lineage", tags=["lineage"])
log = logging.getLogger("treaty.api")
SMALL = 64 * 1024
# Large bodies that are parsed at once: each takes several times its size in memory.
MOST_LARGE = 4
PLAIN, ZIPPED = frozenset({"", "identity"}), frozenset({"gzip", "x-gzip"})
CHAINED = "The body is encoded more than once. Send it uncompressed or as gzip."
UNKNOWN = "The content encoding is not supported. Send the body uncompressed or as gzip."
NOT_GZIP = "The body is not valid gzip, although the Content-Encoding header says so."
TOO_LONG = "The body is larger than {:,} bytes uncompressed, or more than {} times as large as it was sent."
FULL = "The event could not be stored. Send it again."


class EventRejected(Exception):
    """The event body is rejected."""

    def __init__(self, refusal: EventRejection, faults: Sequence[Fault] = ()) -> None:
        self.refusal, self.faults = refusal, faults
        super().__init__(refusal.reason)


@dataclass(frozen=True)
class ParsedBatch:
    """A parsed request: events to store, the response once they are, and rejected events."""

    answer: Response
    arrivals: Sequence[ReceivedEvent]
    rejections: Sequence[EventRejection] = ()


class BatchSummaryOut(BaseModel):
    """Number of events in a batch by result.

    - `received`: number of events in the batch.
    - `successful`: number of accepted events.
    - `failed`: number of rejected events.
    - `retriable`: number of rejected events that may be accepted if sent again; always 0.
    - `non_retriable`: number of rejected events that would be rejected again."""

    received: int
    successful: int
    failed: int
    retriable: int = 0
    non_retriable: int


class FailedEventOut(BaseModel):
    """A rejected event of a batch. Sending it again does not help.

    - `index`: position in the batch, starting at 0.
    - `reason`: why the event was rejected.
    - `retriable`: whether the event may be accepted if sent again; always false."""

    index: int
    reason: str
    retriable: bool = False


class BatchOut(BaseModel):
    """The response to a batch, in the format of OpenLineage.

    - `status`: whether all events were accepted, or only some.
    - `summary`: number of events by result.
    - `failed_events`: the rejected events."""

    status: Literal["success", "partial_success"]
    summary: BatchSummaryOut
    failed_events: list[FailedEventOut]


EVENTS = admission(authenticate=authenticate_sender, body=event_body, is_plain=False)
# An injected dependency would take a tenth of the time of an event.
SECURED: dict[str, Any] = {"security": [{bearer.scheme_name: []}]}


@router.post("", status_code=201, response_class=Response, openapi_extra=SECURED)
@EVENTS
async def receive(request: Request) -> Response:
    """Store an OpenLineage event and respond 201. A duplicate has no effect. Otherwise the response contains the
    reason."""
    return await _answered(request, batch=False)


@router.post("/batch", response_model=BatchOut, openapi_extra=SECURED)
@EVENTS
async def receive_batch(request: Request) -> Response:
    """Store the valid events of an array in one transaction and report the rejected ones."""
    return await _answered(request, batch=True)


async def _answered(request: Request, *, batch: bool) -> Response:
    by: LineageSender = request.scope[SENDER]
    shared, who = await service(request), by.who
    encoding = request.headers.get("content-encoding", "").strip().lower()
    try:
        body = await request.body()
        parsed = await _parsed(_take_batch if batch else _take, shared, who, body, encoding)
        await asyncio.wrap_future(request.app.state.receiver.put(parsed.arrivals, by.permit))
        _note_kept(request, [each.key for each in parsed.arrivals])
        await _refuse(request, who, parsed.rejections)
        return parsed.answer
    except EventRejected as error:
        await _refuse(request, who, [error.refusal])
        return problem(error.refusal.status, "Refused", error.refusal.reason, faults=error.faults)
    except HTTPException as error:
        await _refuse(request, who, [EventRejection(error.status_code, error.detail, b"")])
        raise
    except UnstorableEvent as error:
        return problem(422, "Refused", error.message)
    except IntakeOverloaded as error:
        request.app.state.events.labels("overloaded").inc()
        return problem(503, "Overloaded", error.message)
    except SQLAlchemyError:
        return problem(503, "Unavailable", FULL)


async def _parsed(
    take: Callable[[Service, Principal, bytes, str], ParsedBatch],
    shared: Service,
    who: Principal,
    body: bytes,
    encoding: str,
) -> ParsedBatch:
    """Parse a small body directly: a thread would take longer than that. Few large ones are parsed at once."""
    if len(body) <= SMALL and encoding in PLAIN:
        return take(shared, who, body, encoding)
    return await to_thread.run_sync(take, shared, who, body, encoding, limiter=_large_bodies())


@cache
def _large_bodies() -> CapacityLimiter:
    return CapacityLimiter(MOST_LARGE)


async def _refuse(request: Request, who: Principal, refusals: Sequence[EventRejection]) -> None:
    if refusals:
        request.app.state.events.labels("rejected").inc(len(refusals))
        await run_in_threadpool(_keep_refusals, await service(request), who, refusals)


def _note_kept(request: Request, keys: Sequence[str]) -> None:
    """Count the stored events and log their keys. A single event is logged with its request."""
    request.app.state.events.labels("stored").inc(len(keys))
    if len(keys) == 1:
        request.scope[metrics.NOTED] = {"event_key": keys[0]}
        return
    for each in keys:
        logs.log_event(log, "event kept", event_key=each)


def _take(shared: Service, who: Principal, sent: bytes, encoding: str) -> ParsedBatch:
    body = _unpacked(sent, encoding, shared.settings.max_event_bytes)
    try:
        event = model.parse(body)
    except NotJson as error:
        raise EventRejected(EventRejection(400, str(error), body)) from None
    except NotAnEvent as error:
        raise EventRejected(
            EventRejection(422, f"Not a valid OpenLineage event: {error}", body), error.faults
        ) from None
    return ParsedBatch(Response(status_code=201), [_arrival(who, event, body)])


def _take_batch(shared: Service, who: Principal, sent: bytes, encoding: str) -> ParsedBatch:
    body = _unpacked(sent, encoding, shared.settings.max_event_bytes)
    arrivals: list[ReceivedEvent] = []
    failed: list[FailedEventOut] = []
    refusals: list[EventRejection] = []
    documents = _documents(body, shared.settings.max_batch_events)
    for index, document in enumerate(documents):
        try:
            event = model.parse_event(document)
            arrivals.append(_arrival(who, event, event.body))
        except (NotAnEvent, NotJson) as error:
            failed.append(FailedEventOut(index=index, reason=str(error)))
            refusals.append(EventRejection(422, f"Event {index} of a batch: {error}", json.dumps(document).encode()))
    summary = BatchSummaryOut(
        received=len(documents), successful=len(arrivals), failed=len(failed), non_retriable=len(failed)
    )
    answer = BatchOut(status="partial_success" if failed else "success", summary=summary, failed_events=failed)
    return ParsedBatch(Response(answer.model_dump_json(), media_type="application/json"), arrivals, refusals)


def _arrival(who: Principal, event: LineageEvent, body: bytes) -> ReceivedEvent:
    return event_store.arrival(event, body, producer=who.name, now=clock.now(), event_id=ids.new())


def _documents(body: bytes, most: int) -> list[object]:
    try:
        documents = model.plain(body)
    except NotJson as error:
        raise EventRejected(EventRejection(400, str(error), body)) from None
    if not isinstance(documents, list):
        raise EventRejected(
            EventRejection(422, "A batch must be a JSON array of events. Send single events to /lineage.", body)
        )
    if len(documents) > most:
        raise EventRejected(
            EventRejection(413, f"The batch has more than {most:,} events. Send several batches.", body)
        )
    return documents


def _unpacked(sent: bytes, encoding: str, most: int) -> bytes:
    """Return the uncompressed body, at most `most` bytes."""
    if encoding in PLAIN:
        return sent
    if encoding not in ZIPPED:
        chained = "," in encoding
        raise EventRejected(EventRejection(400 if chained else 415, CHAINED if chained else UNKNOWN, sent))
    try:
        return gzip_bodies.inflate(sent, most)
    except gzip_bodies.InflatedTooLarge:
        reason = TOO_LONG.format(most, gzip_bodies.MAX_RATIO)
        raise EventRejected(EventRejection(413, reason, sent)) from None
    except (zlib.error, EOFError):
        raise EventRejected(EventRejection(400, NOT_GZIP, sent)) from None


def _keep_refusals(shared: Service, who: Principal, refusals: Sequence[EventRejection]) -> None:
    """Store the rejected events if possible; the response does not depend on it."""
    with suppress(SQLAlchemyError), transaction(shared.engine) as tx:
        for refusal in refusals:
            event_store.reject(tx, refusal, producer=who.name, now=clock.now(), event_id=ids.new())
        tx.commit()
