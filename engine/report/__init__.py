"""Render reports of a run for terminals, pull requests, build servers and other tools."""

import json
from collections.abc import Callable

from treaty.engine.core.results import RunResult
from treaty.engine.report.datacontract import datacontract
from treaty.engine.report.junit import junit
from treaty.engine.report.markdown import markdown
from treaty.engine.report.terminal import print_choices, print_draft, print_run, text

__all__ = ["REPORTS", "print_choices", "print_draft", "print_run"]


def _json(run: RunResult) -> str:
    # Serialized by pydantic first, which has a JSON form for NaN and infinities.
    return json.dumps({"verdict": run.verdict, **json.loads(run.model_dump_json())}, indent=2) + "\n"


def _datacontract(run: RunResult) -> str:
    return json.dumps(datacontract(run), indent=2) + "\n"


REPORTS: dict[str, Callable[[RunResult], str]] = {
    "text": text,
    "markdown": markdown,
    "json": _json,
    "junit": junit,
    "datacontract": _datacontract,
}
