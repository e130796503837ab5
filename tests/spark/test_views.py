"""Conditions on partition columns: Spark chooses by rows the partitions that the engine chooses by names."""

from typing import Any

from support.view_texts import CONDITIONS, ROWS, SCHEMA, TYPES

from contracts.predicates import parse, quote
from engine import views
from engine.spark import partitions


def test_the_engine_chooses_by_names_what_spark_chooses_by_rows(spark: Any) -> None:
    columns = list(TYPES)
    typed = ", ".join(f"{quote(name)} {kind}" for name, kind in TYPES.items())
    frame = spark.createDataFrame(ROWS, typed)
    asked = [f"coalesce({parse(text, schema=SCHEMA).sql}, false)" for text in CONDITIONS]
    told = frame.selectExpr(f"array({', '.join(partitions.keys(columns))})", f"array({', '.join(asked)})").collect()
    named = [(partitions.name(columns, keys), holds) for keys, holds in told]
    names = [name for name, _ in named]
    assert len(set(names)) == len(ROWS)

    by_rows = {text: [name for name, holds in named if holds[at]] for at, text in enumerate(CONDITIONS)}
    by_names = {text: list(views.chosen(text, names, SCHEMA)) for text in CONDITIONS}
    assert {text: by_names[text] for text in CONDITIONS if by_names[text] != by_rows[text]} == {}
    assert len({tuple(each) for each in by_rows.values()}) > 40
