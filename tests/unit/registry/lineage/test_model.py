"""What counts as an event, and what is kept of it."""

import json
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.events import body, event, output, real

from treaty.registry.lineage.events.model import (
    FACET_LIMIT,
    DatasetEvent,
    JobEvent,
    LineageEvent,
    NotAnEvent,
    NotJson,
    RunEvent,
    parse,
)

MOMENT = datetime(2026, 3, 1, 12, tzinfo=UTC)
# Of the real events one has neither a run id nor a job.
REFUSED = {"spark-databricks/sample-156fa71d-complete.json"}


def without(*keys: str, of: dict[str, Any] | None = None) -> dict[str, Any]:
    document = of or event()
    return {key: value for key, value in document.items() if key not in keys}


@pytest.mark.parametrize(
    ("document", "kind"),
    [
        (event(), RunEvent),
        (without("eventType"), RunEvent),
        (without("run", "eventType"), JobEvent),
        (without("run", "eventType", "job") | {"dataset": output()}, DatasetEvent),
    ],
)
def test_the_keys_say_what_kind_of_event_it_is(document: dict[str, Any], kind: type) -> None:
    assert type(parse(body(document)).content) is kind


@pytest.mark.parametrize(("sent", "read"), [("complete", "COMPLETE"), ("Fail", "FAIL"), (None, None), (7, None)])
def test_the_type_is_read_in_any_case_and_may_be_absent(sent: Any, read: str | None) -> None:
    run = parse(body(event() | {"eventType": sent})).run
    assert run is not None
    assert run.type == read


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2026-03-01T12:00:00Z", MOMENT),
        ("2026-03-01T12:00:00.12Z", MOMENT + timedelta(milliseconds=120)),
        ("2026-03-01T12:00:00.123456789Z", MOMENT + timedelta(microseconds=123456)),
        ("2026-03-01T13:00:00+01:00", MOMENT),
        ("2026-03-01T13:00:00+01:00[Europe/Berlin]", MOMENT),
        ("2026-03-01 12:00", MOMENT),
    ],
)
def test_times_are_read_in_any_zone_and_precision(text: str, expected: datetime) -> None:
    assert parse(body(event(at=text))).event_time == expected


def test_a_time_without_zone_is_utc_and_flagged() -> None:
    naive, zoned = parse(body(event(at="2026-03-01T12:00:00"))), parse(body(event()))
    assert (naive.event_time, naive.naive_time) == (MOMENT, True)
    assert not zoned.naive_time


@pytest.mark.parametrize("raw", [b"", b"{", b"\xff\xfe", b'{"a": NaN}', b'{"a": 1e999}', b'{"a": "\\ud800"}'])
def test_what_no_json_reader_can_read_is_not_json(raw: bytes) -> None:
    with pytest.raises(NotJson, match="not valid JSON"):
        parse(raw)


def test_a_body_that_is_nested_too_deep_is_refused_before_it_is_parsed() -> None:
    with pytest.raises(NotJson, match="nested deeper than 500 levels"):
        parse(b"[" * 99999)


def changed(**parts: Any) -> dict[str, Any]:
    return event() | parts


@pytest.mark.parametrize(
    ("document", "where"),
    [
        ([], {"event"}),
        (7, {"event"}),
        ({}, {"eventTime", "job"}),
        (changed(job={"namespace": "shop"}), {"job.name"}),
        (changed(job={"namespace": "", "name": " "}), {"job.namespace", "job.name"}),
        (changed(job={"namespace": "a\x00b", "name": "x"}), {"job.namespace"}),
        (changed(run={}), {"run.runId"}),
        (changed(run=None), {"run"}),
        (without("run"), {"run"}),
        (changed(eventTime="2021-11-03"), {"eventTime"}),
        (changed(eventTime="yesterday"), {"eventTime"}),
        (changed(eventTime=1700000000), {"eventTime"}),
        (changed(eventTime="0001-01-01T00:00:00+10:00"), {"eventTime"}),
        (changed(eventTime="2026-02-30T12:00:00Z"), {"eventTime"}),
    ],
)
def test_what_is_no_event_is_refused_with_every_fault(document: Any, where: set[str]) -> None:
    with pytest.raises(NotAnEvent) as refused:
        parse(body(document))
    assert {fault.where for fault in refused.value.faults} == where


def test_a_refusal_quotes_nothing_of_the_body() -> None:
    with pytest.raises(NotAnEvent) as refused:
        parse(body(changed(eventTime="secret-4711", job={"namespace": "", "name": ["secret-4711"]})))
    assert "secret-4711" not in str(refused.value)


@pytest.mark.parametrize(
    "part",
    [
        {"inputs": None, "outputs": None},
        {"outputs": [{**output(), "facets": None, "outputFacets": {"outputStatistics": None, "x": [1]}}]},
        {"run": {"runId": "not-a-uuid", "facets": None}},
        {"producer": None},
        {"unheard": {"of": [1, 2]}},
    ],
)
def test_what_real_producers_get_wrong_is_forgiven(part: dict[str, Any]) -> None:
    assert parse(body(event() | part)).run is not None


@pytest.mark.parametrize(
    "bad", [{"namespace": "file"}, {"namespace": "", "name": "x"}, {"namespace": "file", "name": 7}, None, "all", []]
)
def test_what_names_no_dataset_spoils_nothing_of_the_others(bad: Any) -> None:
    told = parse(body(changed(outputs=[bad, output("/good"), bad]))).run
    assert told is not None
    assert [each.name for each in told.outputs] == ["/good"]


def test_outputs_that_are_no_list_are_none() -> None:
    told = parse(body(changed(outputs="all"))).run
    assert told is not None
    assert told.outputs == ()


def test_what_is_read_of_an_event_is_kept_whatever_its_size() -> None:
    fields = [{"name": f"column_{index}", "type": "x" * 200} for index in range(2000)]
    sent = parse(body(event("COMPLETE", output(schema={"fields": fields}, other={"text": "x" * FACET_LIMIT}))))
    (kept,) = json.loads(sent.stored_bytes())["outputs"]
    assert kept["facets"] == {"schema": {"fields": fields}}


def test_a_snapshot_of_64_bits_stays_the_same_number() -> None:
    document = event("COMPLETE", output() | {"outputFacets": {"icebergCommitReport": {"snapshotId": 2**63 - 1}}})
    kept = json.loads(parse(body(document)).stored_bytes())
    assert kept["outputs"][0]["outputFacets"]["icebergCommitReport"]["snapshotId"] == 2**63 - 1


def test_the_key_is_that_of_the_content_not_of_the_layout() -> None:
    document = event()
    pretty = json.dumps(dict(reversed(document.items())), indent=3).encode()
    assert parse(body(document)).key == parse(pretty).key
    assert parse(body(document)).key != parse(body(event(at="2026-03-01T12:00:01Z"))).key


def test_heavy_facets_are_not_kept_and_the_others_are() -> None:
    heavy = {"spark.logicalPlan": {"plan": [1]}, "big": {"text": "x" * FACET_LIMIT}}
    light = {"schema": {"fields": [{"name": "id"}]}, "odd": 7}
    document = event() | {
        "run": {"runId": "r", "facets": heavy | light},
        "outputs": [{**output(), "facets": light, "outputFacets": heavy}],
    }
    sent = parse(body(document))
    kept = json.loads(sent.stored_bytes())
    assert kept["run"]["facets"] == light
    assert kept["outputs"][0] == {**output(), "facets": light, "outputFacets": {}}
    assert without("run", "outputs", of=kept) == without("run", "outputs", of=document)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda part: st.lists(part) | st.dictionaries(st.text(), part),
)
KEYS = st.sampled_from(["eventType", "eventTime", "run", "job", "dataset", "inputs", "outputs", "producer"])


@pytest.mark.search
@given(st.dictionaries(KEYS, JSON), st.sampled_from([{}, event()]))
def test_any_json_is_an_event_or_refused(noise: dict[str, Any], base: dict[str, Any]) -> None:
    try:
        found: LineageEvent | None = parse(body(base | noise))
    except (NotAnEvent, NotJson):
        found = None
    assert found is None or parse(found.stored_bytes()).event_time == found.event_time


def test_every_real_event_is_accepted_save_the_one_without_run_and_job() -> None:
    refused = set()
    for name, raw in real():
        try:
            parse(raw)
        except NotAnEvent:
            refused.add(name)
    assert refused == REFUSED
