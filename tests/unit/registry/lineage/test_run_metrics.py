"""What an event tells of a run in numbers, and that it tells nothing of columns that the contract classifies."""

from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import pytest

from treaty.contracts.document import writer
from treaty.contracts.document.model import DataObject
from treaty.contracts.document.reader import read
from treaty.engine.core.results import CheckResult, Measurement, Outcome, RunResult
from treaty.registry.lineage.events import run_metrics
from treaty.registry.lineage.events.verdict_event import MOST, EventDataset, VerdictPayload, event

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
SECRET = "4711"


def described(*properties: dict[str, Any], **more: Any) -> DataObject:
    """A table with these columns; each has one check on it."""
    document = {
        "apiVersion": "v3.1.0", "kind": "DataContract", "id": "staff", "name": "staff", "version": "1.0.0",
        "status": "active", "schema": [{"name": "staff", "properties": list(properties), **more}],
    }  # fmt: skip
    return read(writer.write(document)).object("staff")


def column(name: str, **more: Any) -> dict[str, Any]:
    limit = {
        "id": f"check-{name}", "name": f"largest {name}", "type": "custom", "engine": "treaty",
        "implementation": {"analyzer": "maximum", "column": name, "mustBeLessThan": int(SECRET)},
    }  # fmt: skip
    return {"name": name, "logicalType": "integer", "physicalType": "bigint", "quality": [limit], **more}


def measured(analyzer: str, value: Any, partition: str | None = None, **arguments: Any) -> Measurement:
    return Measurement(analyzer=analyzer, arguments=arguments, partition=partition, value=value, identity=analyzer)


def checked(name: str, **more: Any) -> CheckResult:
    told = {
        "check_id": f"check-{name}", "name": f"largest {name}", "outcome": Outcome.FAILED, "severity": "error",
        "scope": "delta", "partition": None, "sentence": f"maximum must be less than {SECRET}", "column": name,
        "value": int(SECRET), "threshold": int(SECRET),
    }  # fmt: skip
    return CheckResult(**(told | more))


def run(*found: Measurement, partitions: tuple[str, ...] = (), results: tuple[CheckResult, ...] = ()) -> RunResult:
    return RunResult(
        contract_id="staff", contract_version="1.0.0", contract_fingerprint="0" * 64, object="staff",
        partitions=partitions, rows=10, started_at=NOW, finished_at=NOW, results=results, measurements=found,
    )  # fmt: skip


def told_of(result: RunResult, of: DataObject) -> dict[str, Any]:
    return event(
        VerdictPayload(
            result=result, about=EventDataset("file", "/staff"), numbers=run_metrics.numbers(result, of), first=NOW,
            hidden=run_metrics.hidden(result, of), partitions=run_metrics.parts(result, of), schemas="http://here",
        )
    )  # fmt: skip


def test_numbers_have_the_words_of_the_standard() -> None:
    result = run(
        measured("sum", Decimal("12.5"), column="pay"),
        measured("minimum", 1, column="pay"),
        measured("maximum", 9, column="pay"),
        measured("approx_count_distinct", 7.0, column="pay"),
        measured("null_values", 2, column="pay"),
        measured("approx_quantile", 4, column="pay", quantile=0.5),
    )
    assert run_metrics.numbers(result, described(column("pay"))) == run_metrics.OutputNumbers(
        10,
        {"pay": {"sum": 12.5, "min": 1.0, "max": 9.0, "distinctCount": 7, "nullCount": 2, "quantiles": {"0.5": 4.0}}},
    )


@pytest.mark.parametrize(
    "left_out",
    [
        measured("maximum", "zebra", column="pay"),
        measured("maximum", 9, column="pay", where="pay > 3"),
        measured("maximum", 9, "day=2", column="pay"),
        measured("maximum", float("nan"), column="pay"),
        measured("maximum", float("inf"), column="pay"),
        measured("sum", 10**400, column="pay"),
        measured("maximum", None, column="pay"),
        measured("entropy", 0.5, column="pay"),
        measured("size", 10),
        measured("maximum", 9, column="undeclared"),
    ],
)
def test_what_the_standard_has_no_word_for_is_left_out(left_out: Measurement) -> None:
    assert run_metrics.numbers(run(left_out), described(column("pay"))).columns == {}


def test_of_one_partition_its_own_numbers_are_told_of_several_those_of_all() -> None:
    found = (measured("sum", 1, "day=1", column="pay"), measured("sum", 3, column="pay"))
    of = described(column("pay"))
    assert run_metrics.numbers(run(*found, partitions=("day=1",)), of).columns == {"pay": {"sum": 1.0}}
    assert run_metrics.numbers(run(*found, partitions=("day=1", "day=2")), of).columns == {"pay": {"sum": 3.0}}


@pytest.mark.parametrize(
    "of",
    [
        described(column("pay", classification="restricted")),
        described(column("pay", tags=["pii"])),
        described(column("pay"), tags=["confidential"]),
        described(column("PAY", classification="secret")),
    ],
)
def test_of_a_classified_column_neither_value_nor_bound_is_told(of: DataObject) -> None:
    document = told_of(run(measured("maximum", int(SECRET), column="pay"), results=(checked("pay"),)), of)
    assert SECRET not in str(document)
    (assertion,) = document["inputs"][0]["inputFacets"]["dataQualityAssertions"]["assertions"]
    assert (assertion["success"], assertion["column"]) == (False, "pay")


def test_a_check_of_the_table_that_names_a_classified_column_is_hidden_too() -> None:
    rule = {
        "id": "fair", "name": "fair", "type": "custom", "engine": "treaty",
        "implementation": {"analyzer": "compliance", "predicate": f"pay < {SECRET}", "mustBe": 1},
    }  # fmt: skip
    of = described(column("pay", classification="restricted"), quality=[rule])
    document = told_of(run(results=(checked("x", check_id="fair", column=None),)), of)
    assert SECRET not in str(document)


def test_of_very_many_results_those_that_failed_are_told_and_how_many_there_are() -> None:
    passed = [checked("pay", outcome=Outcome.PASSED, partition=f"day={at}") for at in range(2 * MOST)]
    document = told_of(run(results=(*passed, checked("pay"))), described(column("pay")))
    assertions = document["inputs"][0]["inputFacets"]["dataQualityAssertions"]["assertions"]
    assert (len(assertions), assertions[0]["success"]) == (MOST, False)
    assert document["run"]["facets"]["treaty_contract"]["counts"] == {"failed": 1, "passed": 2 * MOST}
    assert len(str(document)) < 1_000_000


def test_of_an_open_column_value_and_bound_are_told() -> None:
    document = told_of(run(results=(checked("pay"),)), described(column("pay")))
    (assertion,) = document["inputs"][0]["inputFacets"]["dataQualityAssertions"]["assertions"]
    assert (assertion["actual"], assertion["expected"], assertion["assertion"]) == (SECRET, SECRET, "custom")


BAND = {"lower": 1.0, "upper": 9.0, "expected": 5.0, "by": "days of the week", "points": 30}
OPEN, CLASSIFIED = described(column("pay")), described(column("pay", classification="restricted"))


def fit(of: DataObject, *results: CheckResult) -> str | None:
    found: str | None = told_of(run(results=results), of)["run"]["facets"]["treaty_contract"].get("fit")
    return found


def test_runs_that_were_judged_by_the_same_learned_bounds_have_one_fit() -> None:
    learned = checked("pay", band=BAND)
    assert fit(OPEN, learned) == fit(OPEN, checked("pay", band=BAND, value=8, outcome=Outcome.PASSED))
    others = [{**BAND, "upper": 9.5}, {**BAND, "lower": None}]
    found = {fit(OPEN, learned), *(fit(OPEN, checked("pay", band=each)) for each in others)}
    assert len(found | {fit(OPEN, checked("pay", band=BAND, partition="day=1"))} - {None}) == 4


@pytest.mark.parametrize(
    ("of", "results"),
    [
        pytest.param(OPEN, (checked("pay"),), id="no detector told a bound"),
        pytest.param(CLASSIFIED, (checked("pay", band=BAND),), id="the bound is that of a classified column"),
    ],
)
def test_without_learned_bounds_that_may_be_told_there_is_no_fit(of: DataObject, results: tuple[CheckResult]) -> None:
    assert fit(of, *results) is None


@pytest.mark.parametrize(
    ("partitions", "told"),
    [
        ((), ()),
        (("",), ()),
        (("day=1/land=P%20L",), ({"day": "1", "land": "P L"},)),
        (("day=1", "day=2"), ({"day": "1"}, {"day": "2"})),
        (("day=1", "arrival 7"), ()),
        (("pay=4711",), ()),
    ],
)
def test_partitions_are_told_by_their_columns_unless_these_are_classified(
    partitions: tuple[str, ...], told: tuple[dict[str, str], ...]
) -> None:
    of = described(column("day"), column("pay", classification="restricted"))
    assert run_metrics.parts(run(partitions=partitions), of) == told
