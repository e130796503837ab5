"""Conditions on partition columns: Spark chooses by rows the partitions that the engine chooses by names."""

from typing import Any

from support.orders import check
from support.view_texts import CONDITIONS, ROWS, SCHEMA, TYPES, viewed

from treaty.contracts.predicates.parser import parse, quote
from treaty.engine.core.partitions import partition_names, views
from treaty.engine.session.verify import verify


def test_the_engine_chooses_by_names_what_spark_chooses_by_rows(spark: Any) -> None:
    columns = list(TYPES)
    typed = ", ".join(f"{quote(name)} {kind}" for name, kind in TYPES.items())
    frame = spark.createDataFrame(ROWS, typed)
    asked = [f"coalesce({parse(text, schema=SCHEMA).sql}, false)" for text in CONDITIONS]
    told = frame.selectExpr(
        f"array({', '.join(partition_names.keys(columns))})", f"array({', '.join(asked)})"
    ).collect()
    named = [(partition_names.name(columns, keys), holds) for keys, holds in told]
    names = [name for name, _ in named]
    assert len(set(names)) == len(ROWS)

    by_rows = {text: [name for name, holds in named if holds[at]] for at, text in enumerate(CONDITIONS)}
    by_names = {text: list(views.chosen(text, names, SCHEMA)) for text in CONDITIONS}
    assert {text: by_names[text] for text in CONDITIONS if by_names[text] != by_rows[text]} == {}
    assert len({tuple(each) for each in by_rows.values()}) > 40


def test_a_check_over_a_view_says_of_partitions_what_their_rows_say(spark: Any) -> None:
    rows = [
        (number, f"2026-01-0{day}", country, None if number % day == 0 else "paid")
        for day in (1, 2, 3) for country in ("DE", "FR") for number in range(6)
    ]  # fmt: skip
    typed = "id bigint, day string, country string, status string, amount double"
    frame = spark.createDataFrame([(*row, float(row[0])) for row in rows], typed)
    checks = [
        check("completeness", "c", column="status", scope="late", mustBe=1),
        check("uniqueness", "u", column="id", scope="late", mustBe=1),
        check("approx_quantile", "q", column="amount", quantile=1, scope="late", mustBe=5),
    ]
    run = verify(frame, viewed(*checks, late="day >= DATE '2026-01-02' AND country = 'DE'"), samples=20)
    late = [row for row in rows if row[1] >= "2026-01-02" and row[2] == "DE"]
    found = {each.check_id: (each.value, str(each.outcome)) for each in run.results if each.scope == "late"}
    assert found == {
        "c": (sum(row[3] is not None for row in late) / len(late), "failed"),
        "u": (0.0, "failed"),
        "q": (5.0, "passed"),
    }
    shown = {each.check_id: [dict(zip(each.columns, row, strict=True)) for row in each.rows] for each in run.samples}
    assert len(shown["c"]) == sum(row[3] is None for row in late)
    assert {(row["day"] >= "2026-01-02", row["country"]) for each in shown.values() for row in each} == {(True, "DE")}
