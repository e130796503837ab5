"""What the processes say: lines with the ids that they are about, and nothing that an error's text may hold."""

import json
import logging
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from typing import Any

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.routing import Route
from starlette.testclient import TestClient

from treaty.registry.api.http.request_ids import RequestIdMiddleware
from treaty.registry.core import logs

log = logging.getLogger("treaty.test")


@pytest.fixture
def said() -> Any:
    """The lines that this process says meanwhile, in the form that is asked for."""
    lines: list[str] = []

    class Kept(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            lines.append(self.format(record))

    kept = Kept()
    log.addHandler(kept)
    log.setLevel(logging.INFO)

    def begin(form: logging.Formatter) -> list[str]:
        kept.setFormatter(form)
        return lines

    yield begin
    log.removeHandler(kept)
    log.setLevel(logging.NOTSET)


Said = Callable[[logging.Formatter], list[str]]


def test_a_json_line_names_what_it_is_about(said: Said) -> None:
    lines = said(logs.JsonFormatter())
    with logs.log_fields(request_id="r1", nothing=None), logs.log_fields(task_id=7):
        logs.log_event(log, "verdict", verdict="failed", run_id="x")
    log.info("alone")
    first, second = map(json.loads, lines)
    assert first.pop("time")
    assert first == {
        "request_id": "r1", "task_id": "7", "verdict": "failed", "run_id": "x", "message": "verdict", "level": "info",
        "logger": "treaty.test",
    }  # fmt: skip
    assert set(second) == {"time", "level", "logger", "message"}


def test_a_field_cannot_stand_for_what_the_line_itself_says(said: Said) -> None:
    lines = said(logs.JsonFormatter())
    logs.log_event(log, "true", level="false", time="false")
    assert (json.loads(lines[0])["level"], json.loads(lines[0])["time"][:2]) == ("info", "20")


def test_of_an_error_a_json_line_says_the_kind_and_the_place_but_not_the_text(said: Said) -> None:
    lines = said(logs.JsonFormatter())
    try:
        raise ValueError("alice@example.org is no number\nsecond line")
    except ValueError:
        log.exception("it broke")
    (line,) = lines
    told = json.loads(line)
    assert "alice" not in line
    assert "\n" not in line
    assert (told["error"], told["message"], told["level"]) == ("ValueError", "it broke", "error")
    assert told["raised"][-1].endswith("test_of_an_error_a_json_line_says_the_kind_and_the_place_but_not_the_text")


def test_a_line_of_text_ends_with_its_fields(said: Said) -> None:
    lines = said(logs.TextFormatter("%(levelname)s %(message)s"))
    with logs.log_fields(event_key="abc"):
        logs.log_event(log, "event folded", run="1")
    log.info("plain %s", "words")
    assert lines == ["INFO event folded event_key=abc run=1", "INFO plain words"]


def test_what_a_thread_says_is_about_its_own_work() -> None:
    def named(number: int) -> str:
        with logs.log_fields(task_id=number):
            return logs._about.get()["task_id"]

    with ThreadPoolExecutor(4) as threads:
        assert list(threads.map(named, range(50))) == [str(each) for each in range(50)]
    assert logs._about.get() == {}


def test_fields_go_along_into_a_thread_that_is_given_the_context() -> None:
    with logs.log_fields(request_id="r"), ThreadPoolExecutor(1) as threads:
        assert threads.submit(copy_context().run, lambda: dict(logs._about.get())).result() == {"request_id": "r"}


def answered(headers: dict[str, str]) -> tuple[str, str]:
    """The id in the answer's header, and the one that was known while it was made."""

    def tell(_: Request) -> PlainTextResponse:
        return PlainTextResponse(logs._about.get()["request_id"])

    app = Starlette(routes=[Route("/", tell)])
    app.add_middleware(RequestIdMiddleware)
    answer = TestClient(app).get("/", headers=headers)
    return answer.headers["x-request-id"], answer.text


@pytest.mark.parametrize("given", ["a", "0197c0de-0000-7000-8000-000000000001", "job:7.b_c"])
def test_the_id_that_a_request_brings_is_kept(given: str) -> None:
    assert answered({"X-Request-ID": given}) == (given, given)


@pytest.mark.parametrize("given", ["", "a b", "x" * 101, 'a","level":"error', "a\tb"])
def test_what_is_no_id_is_replaced(given: str) -> None:
    told, known = answered({"X-Request-ID": given})
    assert told == known != given
    assert len(told) == 36
