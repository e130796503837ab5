"""Naive Bayes over merged counts: what it predicts, what a sample keeps, and how well it is said to predict."""

import numpy
import pyarrow
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError
from sklearn.metrics import precision_recall_fscore_support
from support.oracles import bags
from support.told_from import allowed, scores

from treaty.contracts.schema import Column, Schema
from treaty.engine.analyzers.predictability import Predictability
from treaty.engine.components import naive_bayes
from treaty.engine.components.naive_bayes import NaiveBayes, TokenCounts
from treaty.engine.components.prediction_quality import ConfusionMatrix, confusion_matrix
from treaty.engine.dsl.check import Check
from treaty.engine.dsl.limits import at_least, less_than
from treaty.engine.spark.scan.classifiers import CLASSIFIERS
from treaty.engine.states.schema_evolution import is_of_none

TOKENS = st.lists(st.sampled_from(["red", "blue", "new", "10", "x"]), min_size=1, max_size=4)
ROWS = st.lists(st.tuples(st.sampled_from("abc"), TOKENS), min_size=2, max_size=30)


@given(ROWS)
@settings(max_examples=60, deadline=None)
def test_each_row_is_predicted_by_what_all_others_tell(rows: list[tuple[str, list[str]]]) -> None:
    found = bags(rows).left_out
    may = {(target, tuple(tokens)): best for (target, tokens), best in zip(rows, allowed(rows), strict=True)}
    contents = {
        (found.classes[truth], n): found.classes[said]
        for truth, said, n in zip(found.truth, found.predicted, found.rows, strict=True)
    }
    assert sum(found.rows) == len(rows)
    kinds = sorted((target, rows.count((target, list(tokens)))) for target, tokens in may)
    assert sorted(zip((found.classes[at] for at in found.truth), found.rows, strict=True)) == kinds
    for (target, n), said in contents.items():
        assert any(
            said in best for (of, tokens), best in may.items() if of == target and rows.count((of, list(tokens))) == n
        )


@given(ROWS, st.data())
@settings(max_examples=60, deadline=None)
def test_rows_that_are_held_out_are_predicted_by_the_others(
    rows: list[tuple[str, list[str]]], data: st.DataObject
) -> None:
    at = data.draw(st.integers(0, len(rows) - 1))
    held = [place for place, row in enumerate(rows) if row == rows[at]]
    learned = [row for place, row in enumerate(rows) if place not in held]
    found = bags(rows, held).held_out
    if not learned:
        assert found.quality("f1") is None
        return
    best = scores(rows[at], learned, len({token for _, tokens in learned for token in tokens}))
    assert best[found.classes[found.predicted[0]]] >= max(best.values()) - 1e-9
    assert list(found.rows) == [len(held)]


@pytest.mark.search
@given(ROWS, st.integers(1, 5), st.integers(2, 6))
@settings(max_examples=60, deadline=None)
def test_the_same_rows_are_judged_however_they_were_cut(
    rows: list[tuple[str, list[str]]], kept: int, parts: int
) -> None:
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(naive_bayes, "MAX_TEST_ROWS", kept)
        whole = bags(rows)
        pieces = [bags(rows[at::parts]) for at in range(parts)]
        merged = NaiveBayes().merge_all(pieces)
        nested = NaiveBayes().merge(NaiveBayes().merge_all(pieces[1:]), pieces[0])
    assert NaiveBayes().dump(merged) == NaiveBayes().dump(nested) == NaiveBayes().dump(whole)
    assert len(set(whole.test_rows[0])) <= kept
    assert merged.left_out.quality("f1") == whole.left_out.quality("f1")


@given(st.lists(st.tuples(st.sampled_from("abcd"), st.sampled_from("abcd"), st.integers(1, 50)), min_size=1))
@settings(max_examples=60, deadline=None)
def test_measures_are_those_of_scikit_learn(tally: list[tuple[str, str, int]]) -> None:
    truth, said, rows = zip(*tally, strict=True)
    wanted = precision_recall_fscore_support(truth, said, average="weighted", sample_weight=rows, zero_division=0)
    found = confusion_matrix(tally)
    measured = [found.quality("precision"), found.quality("recall"), found.quality("f1")]
    assert measured == pytest.approx(list(wanted[:3]), abs=1e-12)


def test_details_say_how_each_class_is_told() -> None:
    found = confusion_matrix([("a", "a", 6), ("a", "b", 2), ("b", "b", 2)]).details()
    assert found["rows"] == 10
    assert found["values"] == [
        {"value": "a", "count": 8, "f1": 12 / 14, "precision": 1.0, "recall": 0.75},
        {"value": "b", "count": 2, "f1": 4 / 6, "precision": 0.5, "recall": 1.0},
    ]


def test_a_class_of_which_nothing_was_learned_is_never_predicted() -> None:
    found = bags([("a", ["x"]), ("a", ["x"]), ("b", ["y", "y", "y"])]).left_out
    assert {found.classes[at] for at in found.predicted} == {"a"}


@pytest.mark.search
def test_ten_thousand_classes_are_told_in_bounded_memory() -> None:
    classes = [f"class {at:05d}" for at in range(10_000) for _ in range(2)]
    found = bags([(name, [name, "all", f"row {at}"]) for at, name in enumerate(classes)])
    assert found.left_out.quality("recall") > 0.9, "a few share a bucket with another"
    assert len(set(found.test_rows[0])) == naive_bayes.MAX_TEST_ROWS


def test_nothing_to_judge_has_no_value() -> None:
    none = ConfusionMatrix([], *numpy.zeros((3, 0), dtype="int64"))
    assert (none.quality("f1"), confusion_matrix(()).quality("recall")) == (None, None)
    assert bags([("a", ["x"])]).left_out.quality("f1") is None


def test_one_combination_in_several_lines_is_one() -> None:
    table = bags([("a", ["x"]), ("b", ["x"])]).table()
    both = TokenCounts.of(pyarrow.concat_tables([table, table]))
    assert both.table().equals(bags([("a", ["x"]), ("b", ["x"])] * 2).table())


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"inputs": ["brand"]}, "the target must not be one of the inputs"),
        ({"inputs": []}, "at least 1 item"),
        ({"inputs": ["name"], "measure": "auc"}, "'f1', 'precision' or 'recall'"),
        ({"inputs": ["name"], "classifier": "logistic_regression"}, "needs split_by: the columns whose hash"),
        ({"inputs": ["name"], "classifier": "oracle"}, "'naive_bayes' or 'logistic_regression'"),
    ],
)
def test_what_says_nothing_is_refused(arguments: dict[str, object], said: str) -> None:
    with pytest.raises(ValidationError, match=said):
        Predictability.model_validate({"target": "brand", **arguments})


def test_every_classifier_that_a_contract_may_name_is_there() -> None:
    named = Predictability.model_json_schema()["properties"]["classifier"]["enum"]
    assert set(named) == {"naive_bayes", *CLASSIFIERS}


SCHEMA = Schema((Column("brand", "string"), Column("name", "string"), Column("id", "bigint")))


def test_what_is_read_depends_on_the_columns_and_on_nothing_else() -> None:
    measures = [Predictability(target="brand", inputs=("name",), measure=each) for each in ("f1", "recall")]
    keys = {each.bind(SCHEMA).parts["features"].key for each in measures}
    split = Predictability(target="brand", inputs=("name",), split_by=("id",)).bind(SCHEMA).parts["features"].key
    assert keys == {"naive_bayes/1 tokens of (`name`) by `brand`"}
    assert split == "naive_bayes/1 tokens of (`name`) by `brand` held out by (`id`)"
    assert is_of_none(NaiveBayes(), split, Schema((Column("other", "string"),)))
    assert not is_of_none(NaiveBayes(), split, Schema((Column("brand", "string"),)))


def test_the_classes_of_a_classified_target_are_not_told() -> None:
    rows = bags([("a", ["x"]), ("a", ["x"]), ("b", ["y"])])
    analyzer = Predictability(target="brand", inputs=("name",))
    for classified in (frozenset(), frozenset({("brand",)})):
        bound = analyzer.bind(Schema(SCHEMA.columns, classified))
        reading = bound.read({part.key: rows if name == "features" else 3 for name, part in bound.parts.items()})
        assert (reading.details is None, bound.parts["features"].is_transient) == (bool(classified), bool(classified))
        assert reading.value == pytest.approx(2 / 3 * 4 / 5)


def test_a_chain_names_one_measure() -> None:
    check = Check.warning().has_predictability("brand", ["name", "size"], f1=0.97, where="id > 0")
    (promise,) = check.promises
    assert (promise.assertion, promise.arguments["measure"]) == (at_least(0.97), "f1")
    (promise,) = Check.error().has_predictability("brand", "name", recall=less_than(0.5)).promises
    assert (promise.assertion, promise.arguments["measure"]) == (less_than(0.5), "recall")
    for named in ({}, {"f1": 0.9, "recall": 0.9}):
        with pytest.raises(ValueError, match="give exactly one of f1, precision and recall"):
            Check.error().has_predictability("brand", "name", **named)
