"""OpenLineage events for tests: small ones made to measure, and the real ones of the shared data."""

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from support.required import shared

from treaty.engine.core import clock

RUN = "0197c0de-0000-7000-8000-000000000001"
PRODUCER = "https://github.com/OpenLineage/OpenLineage/tree/1.38.0/integration/spark"
SCHEMA = "https://openlineage.io/spec/2-0-2/OpenLineage.json#/$defs/RunEvent"


def output(path: str = "/data/orders", namespace: str = "file", **facets: Mapping[str, Any]) -> dict[str, Any]:
    """A dataset as a job writes it."""
    return {"namespace": namespace, "name": path, "facets": facets}


def event(
    kind: str | None = "COMPLETE",
    *outputs: Mapping[str, Any],
    run: str = RUN,
    at: str = "2026-03-01T12:00:00Z",
    job: str = "load_orders",
    namespace: str = "shop",
    **more: Any,
) -> dict[str, Any]:
    """A run event; one output, the orders, unless others are given."""
    return {
        "eventType": kind,
        "eventTime": at,
        "producer": PRODUCER,
        "schemaURL": SCHEMA,
        "run": {"runId": run, "facets": {}},
        "job": {"namespace": namespace, "name": job, "facets": {}},
        "inputs": [],
        "outputs": list(outputs) or [output()],
        **more,
    }


def just_now() -> str:
    """A time for events that a service with a real clock shall look at: it does not look at old ones."""
    return clock.now().isoformat()


def body(document: Any) -> bytes:
    """What a producer would send."""
    return json.dumps(document).encode()


def processing(kind: str) -> dict[str, Any]:
    """The facet that says how a job works: BATCH, STREAMING or SERVICE."""
    return {"jobType": {"processingType": kind, "integration": "SPARK"}}


def real() -> Sequence[tuple[str, bytes]]:
    """(name, body) of every real event of the shared data."""
    folder = shared("data", "openlineage", "events")
    return sorted(_files(folder))


def _files(folder: Path) -> Iterator[tuple[str, bytes]]:
    return ((f"{path.parent.name}/{path.name}", path.read_bytes()) for path in folder.glob("*/*.json"))
