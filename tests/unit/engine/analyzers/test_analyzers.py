"""Every registered analyzer: declared in full, known by its name, the same for the same arguments."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.analyzer_cases import CASES
from support.analyzer_table import Case
from support.every import every

from treaty.engine.analyzers import ANALYZERS
from treaty.engine.analyzers.base import Analyzer
from treaty.engine.analyzers.numbers import Mean
from treaty.engine.components import codec
from treaty.engine.components.base import Component, CountComponent

NAMES = sorted(ANALYZERS)


@every("name", NAMES)
def test_an_analyzer_says_what_it_counts_and_is_made_of(name: str) -> None:
    kind = ANALYZERS[name]
    assert kind.unit in {
        "rows",
        "values",
        "value",
        "share",
        "ratio",
        "coefficient",
        "nats",
        "characters",
        "columns",
        "time",
        "bins",
        "chance",
        "distance",
    }
    assert kind.__doc__
    assert kind.components
    assert all(field.description for field in kind.model_fields.values())


@every("case", CASES, ids=lambda case: case.id)
def test_an_analyzer_is_its_arguments(case: Case) -> None:
    again = type(case.analyzer).model_validate({**case.analyzer.arguments()})
    assert again == case.analyzer
    assert again.identity == case.analyzer.identity


def test_identities_are_all_different() -> None:
    analyzers = {case.analyzer for case in CASES}
    assert len({each.identity for each in analyzers}) == len(analyzers)


def test_analyzers_that_differ_are_phrased_differently() -> None:
    analyzers = {case.analyzer for case in CASES}
    assert len({each.phrase for each in analyzers}) == len(analyzers)


def test_two_analyzers_of_one_name_are_refused() -> None:
    with pytest.raises(TypeError, match="an analyzer named 'mean' already exists"):

        class Other(Analyzer):
            name = "mean"
            rows = CountComponent()

    assert ANALYZERS["mean"] is Mean


def test_two_components_of_one_kind_are_refused() -> None:
    with pytest.raises(TypeError, match="a component of kind 'count' already exists"):

        class Other(Component):
            kind = "count"


def test_the_columns_of_predicates_are_named_once() -> None:
    found = Mean(column="a", where="a > 1 AND `b.c` = 2 AND d.e IS NULL")
    assert found.columns_named == ("a", "`b.c`", "d.e")
    assert found.columns_read == ("a",)


PLAIN = st.one_of(
    st.none(),
    st.booleans(),
    st.text(),
    st.integers(),
    st.floats(),
    st.decimals(),
    st.dates(),
    st.datetimes().map(lambda moment: moment.replace(fold=0)),
)


@given(st.one_of(PLAIN, st.lists(PLAIN).map(tuple)))
def test_plain_values_survive_their_bytes(value: Any) -> None:
    assert repr(codec.load(codec.dump(value))) == repr(value)
