"""Send lineage events like Spark's over many connections, at scheduled times."""

import asyncio
import json
import time
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from urllib.parse import urlsplit
from uuid import UUID, uuid4

from treaty.engine.core import clock

CONNECTIONS = 256
COLUMNS = 20
# Lead time before the first event, so that it is not late already.
LEAD = 0.1
PRODUCER = "https://github.com/OpenLineage/OpenLineage/tree/1.38.0/integration/spark"
FACETS = "https://openlineage.io/spec/facets/1-0-0"
Stream = tuple[asyncio.StreamReader, asyncio.StreamWriter]


@dataclass(frozen=True)
class Sent:
    """The HTTP status of an event (0: no answer), and milliseconds since it was due."""

    status: int
    ms: float


def event(path: str, *, run: UUID | None = None, at: datetime | None = None) -> bytes:
    """Return the COMPLETE event of a run that wrote the table at that path: about 4 kB, like Spark's for an append."""
    document = {
        "eventType": "COMPLETE",
        "eventTime": (at or clock.now()).isoformat(),
        "producer": PRODUCER,
        "schemaURL": "https://openlineage.io/spec/2-0-2/OpenLineage.json#/$defs/RunEvent",
        "run": {"runId": str(run or uuid4()), "facets": {
            "parent": _facet(run={"runId": str(uuid4())}, job={"namespace": "bench", "name": "nightly"}),
            "processing_engine": _facet(version="4.2.0", name="spark", openlineageAdapterVersion="1.38.0"),
        }},
        "job": {"namespace": "bench", "name": "load.append_to_orders", "facets": {
            "jobType": _facet(processingType="BATCH", integration="SPARK", jobType="SQL_JOB"),
        }},
        "inputs": [_dataset("/lake/raw/orders")],
        "outputs": [_dataset(path, rowCount=100_000, size=1_234_567)],
    }  # fmt: skip
    return json.dumps(document).encode()


def _facet(**fields: Any) -> dict[str, Any]:
    return {"_producer": PRODUCER, "_schemaURL": FACETS, **fields}


def _dataset(path: str, **written: int) -> dict[str, Any]:
    fields = [{"name": f"column_{at}", "type": "string"} for at in range(COLUMNS)]
    facets = {
        "dataSource": _facet(name="file", uri="file"),
        "schema": _facet(fields=fields),
        "symlinks": _facet(identifiers=[{"namespace": "file:/warehouse", "name": f"db.{path[1:]}", "type": "TABLE"}]),
    }
    own = {"outputFacets": {"outputStatistics": _facet(**written)}} if written else {"inputFacets": {}}
    return {"namespace": "file", "name": path, "facets": facets, **own}


def send(address: str, token: str, bodies: Sequence[bytes], *, seconds: float) -> list[Sent]:
    """Send the events evenly over `seconds`, without waiting for earlier answers."""
    host = urlsplit(address)
    requests = [_request(str(host.netloc), token, body) for body in bodies]
    return asyncio.run(_send_all(str(host.hostname), int(host.port or 80), requests, seconds / len(bodies)))


def _request(host: str, token: str, body: bytes) -> bytes:
    head = (
        f"POST /api/v1/lineage HTTP/1.1\r\nHost: {host}\r\nAuthorization: Bearer {token}\r\n"
        f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
    )
    return head.encode() + body


async def _send_all(host: str, port: int, requests: Sequence[bytes], step: float) -> list[Sent]:
    idle: asyncio.LifoQueue[Stream] = asyncio.LifoQueue()
    for _ in range(min(CONNECTIONS, len(requests))):
        idle.put_nowait(await asyncio.open_connection(host, port))
    started, waiting = time.perf_counter() + (LEAD if len(requests) > 1 else 0), []
    for at, request in enumerate(requests):
        due = started + at * step
        await asyncio.sleep(max(0.0, due - time.perf_counter()))
        waiting.append(asyncio.create_task(_send_one(idle, request, due)))
    results = await asyncio.gather(*waiting)
    while not idle.empty():
        idle.get_nowait()[1].close()
    return list(results)


async def _send_one(idle: asyncio.LifoQueue[Stream], request: bytes, due: float) -> Sent:
    """Send an event and return its answer. Waiting for a connection counts, because a producer waits too."""
    reader, writer = stream = await idle.get()
    try:
        writer.write(request)
        status = await _answer(reader)
    except (OSError, asyncio.IncompleteReadError):
        return Sent(0, (time.perf_counter() - due) * 1000)
    idle.put_nowait(stream)
    return Sent(status, (time.perf_counter() - due) * 1000)


async def _answer(reader: asyncio.StreamReader) -> int:
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
    lines = head.split("\r\n")
    sizes = [int(line.partition(":")[2]) for line in lines if line.lower().startswith("content-length:")]
    await reader.readexactly(sum(sizes))
    return int(lines[0].split()[1])
