"""A summary from stored states tells what one from the values does, and programs of the one judge the other."""

import numpy
import pytest
from support.oracles import STATE_OF

from treaty.engine.core.number_format import percentage
from treaty.engine.programs.explanations import broken, explain_program
from treaty.engine.programs.fitting import fit
from treaty.engine.programs.history import Batch, ColumnHistory
from treaty.engine.programs.program import ColumnProgram
from treaty.engine.programs.recipe import RECIPE
from treaty.engine.statistics.column_values import ColumnValues
from treaty.engine.statistics.statistics import STATISTICS, compute_statistics
from treaty.engine.statistics.stored_summaries import frequent, numbers, texts
from treaty.engine.statistics.summaries import NumberSummary, summary


def drawn(at: int) -> ColumnValues:
    return ColumnValues(numpy.random.default_rng(at).integers(0, 50, 150).astype(float))


def stored(given: ColumnValues) -> NumberSummary:
    listed = given.values.tolist()
    return numbers(len(listed), STATE_OF["moments"](listed), STATE_OF["quantiles"](listed), len(set(listed)))


def test_numbers_are_told_from_states_as_from_values() -> None:
    first, second = drawn(1), drawn(2)
    found = compute_statistics(stored(second), stored(first))
    expected = compute_statistics(summary(second), summary(first))
    assert found.keys() == expected.keys()
    assert found == pytest.approx(expected, rel=1e-9)


def test_texts_are_told_from_tallies_as_from_values() -> None:
    columns = [["a", "b", "a", "c-1"] * 5, ["a", "b", "b", "d"] * 5]
    whole = [summary(ColumnValues(numpy.array(values, dtype=object))) for values in columns]
    kept = [texts(20, 20, 3, values=frequent(STATE_OF["heavy_hitters"](values))) for values in columns]
    found, expected = compute_statistics(kept[1], kept[0]), compute_statistics(whole[1], whole[0])
    known = {name: value for name, value in found.items() if value is not None}
    assert {name for name in known if STATISTICS[name].is_distance} == {name for name in expected if "values" in name}
    assert known == pytest.approx({name: expected[name] for name in known}, rel=1e-9)


def test_a_state_of_no_values_is_an_empty_tally() -> None:
    found = frequent(None)
    assert found is not None
    assert (found.rows, len(found.counts)) == (0, 0)
    assert compute_statistics(texts(5, 0, length=0.0, padded=0.0, values=found), texts(5, 0))["mean_length"] is None


@pytest.fixture(scope="module")
def program() -> tuple[ColumnProgram, ColumnHistory]:
    columns = [drawn(at) for at in range(30)]
    known = ColumnHistory.of(Batch(str(at), stored(each)) for at, each in enumerate(columns))
    found = fit(known, RECIPE, columns[-1])
    assert isinstance(found, ColumnProgram)
    return found, known


def test_a_program_of_states_judges_states(program: tuple[ColumnProgram, ColumnHistory]) -> None:
    found, known = program
    assert not found.judge(stored(drawn(99)), known).flagged
    assert found.judge(stored(ColumnValues(drawn(99).values * 100)), known).flagged


def test_a_program_says_of_each_clause_what_it_admits_catches_and_costs(
    program: tuple[ColumnProgram, ColumnHistory],
) -> None:
    found, _ = program
    sentences = explain_program(found)
    assert len(sentences) == len(found.clauses) + 3
    for clause, said in zip(found.clauses, sentences, strict=False):
        assert f"{clause.alarms} of {clause.points} times" in said
        assert f"catches {percentage(clause.caught)} of the issues" in said
    assert "no guarantee" in sentences[-2]


def test_a_broken_clause_says_what_it_saw(program: tuple[ColumnProgram, ColumnHistory]) -> None:
    found, known = program
    judged = found.judge(stored(ColumnValues(drawn(99).values[:10])), known)
    assert any(broken(each).startswith("row count is 10, expected between") for each in judged.broken)
    kept = [each for each in judged.verdicts if each.holds]
    assert {broken(each) for each in kept} <= {""}
    empty = found.judge(numbers(0, (0, 0.0, 0.0)), known)
    assert any("was not evaluated: the partition has no value" in broken(each) for each in empty.verdicts)
