"""Clauses of programs in a contract that are refitted: which later limits may judge, and what stored states tell."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from types import MappingProxyType
from typing import Any

import numpy
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError
from support.orders import SCHEMA, check, contract, states

from treaty.engine.anomaly.learned_programs import ProgramClause
from treaty.engine.checks.binding import bind
from treaty.engine.programs.newest_partitions import TIMES
from treaty.engine.programs.program import NoProgram
from treaty.engine.programs.refitting.refits import Refit, of_states, refits, watched_clauses

START = datetime(2026, 1, 1, tzinfo=UTC)
MEAN = {"detector": "program", "of": "amount", "lower": 90.0, "upper": 110.0, "rate": 0.001, "width": 12.0}
STEP = {**MEAN, "lag": 1, "lower": -20.0, "upper": 20.0}
GUARD = {"detector": "program", "of": "amount", "lower": 0.5, "points": 20}
ROWS = {"detector": "program", "of": "the table", "lower": 10, "upper": 100, "points": 20}
WHOLE = {"detector": "program", "of": "the table", "lower": 0.2, "rate": 0.001, "width": 10.0, "points": 20}
APART = {**MEAN, "lower": None, "upper": 0.9, "refit": "tighten_only"}
PROMISED = contract(
    check("mean", "mean", column="amount", mustHaveNoAnomalies={**MEAN, "refit": "tighten_only"}),
    check("mean", "step", column="amount", mustHaveNoAnomalies={**STEP, "refit": "within: 10%"}),
    check("completeness", "there", column="amount", mustHaveNoAnomalies={**GUARD, "refit": "tighten_only"}),
    check("distance", "apart", column="amount", by="kolmogorov_smirnov", mustHaveNoAnomalies=APART),
    check("size", "rows", mustHaveNoAnomalies=ROWS),
    check("mean_completeness", "whole", columns=["amount", "status"], mustHaveNoAnomalies=WHOLE),
    check("size", "other", mustBeGreaterThan=1),
)
LIMITS = st.tuples(st.floats(-1e6, 1e6), st.floats(-1e6, 1e6)).map(sorted).map(tuple)


def clause(**more: Any) -> ProgramClause:
    return ProgramClause.model_validate({"of": "x", "width": 5.0, "rate": 0.001, **more})


def day(at: int) -> str:
    return f"day={(START + timedelta(days=at)).date()}"


def table(days: int = 30, odd: Mapping[int, Sequence[float]] = MappingProxyType({})) -> dict[str, bytes]:
    """The packed states of so many days, and of those that are not like others."""
    found = {}
    for at in range(days):
        amounts = numpy.random.default_rng(at).normal(100, 2, 40)
        values = [float(each) for each in odd.get(at, amounts)]
        found[day(at)] = states(
            PROMISED, {"id": range(len(values)), "amount": values, "status": [""] * len(values)}
        ).pack()
    return found


def refitted(packed: dict[str, bytes], *spoilt: str) -> dict[str, Refit | NoProgram]:
    wanted = list(watched_clauses(bind(PROMISED.object("orders"), SCHEMA)))
    return refits(wanted, of_states(wanted, SCHEMA, packed, excluded_partitions=frozenset(spoilt)))


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ({"refit": "looser"}, "refit must be"),
        ({"refit": "within: ten"}, "refit must be"),
        ({"refit": "tighten_only", "width": None}, "needs a width"),
        ({"lower": None, "upper": None}, "at least one limit"),
    ],
)
def test_a_recipe_that_says_nothing_is_refused(words: dict[str, Any], told: str) -> None:
    with pytest.raises(ValidationError, match=told):
        clause(**{"lower": 1.0, "upper": 5.0, **words})


@pytest.mark.parametrize(
    ("refit", "approved", "later", "admitted"),
    [
        ("pinned", (0, 10), (0, 10), False),
        ("tighten_only", (0, 10), (0, 10), True),
        ("tighten_only", (0, 10), (1, 9), True),
        ("tighten_only", (0, 10), (1, 10.1), False),
        ("tighten_only", (None, 10), (None, 9), True),
        ("tighten_only", (None, 10), (1, 9), False),
        ("tighten_only", (0, 10), (None, 9), False),
        ("within: 10%", (0, 10), (-1, 11), True),
        ("within: 10 %", (0, 10), (-1.1, 10), False),
        ("within: 2.5%", (None, 200), (None, 205), True),
        ("within: 2.5%", (None, 200), (None, 206), False),
    ],
)
def test_later_limits_judge_where_the_recipe_admits_them(
    refit: str, approved: Any, later: Any, *, admitted: bool
) -> None:
    assert clause(lower=approved[0], upper=approved[1], refit=refit).admits(later) is admitted


@given(four=st.tuples(*[st.floats(-1e6, 1e6)] * 4), order=st.permutations(range(4)))
def test_what_only_tightens_never_admits_what_was_not_approved(four: Any, order: Sequence[int]) -> None:
    approved, later = sorted(four[at] for at in order[:2]), sorted(four[at] for at in order[2:])
    only = clause(lower=approved[0], upper=approved[1], refit="tighten_only")
    within = all(approved[0] <= edge <= approved[1] for edge in later)
    assert only.admits((later[0], later[1])) is within


@given(approved=LIMITS, later=LIMITS, share=st.integers(0, 50))
def test_a_larger_share_admits_all_that_a_smaller_one_does(approved: Any, later: Any, share: int) -> None:
    less, more = (clause(lower=approved[0], upper=approved[1], refit=f"within: {each}%") for each in (share, share + 9))
    assert more.admits(later) or not less.admits(later)
    assert clause(lower=approved[0], upper=approved[1], refit="within: 0%").admits(approved)


def test_a_fit_is_named_by_its_limits_until_it_has_a_name() -> None:
    given_ = clause(lower=1, upper=5)
    assert given_.named == clause(lower=1, upper=5, refit="tighten_only").named != clause(lower=1, upper=6).named
    later = given_.fitted((2.0, 4.0), 30, "abc")
    assert (later.limits, later.points, later.named, later.width) == ((2.0, 4.0), 30, "abc", 5.0)


def test_stored_states_tell_each_clause_its_limits_and_how_often_they_would_have_alarmed() -> None:
    found = refitted(table())
    assert found.keys() == {"mean", "step", "there", "apart", "rows", "whole"}
    for name, refit in found.items():
        assert isinstance(refit, Refit)
        assert (refit.points, refit.evaluated, refit.alarms) == (30, 16, ()), name
        assert (refit.lower is None) is (refit.watched.clause.lower is None)
    mean, step = found["mean"], found["step"]
    assert isinstance(mean, Refit)
    assert isinstance(step, Refit)
    assert mean.lower is not None
    assert mean.upper is not None
    assert 90 < mean.lower < 100 < mean.upper < 110
    assert mean.watched.clause.admits(mean.limits)
    assert (len(step.observed), step.observed[0]) == (30, None)


def test_nothing_is_learned_from_spoilt_partitions_and_the_newest_alone_are_read() -> None:
    bad = [108.0, 112.0] * 20
    odd = dict.fromkeys((20, 24, 27), bad)
    wide, mean = refitted(table(odd=odd))["mean"], refitted(table(odd=odd), day(20), day(24), day(27))["mean"]
    assert isinstance(wide, Refit)
    assert isinstance(mean, Refit)
    assert mean.points == 27
    assert (mean.upper or 0) < 110 < (wide.upper or 0)
    assert not {day(20), day(24), day(27)} & {*mean.partitions, *mean.alarms}
    many = refitted(table(TIMES + 5))["mean"]
    assert isinstance(many, Refit)
    assert many.partitions[0] == day(5)


def test_what_has_too_little_history_or_no_order_keeps_its_limits() -> None:
    assert str(refitted(table(9))["mean"]) == "learning: 9 of 14 partitions"
    damaged = dict.fromkeys(table(20), b"no states")
    assert str(refitted(damaged)["mean"]) == "learning: 0 of 14 partitions"
    with pytest.raises(ValueError, match="partition the table by a date"):
        refitted({"land=DE": b""})
