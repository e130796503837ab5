"""Samples: which checks have one, which columns they show, and which of those as a mask."""

from typing import Any

import pytest
from support.orders import NOW, ROWS, SCHEMA, check, contract, on, run, states

from treaty.contracts.schema import Column, Schema
from treaty.engine.checks.binding import bind
from treaty.engine.core.results import Measurement
from treaty.engine.evaluation.violation_samples import MOST_COLUMNS, is_masked, redact, sample_columns, sampled_checks

STRICT = {"classification": "restricted"}


def masked(properties: list[dict[str, Any]], path: str, tags: list[str] | None = None) -> bool:
    given = contract(properties=properties).object("orders")
    return is_masked(given if tags is None else _tagged(given, tags), tuple(path.split("/")))


def _tagged(given: Any, tags: list[str]) -> Any:
    from dataclasses import replace

    return replace(given, tags=tuple(tags))


def column(name: str = "c", **words: Any) -> dict[str, Any]:
    return {"name": name, "logicalType": "string", **words}


def place(**words: Any) -> dict[str, Any]:
    return {**column("place", **words), "logicalType": "object"}


MASKS = [
    ([column()], "c", None, False),
    ([column(classification="public")], "c", None, False),
    ([column(classification=" Internal ")], "c", None, False),
    ([column(classification="restricted")], "c", None, True),
    ([column(classification="PII")], "c", None, True),
    ([column(classification="a word of our own")], "c", None, True),
    ([column(tags=["finance"])], "c", None, False),
    ([column(tags=["finance", "PII"])], "c", None, True),
    ([column(tags=["data:personal"])], "c", None, True),
    ([column(tags=["impersonal"])], "c", None, False),
    ([column(encryptedName="c_enc")], "c", None, True),
    ([column(criticalDataElement=True)], "c", None, False),
    ([column("C", **STRICT)], "c", None, True),
    ([column()], "other", None, True),
    ([], "other", None, False),
    ([], "other", ["pii"], True),
    ([column()], "c", ["pii"], True),
    ([column(classification="public")], "c", ["pii"], False),
    ([column(classification="public", tags=["pii"])], "c", None, True),
    ([place(properties=[column("town"), column("lat", **STRICT)])], "place", None, True),
    ([place(properties=[column("town"), column("lat", **STRICT)])], "place/town", None, False),
    ([place(properties=[column("town"), column("lat", **STRICT)])], "place/lat", None, True),
    ([place(properties=[column("town")])], "place/street", None, True),
    ([place(**STRICT, properties=[column("town")])], "place/town", None, True),
    ([place()], "place/anything", None, False),
    ([{"name": "all", "logicalType": "array", "items": column("one", **STRICT)}], "all", None, True),
]


@pytest.mark.parametrize(("properties", "path", "tags", "expected"), MASKS)
def test_what_is_classified_is_masked(
    properties: list[dict[str, Any]], path: str, tags: list[str] | None, *, expected: bool
) -> None:
    assert masked(properties, path, tags) is expected


def paths(given: Any, schema: Schema = SCHEMA, by: tuple[str, ...] = ()) -> list[tuple[str, bool]]:
    bound = bind(given.object("orders"), schema)
    (one,) = [each for each in bound.checks if each.check.id == "c"]
    return [(each.path, each.masked) for each in sample_columns(one, bound, by)]


def test_the_columns_of_the_check_come_first_then_key_and_partition_then_the_rest() -> None:
    entry = check("compliance", predicate="amount > 0", where="status = 'new'", mustBe=1)
    keyed = on("id", primaryKey=True)
    assert paths(contract(entry, properties=keyed)) == [("amount", False), ("status", False), ("id", False)]
    by = check("completeness", column="status", mustBe=1)
    assert [path for path, _ in paths(contract(by), by=("amount",))] == ["status", "amount", "id"]


def test_columns_that_the_contract_does_not_declare_are_shown_only_where_the_check_names_them_and_masked() -> None:
    wide = Schema((*SCHEMA.columns, Column("ssn", "string")))
    assert "ssn" not in dict(paths(contract(check("completeness", column="id", mustBe=1)), wide))
    assert paths(contract(check("completeness", column="ssn", mustBe=1)), wide)[0] == ("ssn", True)


def test_of_a_wide_table_only_the_first_columns_are_shown() -> None:
    wide = Schema((*SCHEMA.columns, *(Column(f"c{each}", "string") for each in range(50))))
    given = contract(check("completeness", column="c49", mustBe=1), properties=[])
    assert [path for path, _ in paths(given, wide)] == ["c49", "id", "amount", "status", *(f"c{n}" for n in range(8))]
    assert MOST_COLUMNS == 12


def test_failed_checks_that_rows_break_are_wanted_in_the_partitions_where_they_failed() -> None:
    given = contract(
        check("completeness", "amounts", column="amount", mustBe=1),
        check("mean", "mean", column="amount", mustBe=0),
        check("uniqueness", "ids", column="status", mustBe=1),
        check("completeness", "held", column="id", mustBe=1),
    )
    whole = {**ROWS, "amount": [1.0] * 4}
    told = run(given, {f"day={day}": states(given, rows) for day, rows in ((1, ROWS), (2, whole), (3, ROWS))})
    bound = bind(given.object("orders"), SCHEMA)
    assert sampled_checks(bound, told.results) == {"amounts": ("day=1", "day=3"), "ids": ()}
    assert told.started_at == NOW


def test_a_table_that_is_one_partition_is_wanted_whole() -> None:
    given = contract(check("completeness", "amounts", column="amount", mustBe=1))
    told = run(given, {"": states(given, ROWS)})
    assert sampled_checks(bind(given.object("orders"), SCHEMA), told.results) == {"amounts": ()}


def test_distributions_of_masked_columns_are_left_out_and_others_kept() -> None:
    given = contract(
        check("completeness", "states", column="status", mustBe=1),
        check("completeness", "amounts", column="amount", mustBe=1),
        check("compliance", "both", predicate="amount > 0 OR status = 'new'", mustBe=1),
        properties=on("status", **STRICT),
    )
    bound = bind(given.object("orders"), SCHEMA)
    told = run(given, {"": states(given, ROWS)})
    filled = told.model_copy(update={"measurements": tuple(map(_filled, told.measurements))})
    kept = {each.analyzer.identity: each.check.id for each in bound.checks if each.analyzer}
    assert {kept[each.identity]: each.details for each in redact(bound, filled).measurements} == {
        "states": None, "amounts": {"new": 2}, "both": None,
    }  # fmt: skip


def _filled(measurement: Measurement) -> Measurement:
    return measurement.model_copy(update={"details": {"new": 2}})


def test_the_smallest_text_of_a_masked_column_is_judged_and_not_shown() -> None:
    given = contract(
        check("minimum", "first", column="status", mustBe="zzz"),
        check("minimum", "least", column="amount", mustBeGreaterOrEqualTo=0),
        properties=on("status", **STRICT),
    )
    told = run(given, {"": states(given, ROWS)})
    kept = redact(bind(given.object("orders"), SCHEMA), told)
    before, after = ({each.check_id: each for each in one.results} for one in (told, kept))
    assert before["first"].value in str(before["first"].finding)
    assert (after["first"].value, after["first"].outcome) == (None, before["first"].outcome)
    assert str(before["first"].value) not in f"{after['first'].finding} {[each.value for each in kept.measurements]}"
    assert after["least"] == before["least"]
