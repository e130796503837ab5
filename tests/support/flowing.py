"""Jobs that read and write datasets, as lineage events tell of them, for tests of the graph."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID, uuid5

from sqlmodel import Session
from support.events import PRODUCER, body, event

from treaty.registry.core import ids
from treaty.registry.lineage.events import event_store
from treaty.registry.lineage.events.model import parse
from treaty.registry.worker.intake import event_processing

START = datetime(2026, 3, 1, 12, tzinfo=UTC)
SPACE = UUID(int=7)
LEASE = timedelta(minutes=1)
Fields = Mapping[str, Sequence[tuple[str, str]]]


def minute(at: float) -> datetime:
    """That many minutes after noon."""
    return START + timedelta(minutes=at)


def dataset(path: str, **facets: Any) -> dict[str, Any]:
    """A dataset in the lake."""
    return {"namespace": "file", "name": f"/lake/{path}", "facets": facets}


def columns(fields: Fields, *whole: tuple[str, str]) -> dict[str, Any]:
    """The facet by which columns are fed: `{"total": [("orders", "amount")]}`; `whole` decide about every row."""
    told = {name: {"inputFields": [_field(*each) for each in fed]} for name, fed in fields.items()}
    indirect = [{**_field(*each), "transformations": [{"type": "INDIRECT", "subtype": "FILTER"}]} for each in whole]
    return {"columnLineage": {"_producer": PRODUCER, "_schemaURL": "x", "fields": told, "dataset": indirect}}


def _field(path: str, column: str) -> dict[str, Any]:
    return {"namespace": "file", "name": f"/lake/{path}", "field": column}


def step(
    job: str, kind: str | None, at: float, run: int | str = 1, *, reads: Iterable[Any] = (), writes: Iterable[Any] = (),
    namespace: str = "shop", **more: Any,
) -> dict[str, Any]:  # fmt: skip
    """An event of a run of the job; datasets by their paths, or whole."""
    made = event(kind, at=minute(at).isoformat(), run=str(uuid5(SPACE, f"{job}/{run}")), job=job, namespace=namespace)
    return {**made, "inputs": _datasets(reads), "outputs": _datasets(writes), **more}


def ran(job: str, began: float, ended: float, run: int | str = 1, **told: Any) -> list[dict[str, Any]]:
    """The two events of a run that completed."""
    return [step(job, "START", began, run, **told), step(job, "COMPLETE", ended, run, **told)]


def _datasets(given: Iterable[Any]) -> list[Any]:
    return [dataset(each) if isinstance(each, str) else each for each in given]


def take_in(session: Session, *documents: Mapping[str, Any]) -> None:
    """Folds the events as a worker does, each at its own time, in the caller's transaction."""
    for each in documents:
        raw, now = body(each), datetime.fromisoformat(each["eventTime"])
        event_store.accept(session, parse(raw), raw, producer="spark", now=now, event_id=ids.new())
        while waiting := event_store.claim(session, worker="w", now=now, lease=LEASE, most=1):
            parsed = event_processing.parse_events(waiting)
            event_processing.process_events(session, waiting, parsed, now=now, ids=ids.new)
            session.flush()
