"""Reports at a terminal."""

import io
import json
import re
from datetime import timedelta
from xml.etree import ElementTree

import pytest
from datacontract.model.run import Run
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console
from support.orders import NOW, ROWS, check, contract, on, run, states

from treaty.engine.core.number_format import visible
from treaty.engine.core.results import CheckResult, Outcome, RunResult, ViolationSample
from treaty.engine.report import REPORTS, print_draft, print_run

TWO_WORDS = contract(
    check("size", "rows", mustBe=4),
    check("mean", "amounts", "warning", column="amount", mustBeGreaterThan=2),
    check("minimum", "text", column="status", mustBeLessThan=1),
    properties=on("id", required=True, quality=[check("completeness", "id-required", mustBeGreaterOrEqualTo=0.5)]),
)


def printed(of: RunResult) -> list[str]:
    console = Console(file=io.StringIO(), width=160, highlight=False)
    print_run(of.model_copy(update={"finished_at": NOW + timedelta(seconds=2)}), console)
    return [line.rstrip() for line in console.file.getvalue().splitlines()]  # type: ignore[attr-defined]


def test_a_report_names_the_worst_first_and_ends_with_the_verdict() -> None:
    bags = {f"day={day}": states(TWO_WORDS, {**ROWS, "amount": [float(day)] * 4}) for day in range(1, 5)}
    lines = printed(run(TWO_WORDS, bags))
    assert lines[0].split() == ["outcome", "severity", "check", "measured", "partitions"]
    assert [line[:15].strip() for line in lines[1:-2] if line[:1].strip()] == [
        "✗ failed", "? not evaluated", *["✓ passed"] * 6,
    ]  # fmt: skip
    assert lines[-1] == "? not evaluated: orders 1.0.0 on orders, 4 partition(s), 16 rows, 2.0 s"


def test_a_check_is_one_line_however_many_partitions_there_are() -> None:
    bags = {f"day={day}": states(TWO_WORDS, {**ROWS, "amount": [float(day)] * 4}) for day in range(-9, 10)}
    line, found = [line for line in printed(run(TWO_WORDS, bags)) if "mean of amount" in line]
    assert "-9 … 2" in line
    assert line.endswith("12 of 19: day=-1, day=-2, day=-3 and 9 more")
    assert found.strip() == "day=-1: mean of amount is -1 (required: more than 2)"


def test_a_check_that_bears_the_id_of_a_promise_has_its_own_line() -> None:
    text = "\n".join(printed(run(TWO_WORDS, {"": states(TWO_WORDS, ROWS)})))
    assert text.count("id is required") == 1
    assert text.count("at least 50 % of rows have id") == 1


@pytest.mark.parametrize(("names", "place"), [([""], "whole table"), (["day=1"], "day=1"), (["day=1", "day=2"], "all")])
def test_places_are_named(names: list[str], place: str) -> None:
    given = contract(check("size", mustBe=4))
    (line,) = [
        line
        for line in printed(run(given, {name: states(given, ROWS) for name in names}))
        if "there must be exactly 4 rows" in line
    ]
    assert line.split("  ")[-1].strip() == place


def test_markup_in_names_is_shown_as_it_stands() -> None:
    given = contract(check("size", mustBe=4), properties=[{"name": "[red]x"}])
    assert any("missing: [red]x" in line for line in printed(run(given, {"": states(given, ROWS)})))


def test_suggestions_are_shown_with_their_evidence() -> None:
    console = Console(file=io.StringIO(), width=120)
    evidence = {"held": 9, "partitions": 10, "rows": 12345}
    print_draft([{"column": None, "sentence": "a partition has rows", "evidence": evidence}], console)
    assert "(table)" in console.file.getvalue()  # type: ignore[attr-defined]
    assert "9 of 10" in console.file.getvalue()  # type: ignore[attr-defined]
    assert "12,345" in console.file.getvalue()  # type: ignore[attr-defined]


ENDED = st.builds(
    CheckResult,
    check_id=st.text(min_size=1, max_size=8),
    name=st.text(max_size=8),
    outcome=st.sampled_from(Outcome),
    severity=st.sampled_from(["error", "warning"]),
    scope=st.just("delta"),
    partition=st.one_of(st.none(), st.text(max_size=8)),
    sentence=st.text(min_size=1, max_size=20),
    column=st.one_of(st.none(), st.text(max_size=8)),
    value=st.one_of(st.none(), st.integers(), st.floats(), st.text(max_size=8)),
    reason=st.one_of(st.none(), st.text(max_size=20)),
    found=st.one_of(st.none(), st.text(max_size=20)),
    broken=st.one_of(st.none(), st.integers(0, 9)),
)
AMISS = {Outcome.FAILED, Outcome.NOT_EVALUATED, Outcome.UNCERTAIN}
HOSTILE = [
    "a|b", "\\|", "| --- |", "a\nb", "a\r\nb", "\u2028", "a\x00b", "\x1b[31mred", "zero\u200bwidth", "\u202egnirts",
    "<script>alert(1)</script>", "]]>", "&amp;", "`code`", "**bold**", "[link](javascript:x)", "[red]markup[/]",
]  # fmt: skip


def ended(*results: CheckResult) -> RunResult:
    return run(contract(check("size", mustBe=4)), {}).model_copy(update={"results": results})


def broken(name: str) -> CheckResult:
    """A result that did not pass, with the name wherever a text may stand."""
    return CheckResult(
        check_id=name, name=name, outcome=Outcome.FAILED, severity="error", scope="delta", partition=name,
        sentence=name, column=name, finding=name,
    )  # fmt: skip


def cases(report: str) -> list[ElementTree.Element]:
    return list(ElementTree.fromstring(report).iter("testcase"))


@given(st.lists(ENDED, max_size=6))
def test_no_report_loses_a_result(results: list[CheckResult]) -> None:
    of = ended(*results)
    reports = {name: write(of) for name, write in REPORTS.items()}
    groups = {(each.check_id, each.sentence): each for each in results}
    amiss = {(each.check_id, each.sentence) for each in results if each.outcome in AMISS}
    assert len(json.loads(reports["json"])["results"]) == len(results)
    assert len(json.loads(reports["datacontract"])["checks"]) == len(results)
    assert len(cases(reports["junit"])) == len(results)
    assert sum(line.startswith("| ") for line in reports["markdown"].splitlines()) == len(amiss) + bool(amiss)
    assert f"{len(results)} results: " in reports["markdown"]
    marks = ("✓ passed", "✗ failed", "? not evaluated", "~ uncertain", "- not applicable")
    lines = reports["text"].rpartition("\n\n")[0].splitlines()[1:]
    assert sum(line.startswith(marks) for line in lines) == len(groups)


@given(st.lists(ENDED, max_size=6))
def test_counts_add_up(results: list[CheckResult]) -> None:
    numbers = re.findall(
        r"(\d+) (?:failed|warned|uncertain|passed|not)", REPORTS["markdown"](ended(*results)).splitlines()[-1]
    )
    assert sum(map(int, numbers)) == len(results)
    suite = next(ElementTree.fromstring(REPORTS["junit"](ended(*results))).iter("testsuite"))
    told = {kind: sum(case.find(kind) is not None for case in suite) for kind in ("failure", "error", "skipped")}
    assert (suite.get("tests"), suite.get("failures"), suite.get("errors"), suite.get("skipped")) == (
        str(len(results)), str(told["failure"]), str(told["error"]), str(told["skipped"]),
    )  # fmt: skip


@pytest.mark.parametrize("name", HOSTILE, ids=ascii)
@pytest.mark.parametrize("form", REPORTS)
def test_hostile_names_are_shown_and_do_nothing(name: str, form: str) -> None:
    report = REPORTS[form](ended(broken(name)))
    assert all(line.isprintable() for line in report.split("\n"))
    assert "<script>" not in report or form in ("text", "json", "datacontract")
    if form == "markdown":
        (row,) = [line for line in report.splitlines() if line.startswith("| ❌")]
        assert len(re.findall(r"(?<!\\)(?:\\\\)*\|", row)) == 5
    if form == "junit":
        (case,) = cases(report)
        assert str(case.get("name")).startswith(visible(name))


def test_markdown_puts_the_verdict_first_then_what_did_not_pass_then_counts() -> None:
    given_run = run(TWO_WORDS, {"": states(TWO_WORDS, {**ROWS, "amount": [1.0] * 4})})
    assert REPORTS["markdown"](given_run).splitlines() == [
        "**❓ not evaluated**: orders 1\\.0\\.0 on orders, 1 partition(s), 4 rows",
        "",
        "| outcome | check | found | partitions |",
        "|---|---|---|---|",
        "| ⚠️ warned | mean of amount must be greater than 2 "
        "| mean of amount is 1 \\(required: more than 2\\) | whole table |",
        "| ❓ not evaluated | minimum of status must be less than 1 | the measured value and the limit cannot be "
        "compared: one is text, the other a number | whole table |",
        "",
        "8 results: 1 not evaluated, 1 warned, 6 passed",
    ]


def test_a_run_without_faults_is_two_lines_of_markdown() -> None:
    verdict, _, counts = REPORTS["markdown"](ended()).splitlines()
    assert verdict == "**✅ passed**: orders 1\\.0\\.0 on orders, 0 partition(s), 0 rows"
    assert counts == "0 results: no checks"


ENDINGS = [
    (Outcome.PASSED, "error", None, "passed"),
    (Outcome.FAILED, "error", "failure", "failed"),
    (Outcome.FAILED, "warning", "skipped", "warning"),
    (Outcome.NOT_EVALUATED, "error", "error", "error"),
    (Outcome.NOT_EVALUATED, "warning", "error", "error"),
    (Outcome.UNCERTAIN, "error", "error", "error"),
    (Outcome.UNCERTAIN, "warning", "skipped", "warning"),
    (Outcome.NOT_APPLICABLE, "error", "skipped", "skipped"),
]


@pytest.mark.parametrize(("outcome", "severity", "junit", "datacontract"), ENDINGS)
def test_an_outcome_has_its_word_in_other_tools(
    outcome: Outcome, severity: str, junit: str | None, datacontract: str
) -> None:
    of = ended(broken("c").model_copy(update={"outcome": outcome, "severity": severity}))
    (case,) = cases(REPORTS["junit"](of))
    assert [each.tag for each in case] == ([junit] if junit else [])
    assert json.loads(REPORTS["datacontract"](of))["checks"][0]["result"] == datacontract


SUITE = {"name", "tests", "failures", "errors", "skipped", "time", "timestamp"}


def test_junit_has_the_shape_that_build_servers_read() -> None:
    root = ElementTree.fromstring(REPORTS["junit"](run(TWO_WORDS, {"day=1": states(TWO_WORDS, ROWS)})))
    (suite,) = root
    assert (root.tag, suite.tag, set(suite.attrib)) == ("testsuites", "testsuite", SUITE)
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d", str(suite.get("timestamp")))
    assert {each.tag for each in suite} == {"testcase"}
    assert all(set(each.attrib) == {"classname", "name", "time"} for each in suite)
    assert {child.tag for each in suite for child in each} <= {"failure", "error", "skipped"}
    assert "rows: there must be exactly 4 rows [day=1]" in {each.get("name") for each in suite}


@given(st.lists(ENDED, max_size=6))
def test_datacontract_cli_reads_its_own_shape_and_folds_it_alike(results: list[CheckResult]) -> None:
    read = Run.model_validate_json(REPORTS["datacontract"](ended(*results)))
    told = read.result
    read.calculate_result()
    assert told == read.result
    assert [each.model for each in read.checks or []] == ["orders"] * len(results)


def test_rows_that_break_a_check_go_to_other_tools_where_they_were_asked_for() -> None:
    sample = ViolationSample(check_id="c", columns=("id", "mail"), masked=("mail",), rows=(("1", "***"), ("2", None)))
    of = ended(broken("c"), broken("d")).model_copy(update={"samples": (sample,)})
    first, second = Run.model_validate_json(REPORTS["datacontract"](of)).checks or ()
    assert first.failedSamples == [{"id": "1", "mail": "***"}, {"id": "2", "mail": None}]
    assert second.failedSamples is None


def test_the_same_run_has_the_same_identity_in_other_tools() -> None:
    first, second = (json.loads(REPORTS["datacontract"](ended())) for _ in range(2))
    assert first["runId"] == second["runId"]


def test_a_check_of_another_tool_says_what_was_measured() -> None:
    given_run = run(TWO_WORDS, {"": states(TWO_WORDS, {**ROWS, "amount": [1.0] * 4})})
    entries = {each["id"]: each for each in json.loads(REPORTS["datacontract"](given_run))["checks"]}
    mean = entries["orders/amounts"]
    assert (mean["type"], mean["category"], mean["field"], mean["qualityId"]) == (
        "mean",
        "quality",
        "amount",
        "amounts",
    )
    assert mean["reason"] == "mean of amount is 1 (required: more than 2)"
    assert mean["diagnostics"]["value"] == 1.0
    assert entries["orders/schema-types"]["category"] == "schema"
