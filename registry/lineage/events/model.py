"""Parse OpenLineage events with a tolerant envelope, and reduce them for storage."""

import hashlib
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import cached_property
from typing import Annotated, Any, NoReturn

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from treaty.contracts.errors import Fault
from treaty.contracts.fingerprint import canonical
from treaty.registry.core import json_text
from treaty.registry.core.json_text import JsonTooComplex

HEAVY = frozenset({"spark.logicalPlan", "spark_unknown", "debug", "environmentVariables"})
# Values of a body of the largest size, such as a batch of events of wide tables, and levels of nesting.
MAX_VALUES, MAX_DEPTH = 2_000_000, 500
FACET_LIMIT = 256 * 1024
# Facets that Treaty reads are stored whatever their size: a wide table has a large schema.
KEPT_FACETS = frozenset({"schema", "columnLineage", "lineage", "symlinks", "subset", "parent"})
_HEAVY = tuple(f'"{each}"'.encode() for each in HEAVY)
_INSTANT = re.compile(r"\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d.*?(\[[\w/+-]+\])?")


class NotJson(Exception):
    """The body is not JSON."""


class NotAnEvent(Exception):
    """The body is JSON, but not an OpenLineage event. `faults`: all faults found."""

    def __init__(self, faults: tuple[Fault, ...]) -> None:
        self.faults = faults
        super().__init__("\n".join(str(fault) for fault in faults))


def _facets(value: Any) -> Any:
    return {name: facet for name, facet in value.items() if isinstance(facet, dict)} if isinstance(value, dict) else {}


def _instant(value: Any) -> datetime:
    match = _INSTANT.fullmatch(value) if isinstance(value, str) else None
    if match is None:
        raise ValueError("expected a date with a time")
    try:
        instant = datetime.fromisoformat(value.removesuffix(match[1] or ""))
        return instant.astimezone(UTC) if instant.tzinfo else instant
    except OverflowError:
        raise ValueError("the date is out of range") from None


def is_dataset(value: Any) -> bool:
    """Return whether the value names a dataset."""
    return isinstance(value, dict) and all(_is_text(value.get(each)) for each in ("namespace", "name"))


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and bool(value.strip()) and "\x00" not in value


def _named(value: Any) -> Any:
    """Return the items of a list that name a dataset. Other items are ignored without rejecting the event."""
    return [each for each in value if is_dataset(each)] if isinstance(value, list) else []


Text = Annotated[str, Field(min_length=1, pattern=r"^[^\x00]*[^\x00\s][^\x00]*$")]
Facets = Annotated[dict[str, dict[str, Any]], BeforeValidator(_facets)]
Instant = Annotated[datetime, BeforeValidator(_instant)]


class OpenLineageModel(BaseModel):
    model_config = ConfigDict(extra="allow", frozen=True)


class OpenLineageDataset(OpenLineageModel):
    """A dataset read or written by a job. Facets that are not objects are dropped."""

    namespace: Text
    name: Text
    facets: Facets = {}
    input_facets: Facets = Field({}, alias="inputFacets")
    output_facets: Facets = Field({}, alias="outputFacets")


class OpenLineageJob(OpenLineageModel):
    namespace: Text
    name: Text
    facets: Facets = {}


class OpenLineageRun(OpenLineageModel):
    """A run of a job. The id may be any text because not every producer sends a UUID."""

    id: Text = Field(alias="runId")
    facets: Facets = {}


Datasets = Annotated[tuple[OpenLineageDataset, ...], BeforeValidator(_named)]


class EventEnvelope(OpenLineageModel):
    event_time: Instant = Field(alias="eventTime")
    producer: str | None = None


class JobEvent(EventEnvelope):
    """Inputs and outputs of a job, reported without a run."""

    job: OpenLineageJob
    inputs: Datasets = ()
    outputs: Datasets = ()


class RunEvent(JobEvent):
    """A state change of a run. `type`: the event type in upper case; None if the producer sent none."""

    type: Annotated[str | None, BeforeValidator(lambda word: word.upper() if isinstance(word, str) else None)] = Field(
        None, alias="eventType"
    )
    run: OpenLineageRun


class DatasetEvent(EventEnvelope):
    """Metadata of a dataset, reported without a job."""

    dataset: OpenLineageDataset


@dataclass(frozen=True)
class LineageEvent:
    """An event: its envelope, its JSON document and the canonical JSON of the document.

    `naive_time`: the producer sent no time zone; UTC is assumed."""

    content: RunEvent | JobEvent | DatasetEvent
    document: Mapping[str, Any]
    body: bytes

    @property
    def naive_time(self) -> bool:
        return self.content.event_time.tzinfo is None

    @property
    def event_time(self) -> datetime:
        return self.content.event_time.replace(tzinfo=UTC)

    def at(self, time: datetime) -> "LineageEvent":
        """Return the same event with another event time."""
        return replace(self, content=self.content.model_copy(update={"event_time": time}))

    @property
    def run(self) -> RunEvent | None:
        """Return the envelope of a run event; None for job and dataset events."""
        return self.content if isinstance(self.content, RunEvent) else None

    @cached_property
    def key(self) -> str:
        """Return the SHA-256 (hex) of the canonical JSON. The layout of the event does not affect it."""
        return hashlib.sha256(self.body).hexdigest()

    def stored_bytes(self) -> bytes:
        """Return the canonical JSON to store, without heavy facets.

        Heavy facets are debugging facets, and facets above 256 KiB that Treaty does not read."""
        large = len(self.body) > FACET_LIMIT
        if not large and not any(each in self.body for each in _HEAVY):
            return self.body
        return canonical(_lighter(self.document, check_size=large))


def parse(body: bytes) -> LineageEvent:
    """Parse the event in a request body. Raises NotJson, or NotAnEvent with all faults."""
    return parse_event(plain(body))


def parse_event(document: Any) -> LineageEvent:
    """Validate a JSON document as an event.

    Raises NotAnEvent with all faults, or NotJson if the document contains a value that JSON cannot represent."""
    if not isinstance(document, dict):
        raise NotAnEvent(
            (
                Fault(
                    code="event.object",
                    where="event",
                    message="is not a JSON object",
                    remedy="send one event per request",
                ),
            )
        )
    whole = _written(document)
    try:
        return LineageEvent(_kind(document).model_validate(document), document, whole)
    except ValidationError as error:
        raise NotAnEvent(
            tuple(_fault(each["loc"], each["type"]) for each in error.errors(include_input=False))
        ) from None


def plain(body: bytes) -> Any:
    """Decode a JSON body. Raises NotJson, also for NaN, and for a text that would take too much memory."""
    try:
        json_text.check_size(body, max_depth=MAX_DEPTH, max_values=MAX_VALUES)
        return json.loads(body, parse_constant=_refuse)
    except JsonTooComplex as error:
        raise NotJson(f"The body is not accepted: {error}.") from None
    except (ValueError, RecursionError) as error:
        raise NotJson(f"The body is not valid JSON: {_reason(error)}") from None


def _written(document: Mapping[str, Any]) -> bytes:
    try:
        return canonical(document)
    except (ValueError, RecursionError) as error:
        raise NotJson(f"The body is not valid JSON: {_reason(error)}") from None


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is not a JSON number")


def _reason(error: Exception) -> str:
    """Return why the text could not be decoded, without quoting it."""
    if isinstance(error, json.JSONDecodeError):
        return f"{error.msg} at line {error.lineno}, column {error.colno}."
    return (
        "it is nested too deeply."
        if isinstance(error, RecursionError)
        else "it contains a text or number that cannot be decoded."
    )


def _kind(document: Mapping[str, Any]) -> type[RunEvent | JobEvent | DatasetEvent]:
    if "run" in document or document.get("eventType"):
        return RunEvent
    if "dataset" in document and "job" not in document:
        return DatasetEvent
    return JobEvent


def _fault(where: tuple[int | str, ...], kind: str) -> Fault:
    path = ".".join(str(step) for step in where)
    if kind == "missing":
        return Fault(
            code="event.missing", where=path, message="is missing", remedy="add it: OpenLineage requires this field"
        )
    remedy = "send a date with a time and a time zone, such as 2026-11-20T08:30:00Z" if path == "eventTime" else ""
    return Fault(
        code="event.form", where=path, message="does not have the format that OpenLineage defines", remedy=remedy
    )


def _lighter(document: Mapping[str, Any], *, check_size: bool) -> dict[str, Any]:
    return dict(document) | {key: _each(part, check_size=check_size) for key, part in _parts(document)}


def _parts(document: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    named = ("run", "job", "dataset", "inputs", "outputs")
    return ((key, document[key]) for key in named if document.get(key))


def _each(part: Any, *, check_size: bool) -> Any:
    if isinstance(part, list):
        return [_each(each, check_size=check_size) for each in part]
    if not isinstance(part, dict):
        return part
    groups = [key for key in ("facets", "inputFacets", "outputFacets") if isinstance(part.get(key), dict)]
    return part | {key: _light(part[key], check_size=check_size) for key in groups}


def size(facet: Any) -> int:
    """Return the size of the facet as canonical JSON, in bytes."""
    return len(canonical(facet))


def _light(facets: Mapping[str, Any], *, check_size: bool) -> dict[str, Any]:
    light = {name: facet for name, facet in facets.items() if name not in HEAVY}
    large = (name for name in light.keys() - KEPT_FACETS if check_size and size(light[name]) > FACET_LIMIT)
    gone = frozenset(large)
    return {name: facet for name, facet in light.items() if name not in gone}
