"""Render a run in the format of datacontract-cli's result file."""

import json
from collections.abc import Mapping
from importlib.metadata import version
from typing import Any
from uuid import NAMESPACE_URL, uuid5

from treaty.engine.checks.schema_checks import QUESTIONS
from treaty.engine.core.results import CheckResult, Outcome, RunResult
from treaty.engine.report.grouping import finding_text

# Worst first, in the order of that tool: what could not be evaluated outranks what failed.
WORST_FIRST = ("error", "failed", "warning", "passed", "skipped")
STRUCTURE = frozenset(question.id for question in QUESTIONS)


def datacontract(run: RunResult) -> dict[str, Any]:
    """Return the report as JSON-compatible data, with an entry per check and partition.

    The same run always gives the same `runId`."""
    analyzers = {each.identity: each.analyzer for each in run.measurements}
    rows = {each.check_id: [dict(zip(each.columns, row, strict=True)) for row in each.rows] for each in run.samples}
    checks = [_check(result, run.object, analyzers) | _samples(result, rows) for result in run.results]
    results = {check["result"] for check in checks}
    return {
        "runId": str(uuid5(NAMESPACE_URL, f"{run.contract_fingerprint} {run.object} {run.started_at.isoformat()}")),
        "datacontractCliVersion": f"treaty {version('treaty')}",
        "dataContractId": run.contract_id,
        "dataContractVersion": run.contract_version,
        "timestampStart": run.started_at.isoformat(),
        "timestampEnd": run.finished_at.isoformat(),
        "result": next((each for each in WORST_FIRST if each in results), "unknown"),
        "checks": checks,
        "logs": [],
    }


def _check(result: CheckResult, table: str, analyzers: Mapping[str, str]) -> dict[str, Any]:
    """Return the entry of a result; its type is the analyzer's name, else the check's id."""
    structural = result.check_id in STRUCTURE
    return {
        "id": "/".join(filter(None, (table, result.check_id, result.partition))),
        "key": "__".join(filter(None, (table, result.column, result.check_id, result.partition))),
        "category": "schema" if structural else "quality",
        "type": analyzers.get(result.measurement or "", result.check_id),
        "name": result.sentence,
        "model": table,
        "field": result.column,
        "qualityId": None if structural else result.check_id,
        "dimension": result.dimension,
        "engine": "treaty",
        "result": _result(result),
        "reason": None if result.outcome is Outcome.PASSED else finding_text(result),
        "diagnostics": _diagnostics(result),
    }


def _samples(result: CheckResult, rows: Mapping[str, list[dict[str, str | None]]]) -> dict[str, Any]:
    """Return the violating rows of a failed check, if samples were requested."""
    failed = result.outcome is Outcome.FAILED and result.check_id in rows
    return {"failedSamples": rows[result.check_id]} if failed else {}


def _result(result: CheckResult) -> str:
    if result.outcome in _WITH_SEVERITY:
        return _WITH_SEVERITY[result.outcome] if result.severity == "error" else "warning"
    results = {Outcome.PASSED: "passed", Outcome.NOT_EVALUATED: "error", Outcome.NOT_APPLICABLE: "skipped"}
    return results[result.outcome]


# That tool has no uncertain checks; a check without a result is an error there.
_WITH_SEVERITY = {Outcome.FAILED: "failed", Outcome.UNCERTAIN: "error"}


def _diagnostics(result: CheckResult) -> dict[str, Any]:
    diagnostics: dict[str, Any] = json.loads(result.model_dump_json(include=DIAGNOSTICS, exclude_none=True))
    return diagnostics


DIAGNOSTICS = {
    "value", "lower_bound", "upper_bound", "finding", "partition", "scope", "severity", "row_count", "violating_rows",
    "unevaluated_rows",
}  # fmt: skip
