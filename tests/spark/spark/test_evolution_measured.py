"""Partitions that Spark read with other columns and types: what is put together is what Spark finds in all rows."""

from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any

from support.orders import NOW, check, contract

from treaty.engine.core.results import CheckResult, Outcome, RunResult
from treaty.engine.evaluation.evaluator import evaluate
from treaty.engine.evaluation.request import EvaluationRequest
from treaty.engine.session.verify import measure, verify

OLD = "day string, id int, price decimal(10,2), code int, at date, ratio float, gone string"
NEW = "day string, id bigint, price decimal(10,4), code string, at timestamp, ratio double, note string"
FIRST = [("1", 1, Decimal("1.50"), 7, date(2026, 1, 1), 0.1, "a"), ("1", 2, None, 8, None, None, None)]
SECOND = [
    ("2", 2, Decimal("1.5000"), "7", datetime(2026, 1, 1, tzinfo=UTC), 0.1, "n"),
    ("2", 2**40, Decimal("2.0000"), None, None, 2.5, None),
    ("2", None, None, None, None, None, "m"),
]
METRICS = ("count_distinct", "completeness", "minimum", "maximum", "approx_count_distinct", "uniqueness")
NUMBERS = ("sum", "mean", "standard_deviation")
# Columns that both kinds of partitions say the same of, or that were not there at first.
TOGETHER = [
    *(("id", metric) for metric in (*METRICS, *NUMBERS)),
    *(("note", metric) for metric in METRICS),
    *((column, "completeness") for column in ("price", "code", "at", "ratio")),
]
APART = [("price", "count_distinct"), ("code", "count_distinct"), ("code", "minimum"), ("at", "count_distinct")]
TEXTS = {("note", "minimum"), ("note", "maximum"), ("code", "minimum")}
GIVEN = contract(
    *(
        check(
            metric,
            f"{column}-{metric}",
            column=column,
            scope="dataset",
            mustBeGreaterOrEqualTo="" if (column, metric) in TEXTS else 0,
        )
        for column, metric in (*TOGETHER, *APART)
    ),
    check("completeness", "gone", column="gone", scope="dataset", mustBeGreaterThan=0),
    check("size", "noted", where="note IS NULL", scope="dataset", mustBeGreaterThan=0),
    properties=[{"name": "day", "partitioned": True}, {"name": "note"}, {"name": "gone"}]
    + [{"name": name} for name in ("id", "price", "code", "at", "ratio")],
)


def results(run: RunResult) -> dict[str, CheckResult]:
    return {each.check_id: each for each in run.results}


def test_what_is_put_together_is_what_spark_finds_in_all_rows(spark: Any) -> None:
    old, new = spark.createDataFrame(FIRST, OLD), spark.createDataFrame(SECOND, NEW)
    before, after = (measure(frame, GIVEN, object_name="orders") for frame in (old, new))
    states = {**before, **after}
    found = results(
        evaluate(
            EvaluationRequest(
                contract=GIVEN,
                object_name="orders",
                states=states,
                delta=sorted(after),
                started_at=NOW,
                finished_at=NOW,
            )
        )
    )
    cast = old.selectExpr(
        "day", "cast(id as bigint) id", "price", "cast(code as string) code", "cast(at as timestamp) at",
        "cast(ratio as double) ratio",
    )  # fmt: skip
    whole = results(verify(cast.unionByName(new, allowMissingColumns=True), GIVEN))

    same = [f"{column}-{metric}" for column, metric in TOGETHER]
    assert {name: found[name].value for name in same} == {name: whole[name].value for name in same}
    assert {found[name].outcome for name in same} <= {Outcome.PASSED}
    said = {name: found[name].reason for name in same if found[name].reason}
    assert said == {f"note-{metric}": "note is not in day=1 and of type string in day=2" for metric in METRICS}

    told = {
        "price-count_distinct": "price is of type decimal(10,2) in day=1 and of type decimal(10,4) in day=2",
        "code-count_distinct": "code is of type int in day=1 and of type string in day=2: rewrite them",
        "code-minimum": "code is of type int in day=1 and of type string in day=2: rewrite them",
        "at-count_distinct": "at is of type date in day=1 and of type timestamp in day=2: rewrite them",
        "noted": "note is not in day=1 and of type string in day=2: validate all partitions again",
        "gone": "the table has no column `gone`",
    }
    for name, reason in told.items():
        assert found[name].outcome is Outcome.NOT_EVALUATED
        assert str(found[name].reason).startswith(reason), name
