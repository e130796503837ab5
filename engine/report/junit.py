"""Render a run as JUnit XML for build servers: one test case per check and partition."""

from xml.etree import ElementTree
from xml.etree.ElementTree import Element

from treaty.engine.core.number_format import visible
from treaty.engine.core.results import CheckResult, Outcome, RunResult
from treaty.engine.report.grouping import finding_text


def junit(run: RunResult) -> str:
    """Return the report as XML.

    A failed check is a failure; one that could not be evaluated or is uncertain is an error. JUnit has no warnings,
    so a failed or uncertain check of severity warning is skipped with its message, and so is one without anything to
    measure."""
    root = Element("testsuites")
    suite = ElementTree.SubElement(root, "testsuite", _suite(run))
    for result in run.results:
        suite.append(_case(result, run.object))
    ElementTree.indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ElementTree.tostring(root, encoding="unicode") + "\n"


def _suite(run: RunResult) -> dict[str, str]:
    kinds = [_kind(result) for result in run.results]
    return {
        "name": visible(f"{run.contract_id} {run.contract_version}"),
        "tests": str(len(kinds)),
        "failures": str(kinds.count("failure")),
        "errors": str(kinds.count("error")),
        "skipped": str(kinds.count("skipped")),
        "time": f"{(run.finished_at - run.started_at).total_seconds():.3f}",
        "timestamp": run.started_at.replace(tzinfo=None).isoformat(timespec="seconds"),
    }


def _kind(result: CheckResult) -> str | None:
    """Return the name of the test case's child element; None for a passed check."""
    if result.outcome in _WITH_SEVERITY:
        return _WITH_SEVERITY[result.outcome] if result.severity == "error" else "skipped"
    return {Outcome.NOT_EVALUATED: "error", Outcome.NOT_APPLICABLE: "skipped"}.get(result.outcome)


_WITH_SEVERITY = {Outcome.FAILED: "failure", Outcome.UNCERTAIN: "error"}


def _case(result: CheckResult, table: str) -> Element:
    suffix = f" [{result.partition}]" if result.partition else ""
    name = f"{result.check_id}: {result.sentence}{suffix}"
    case = Element("testcase", {"classname": visible(table), "name": visible(name), "time": "0"})
    kind = _kind(result)
    if kind:
        words = {"message": visible(finding_text(result))}
        ElementTree.SubElement(case, kind, words if kind == "skipped" else {**words, "type": result.severity})
    return case
