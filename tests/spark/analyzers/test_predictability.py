"""Predictability on Spark: tokens of every type, counts by partition that are those of the whole, other classifiers."""

from typing import Any

import pytest
from support.analyzer_table import SCHEMA
from support.frames import case_frame

from treaty.contracts.schema import Schema
from treaty.engine.analyzers.base import operand_of
from treaty.engine.analyzers.predictability import Predictability
from treaty.engine.components import hashed_features as sql
from treaty.engine.components.naive_bayes import NaiveBayes
from treaty.engine.dsl.check import Check
from treaty.engine.spark.scan import features
from treaty.engine.spark.scan.scanner import scan
from treaty.engine.spark.scan.separate_statements import NONE, whole_table_states
from treaty.engine.spark.sources.readers import schema_of
from treaty.engine.states import bag as bags
from treaty.engine.states.bag import StateBag
from treaty.engine.states.planning.scan_plan import plan

TOKENS = {
    "status": (["new"], ["new"], ["paid"], [None], ["o", "neil"], ["back", "slash"]),
    "words": ([""], ["a"], ["ä", ""], ["", "a", ""], ["line", ""], [None]),
    "small": (["1", "~0.0"], ["2", "~2.0"], [None], ["0", "~"], ["-3", "-~3.0"], ["0", "~"]),
    "price": (["10.10", "~7.0"], ["0.20", "~-5.0"], [None], ["-5.00", "-~5.0"], ["3.30", "~3.0"], ["0.20", "~-5.0"]),
    "wild": (["NaN", "~NaN"], ["NaN", "~NaN"], ["Infinity", "~Infinity"], [None], ["1.0", "~0.0"], ["-1.0", "-~0.0"]),
    "day": (["y2026", "m1", "w3", "h0"], ["y2026", "m1", "w5", "h0"], ["y2026", "m1", "w4", "h0"], [None],
            ["y2026", "m1", "w3", "h0"], ["y1969", "m12", "w2", "h0"]),
    "arrived": (["y2026", "m1", "w3", "h13"], ["y2026", "m1", "w6", "h0"], [None], ["y2026", "m1", "w6", "h0"],
                ["y2025", "m12", "w2", "h23"], [None]),
    "local": (["y2026", "m1", "w3", "h12"], ["y2026", "m1", "w6", "h0"], [None], [None], [None],
              ["y1960", "m1", "w4", "h0"]),
    "open": (["true"], ["false"], ["true"], [None], ["true"], ["true"]),
    "blob": (["YQ=="], [""], [None], ["Yw=="], ["ZA=="], ["ZQ=="]),
}  # fmt: skip
ROWS = 1500
SPLIT = Predictability(target="brand", inputs=("name", "price"), split_by=("id",))
NAIVE = Predictability(target="brand", inputs=("name", "price"))
REGRESSION = Predictability(**{**dict(SPLIT), "classifier": "logistic_regression"})


@pytest.fixture(scope="module")
def products(spark: Any) -> Any:
    """Products whose name has one of twenty words of the brand, and others; of one in ten no price, none of the day."""
    return (
        spark.range(ROWS)
        .selectExpr(
            "id",
            "if(id % 50 = 7, null, concat('brand ', id % 5)) as brand",
            "concat(if(id % 41 = 3, 'x', concat('W', (id % 5) * 4 + id % 4)), ' x', id % 17, ' y', id % 23) as name",
            "if(id % 10 = 0, null, cast(id % 13 as decimal(9,2))) as price",
            "concat('d', id % 4) as day",
        )
        .cache()
    )


def measured(frame: Any, *analyzers: Predictability, by: tuple[str, ...] = ()) -> dict[str, StateBag]:
    return scan(frame, plan([each.bind(schema_of(frame)) for each in analyzers]), partition_by=by)


def state(analyzer: Predictability, bag: StateBag) -> bytes:
    return NaiveBayes().dump(bag.values[analyzer.bind(bag.schema).parts["features"].key])


def test_every_type_is_cut_into_tokens(spark: Any) -> None:
    named = {name: sql.tokens(operand_of(name, SCHEMA)) for name in TOKENS}
    rows = case_frame(spark).selectExpr("id", *(f"{each} as `{name}`" for name, each in named.items())).collect()
    found = {name: tuple(row[name] for row in sorted(rows)) for name in TOKENS}
    assert found == TOKENS


def test_partitions_added_up_are_the_whole_to_the_last_byte(products: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(features, "MAX_TEST_ROWS", 100)
    monkeypatch.setattr("treaty.engine.components.naive_bayes.MAX_TEST_ROWS", 100)
    one = measured(products, NAIVE, SPLIT)[""]
    parted = measured(products.repartition(3), NAIVE, SPLIT, by=("day",))
    merged = bags.merge(bags.unpack(each.pack()) for each in parted.values())
    assert merged is not None
    assert len(parted) == 4
    for analyzer in (NAIVE, SPLIT):
        assert state(analyzer, merged) == state(analyzer, one)
        assert analyzer.bind(one.schema).value(merged.values) == analyzer.bind(one.schema).value(one.values)
        assert len(set(one.values[analyzer.bind(one.schema).parts["features"].key].test_rows[0])) == 100


def test_brands_are_told_by_names_and_a_fifth_is_held_out(products: Any) -> None:
    bag = measured(products, NAIVE, SPLIT)[""]
    left_out, held_out = (each.bind(bag.schema).read(bag.values) for each in (NAIVE, SPLIT))
    assert left_out.counted == held_out.counted == ROWS * 98 / 100
    assert left_out.details["rows"] == ROWS * 98 / 100
    assert 0.15 < held_out.details["rows"] / left_out.details["rows"] < 0.25
    assert 0.95 < held_out.value < 1
    assert 0.95 < left_out.value < 1


def test_names_that_are_mixed_up_tell_less(products: Any) -> None:
    mixed = products.selectExpr("id", "price", "name", "if(id % 3 = 0, concat('brand ', (id + 1) % 5), brand) as brand")
    before, after = (measured(each, NAIVE)[""] for each in (products, mixed))
    bound = NAIVE.bind(before.schema)
    assert bound.value(after.values) < bound.value(before.values) - 0.2


def test_another_classifier_learns_of_the_same_rows(products: Any) -> None:
    bound = REGRESSION.bind(schema_of(products))
    bag = whole_table_states(products, plan((), of_all=[bound]), NONE)
    assert bag is not None
    naive = measured(products, SPLIT)[""]
    reading = bound.read({**naive.values, **bag.values})
    told = SPLIT.bind(naive.schema).read(naive.values)
    assert reading.details["rows"] == told.details["rows"]
    assert reading.value > 0.95


def test_a_contract_promises_it(products: Any) -> None:
    check = Check.error().has_predictability("brand", ["name"], f1=0.9)
    assert check.verify(products).verdict == "passed"
    assert check.has_predictability("day", ["price"], f1=0.9).verify(products).verdict == "failed"


def test_more_pairs_than_fit_are_refused(products: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(features, "MOST_PAIRS", 10)
    bag = measured(products, NAIVE)[""]
    assert bag.failures == {NAIVE.bind(bag.schema).parts["features"].key: features.TOO_MANY}


def test_a_classified_column_is_told_and_not_kept(products: Any) -> None:
    schema = schema_of(products)
    bound = NAIVE.bind(Schema(schema.columns, frozenset({("name",)})))
    bag = scan(products, plan([bound]))[""]
    assert bound.parts["features"].key not in bags.unpack(bag.pack()).entries
    assert bound.value(bag.values) > 0.9
