"""OpenLineage events as they arrive: a tolerant envelope that decides what is an event, and the copy that is kept."""

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

HEAVY = frozenset({"spark.logicalPlan", "spark_unknown", "debug", "environmentVariables"})
FACET_LIMIT = 256 * 1024
# What is read of an event is kept whatever its size: a wide table has a large schema.
KEPT_FACETS = frozenset({"schema", "columnLineage", "lineage", "symlinks", "subset", "parent"})
_HEAVY = tuple(f'"{each}"'.encode() for each in HEAVY)
_INSTANT = re.compile(r"\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d.*?(\[[\w/+-]+\])?")


class NotJson(Exception):
    """The body is not JSON."""


class NotAnEvent(Exception):
    """The body is JSON, but no OpenLineage event."""

    def __init__(self, faults: tuple[Fault, ...]) -> None:
        self.faults = faults
        super().__init__("\n".join(str(fault) for fault in faults))


def _facets(value: Any) -> Any:
    return {name: facet for name, facet in value.items() if isinstance(facet, dict)} if isinstance(value, dict) else {}


def _instant(value: Any) -> datetime:
    match = _INSTANT.fullmatch(value) if isinstance(value, str) else None
    if match is None:
        raise ValueError("not a date with a time")
    try:
        instant = datetime.fromisoformat(value.removesuffix(match[1] or ""))
        return instant.astimezone(UTC) if instant.tzinfo else instant
    except OverflowError:
        raise ValueError("outside the calendar") from None


def is_dataset(value: Any) -> bool:
    """Whether it names a dataset."""
    return isinstance(value, dict) and all(_is_text(value.get(each)) for each in ("namespace", "name"))


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and bool(value.strip()) and "\x00" not in value


def _named(value: Any) -> Any:
    """Of a list those that name a dataset: what else is in it spoils neither them nor the event."""
    return [each for each in value if is_dataset(each)] if isinstance(value, list) else []


Text = Annotated[str, Field(min_length=1, pattern=r"^[^\x00]*[^\x00\s][^\x00]*$")]
Facets = Annotated[dict[str, dict[str, Any]], BeforeValidator(_facets)]
Instant = Annotated[datetime, BeforeValidator(_instant)]


class OpenLineageModel(BaseModel):
    model_config = ConfigDict(extra="allow", frozen=True)


class OpenLineageDataset(OpenLineageModel):
    """A dataset that a job read or wrote. Facets that are no objects are left out."""

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
    """A run of a job. The id is any text: not every producer writes a UUID."""

    id: Text = Field(alias="runId")
    facets: Facets = {}


Datasets = Annotated[tuple[OpenLineageDataset, ...], BeforeValidator(_named)]


class EventEnvelope(OpenLineageModel):
    event_time: Instant = Field(alias="eventTime")
    producer: str | None = None


class JobEvent(EventEnvelope):
    """What a job reads and writes, told without a run."""

    job: OpenLineageJob
    inputs: Datasets = ()
    outputs: Datasets = ()


class RunEvent(JobEvent):
    """A step in the life of a run; `type` in capitals, None where the producer gave none."""

    type: Annotated[str | None, BeforeValidator(lambda word: word.upper() if isinstance(word, str) else None)] = Field(
        None, alias="eventType"
    )
    run: OpenLineageRun


class DatasetEvent(EventEnvelope):
    """What a dataset is, told without a job."""

    dataset: OpenLineageDataset


@dataclass(frozen=True)
class LineageEvent:
    """An event: its envelope, its plain data and the canonical JSON of all of these.

    `naive_time`: the producer gave no zone, UTC was taken."""

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
        """The same event, told at another time."""
        return replace(self, content=self.content.model_copy(update={"event_time": time}))

    @property
    def run(self) -> RunEvent | None:
        """The envelope of a run event; None for events of jobs and datasets."""
        return self.content if isinstance(self.content, RunEvent) else None

    @cached_property
    def key(self) -> str:
        """sha256 (hex) of the canonical JSON: equal for the same event in another layout."""
        return hashlib.sha256(self.body).hexdigest()

    def stored_bytes(self) -> bytes:
        """The canonical JSON of the event without its heavy facets, fit to be stored."""
        large = len(self.body) > FACET_LIMIT
        if not large and not any(each in self.body for each in _HEAVY):
            return self.body
        return canonical(_lighter(self.document, check_size=large))


def parse(body: bytes) -> LineageEvent:
    """The event in a request's body. Raises NotJson, or NotAnEvent with all its faults."""
    return parse_event(plain(body))


def parse_event(document: Any) -> LineageEvent:
    """The event in plain data. Raises NotAnEvent with all its faults, NotJson for texts that no JSON can hold."""
    if not isinstance(document, dict):
        raise NotAnEvent(
            (
                Fault(
                    code="event.object",
                    where="event",
                    message="is not a JSON object",
                    remedy="send one event a request",
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
    """The plain data in a body. Raises NotJson, also for numbers that no JSON can hold."""
    try:
        return json.loads(body, parse_constant=_refuse)
    except (ValueError, RecursionError) as error:
        raise NotJson(f"the body is not JSON: {_reason(error)}") from None


def _written(document: Mapping[str, Any]) -> bytes:
    try:
        return canonical(document)
    except (ValueError, RecursionError) as error:
        raise NotJson(f"the body is not JSON: {_reason(error)}") from None


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is no JSON number")


def _reason(error: Exception) -> str:
    """Why the text could not be read, without quoting it."""
    if isinstance(error, json.JSONDecodeError):
        return f"{error.msg} at line {error.lineno}, column {error.colno}."
    return "it is nested too deeply." if isinstance(error, RecursionError) else "a text or number in it cannot be read."


def _kind(document: Mapping[str, Any]) -> type[RunEvent | JobEvent | DatasetEvent]:
    if "run" in document or document.get("eventType"):
        return RunEvent
    if "dataset" in document and "job" not in document:
        return DatasetEvent
    return JobEvent


def _fault(where: tuple[int | str, ...], kind: str) -> Fault:
    path = ".".join(str(step) for step in where)
    if kind == "missing":
        return Fault(code="event.missing", where=path, message="is missing", remedy="OpenLineage requires it")
    remedy = "send a date with a time and a zone, such as 2026-11-20T08:30:00Z" if path == "eventTime" else ""
    return Fault(
        code="event.form", where=path, message="does not have the form that OpenLineage gives it", remedy=remedy
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
    """How many bytes the facet has as canonical JSON."""
    return len(canonical(facet))


def _light(facets: Mapping[str, Any], *, check_size: bool) -> dict[str, Any]:
    kept = {name: facet for name, facet in facets.items() if name not in HEAVY}
    large = (name for name in kept.keys() - KEPT_FACETS if check_size and size(kept[name]) > FACET_LIMIT)
    gone = frozenset(large)
    return {name: facet for name, facet in kept.items() if name not in gone}
