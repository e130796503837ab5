"""What is not as OpenLineage wants it is told, in words without values, and taken all the same."""

import json
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.events import body, event, output, real

from treaty.registry.lineage.events.diagnostics import MOST, diagnose
from treaty.registry.lineage.events.model import FACET_LIMIT, NotAnEvent, parse

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
SIGNED = {"_producer": "https://a.example", "_schemaURL": "https://b.example"}


def told(document: dict[str, Any]) -> list[str]:
    return diagnose(parse(body(document)), NOON)


def test_an_event_as_it_should_be_has_nothing_to_tell() -> None:
    signed = output(schema={**SIGNED, "fields": []})
    assert told(event("COMPLETE", signed)) == []


@pytest.mark.parametrize(
    ("part", "expected"),
    [
        ({"eventTime": "2026-03-01T12:00:00"}, "eventTime has no time zone"),
        ({"eventTime": "2026-03-01T12:11:00Z"}, "in the future"),
        ({"producer": None}, "producer is missing"),
        ({"schemaURL": None}, "schemaURL is missing"),
        ({"schemaURL": "https://openlineage.io/spec/2-0-2/OpenLineage.json#/$defs/JobEvent"}, "read as a RunEvent"),
        ({"eventType": None}, "eventType is missing"),
        ({"eventType": "DONE"}, "not defined by OpenLineage"),
        ({"run": {"runId": "run 7"}}, "not a UUID"),
        ({"outputs": "all"}, "outputs is not a list"),
        ({"outputs": [{"namespace": "file"}]}, "outputs[0] lacks a namespace or name"),
        ({"outputs": [output(schema=None)]}, "outputs[0].facets.schema is not an object"),
        ({"outputs": [output(schema={"_producer": "x"})]}, "outputs[0].facets.schema lacks _schemaURL"),
        ({"outputs": [output(debug=SIGNED)]}, "outputs[0].facets.debug was not stored"),
        ({"outputs": [output(big=SIGNED | {"t": "x" * FACET_LIMIT})]}, "outputs[0].facets.big was not stored"),
        ({"job": {"namespace": "a", "name": "b", "facets": {"sql": 7}}}, "job.facets.sql is not an object"),
    ],
)
def test_what_was_taken_otherwise_than_it_was_sent_is_told(part: dict[str, Any], expected: str) -> None:
    (line,) = told(event("COMPLETE", output()) | part)
    assert expected in line


def test_a_schema_url_of_an_older_spec_is_as_good() -> None:
    older = "https://openlineage.io/spec/1-0-2/OpenLineage.json#/definitions/RunEvent"
    assert told(event() | {"schemaURL": older}) == []


def test_of_many_diagnostics_the_first_are_told_and_how_many_more_there_are() -> None:
    lines = told(event() | {"outputs": [{} for _ in range(1000)]})
    assert (len(lines), lines[-1]) == (MOST + 1, f"and {1000 - MOST} more")


@given(st.text(min_size=1, max_size=300), st.text(min_size=1))
def test_no_value_of_a_facet_is_told(name: str, value: str) -> None:
    secret = f"hunter2-{value}"
    document = event("COMPLETE", output(**{name: {"text": secret}}))
    assert not any("hunter2-" in line for line in told(document))


def test_every_real_event_can_be_diagnosed() -> None:
    for _, raw in real():
        try:
            found = parse(raw)
        except NotAnEvent:
            continue
        assert json.dumps(diagnose(found, NOON))
