"""How far bad data come: along columns, over runs, and against the slow and obvious way to tell it."""

from collections.abc import Collection, Iterable, Iterator
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from treaty.registry.core.enums import ContaminationState
from treaty.registry.datasets.names import LineageName
from treaty.registry.lineage.downstream.propagation import (
    BadData,
    ColumnTrace,
    Contamination,
    ImpactHop,
    ImpactSearch,
    JobRead,
    JobRun,
    spread,
    states,
)
from treaty.registry.lineage.graph.flows import ColumnFeed, JobOutput

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
A, B, C, D, E = (LineageName("file", f"/{each}") for each in "abcde")
CHAIN = {(A, "ab", B): (), (B, "bc", C): (), (C, "cd", D): ()}
Links = dict[tuple[LineageName, str, LineageName], tuple[ColumnFeed, ...]]


def job(name: str) -> LineageName:
    return LineageName("shop", name)


def readers(links: Links, sources: frozenset[LineageName] | None = None):
    def found(datasets: Collection[LineageName]) -> Iterator[JobRead]:
        for (source, name, target), feeds in links.items():
            if source in datasets:
                yield JobRead(job(name), source, (JobOutput(target, feeds, sources),))

    return found


def reached(links: Links, *columns: str, depth: int = 20, most: int = 100) -> ImpactSearch:
    return spread(A, columns or None, readers(links), depth=depth, most=most)


def test_bad_data_go_along_jobs_and_their_way_is_told() -> None:
    found = reached(CHAIN).datasets
    assert {name: each.distance for name, each in found.items()} == {B: 1, C: 2, D: 3}
    assert found[C].path == (A, job("ab"), B, job("bc"), C)


@pytest.mark.parametrize("links", [{**CHAIN, (D, "da", A): ()}, {**CHAIN, (D, "db", B): (), (C, "cc", C): ()}])
def test_circles_end(links: Links) -> None:
    assert set(reached(links).datasets) == {B, C, D}


@pytest.mark.parametrize(("depth", "found"), [(0, set()), (1, {B}), (2, {B, C})])
def test_no_more_jobs_are_followed_than_asked(depth: int, found: set[LineageName]) -> None:
    assert set(reached(CHAIN, depth=depth).datasets) == found


def test_no_more_datasets_are_told_than_asked_and_that_is_said() -> None:
    wide: Links = {(A, "j", LineageName("file", f"/{at}")): () for at in range(10)}
    found = reached(wide, most=4)
    assert (len(found.datasets), found.complete, reached(wide).complete) == (4, False, True)


AMOUNT = ColumnFeed("total", A, "amount")
BY_DAY = ColumnFeed(None, A, "day", direct=False)


@pytest.mark.parametrize(
    ("feeds", "columns", "told"),
    [
        ((), ("amount",), (True, True, None)),
        ((AMOUNT,), ("amount",), (True, False, {"total"})),
        ((AMOUNT,), ("Amount.cents",), (True, False, {"total"})),
        ((AMOUNT,), ("other",), None),
        ((AMOUNT,), (), (True, False, None)),
        ((BY_DAY,), ("day",), (False, False, None)),
        ((BY_DAY,), (), (False, False, None)),
        ((BY_DAY, AMOUNT), ("day", "amount"), (True, False, None)),
        ((ColumnFeed("total", A, None),), ("anything",), (True, False, {"total"})),
        ((ColumnFeed("total", C, "amount"),), ("amount",), None),
        ((ColumnFeed("total", C, "amount"),), (), (True, True, None)),
    ],
)
def test_only_ways_that_use_the_columns_are_kept(
    feeds: tuple[ColumnFeed, ...], columns: tuple[str, ...], told: tuple[bool, bool, set[str] | None] | None
) -> None:
    found = reached({(A, "ab", B): feeds}, *columns).datasets
    assert [(each.direct, each.coarse, each.columns) for each in found.values()] == ([told] if told else [])


@pytest.mark.parametrize(("sources", "found"), [(None, {B}), (frozenset({A}), {B}), (frozenset({C}), set())])
def test_a_job_that_lists_what_feeds_a_dataset_is_taken_at_its_word(
    sources: frozenset[LineageName] | None, found: set[LineageName]
) -> None:
    for columns in (None, ["amount"]):
        told = spread(A, columns, readers({(A, "ab", B): ()}, sources), depth=3, most=9)
        assert set(told.datasets) == found


def test_what_is_reached_by_what_a_column_decides_stays_so() -> None:
    links: Links = {(A, "ab", B): (BY_DAY,), (B, "bc", C): (ColumnFeed("x", B, "y"),)}
    assert [each.direct for each in reached(links, "day").datasets.values()] == [False, False]


# Against the obvious: every walk, one by one.
NAMES = [A, B, C, D]
COLUMNS = ["x", "y"]
feeds = st.builds(
    ColumnFeed,
    st.sampled_from([*COLUMNS, None]),
    st.sampled_from(NAMES),
    st.sampled_from([*COLUMNS, None]),
    st.booleans(),
)
links = st.dictionaries(
    st.tuples(st.sampled_from(NAMES), st.sampled_from("pqr"), st.sampled_from(NAMES)),
    st.lists(feeds, max_size=4).map(tuple),
    max_size=7,
)


def walked(
    graph: Links, traces: Iterable[ColumnTrace], depth: int, distance: int = 0
) -> Iterator[tuple[int, ColumnTrace]]:
    """Every trace of every walk, with its distance: as slowly as can be."""
    for trace in traces if distance < depth else ():
        for (source, _, target), told in graph.items():
            if source == trace.dataset and target not in {A, source}:
                onward = set(obvious(trace, target, told))
                yield from ((distance + 1, each) for each in onward)
                yield from walked(graph, onward, depth, distance + 1)


def obvious(trace: ColumnTrace, target: LineageName, told: tuple[ColumnFeed, ...]) -> Iterator[ColumnTrace]:
    mine = [each for each in told if each.source == trace.dataset]
    if trace.column is None:
        direct = trace.direct and (not mine or any(each.direct for each in mine))
        yield ColumnTrace(target, None, direct, trace.coarse or not mine)
        return
    if not told:
        yield ColumnTrace(target, None, trace.direct, True)
    for each in mine:
        if each.of is None or each.of == trace.column:
            yield ColumnTrace(target, each.column, trace.direct and each.direct, trace.coarse)


@given(links, st.sets(st.sampled_from(COLUMNS)), st.integers(0, 4))
def test_the_reach_of_bad_data_is_what_every_walk_says(graph: Links, columns: set[str], depth: int) -> None:
    first = {ColumnTrace(A, each) for each in columns} or {ColumnTrace(A, None)}
    expected = list(walked(graph, first, depth))
    found = spread(A, columns, readers(graph), depth=depth, most=100).datasets
    assert {name: each.distance for name, each in found.items()} == {
        name: min(at for at, trace in expected if trace.dataset == name)
        for name in {each.dataset for _, each in expected}
    }
    for name, each in found.items():
        traces = [trace for _, trace in expected if trace.dataset == name]
        named = {trace.column for trace in traces}
        assert each.direct == any(trace.direct for trace in traces)
        assert each.coarse == all(trace.coarse for trace in traces)
        assert each.columns == (None if None in named else named)
        assert (len(each.path), each.path[0], each.path[-1]) == (2 * each.distance + 1, A, name)


def minute(at: int) -> datetime:
    return NOON + timedelta(minutes=at)


def ran(name: str, began: int, ended: int | None, *, failed: bool = False, **reads: str) -> JobRun:
    versions = {LineageName("file", f"/{each}"): version for each, version in reads.items()}
    return JobRun(
        job=job(name),
        started_at=minute(began),
        ended_at=None if ended is None else minute(ended),
        failed=failed,
        reads=versions,
    )


HOPS = [ImpactHop(source, job(name), target) for source, name, target in CHAIN]
CAME, FLIES, RISK = ContaminationState.CONTAMINATED, ContaminationState.IN_FLIGHT, ContaminationState.AT_RISK


@pytest.mark.parametrize(
    ("runs", "told"),
    [
        ([], {B: RISK, C: RISK, D: RISK}),
        ([ran("ab", -5, -1)], {B: RISK, C: RISK, D: RISK}),
        ([ran("ab", -1, 5)], {B: RISK, C: RISK, D: RISK}),
        ([ran("ab", 0, 5)], {B: CAME, C: RISK, D: RISK}),
        ([ran("ab", 0, 5), ran("bc", 5, 7), ran("cd", 8, 9)], {B: CAME, C: CAME, D: CAME}),
        ([ran("ab", 0, 5), ran("bc", 4, 7)], {B: CAME, C: RISK, D: RISK}),
        ([ran("bc", 4, 7)], {B: RISK, C: RISK, D: RISK}),
        ([ran("ab", 1, None)], {B: FLIES, C: RISK, D: RISK}),
        ([ran("ab", 1, None), ran("bc", 2, None)], {B: FLIES, C: RISK, D: RISK}),
        ([ran("ab", -1, None)], {B: RISK, C: RISK, D: RISK}),
        ([ran("ab", 1, 2, failed=True)], {B: RISK, C: RISK, D: RISK}),
        ([ran("ab", 0, 5), ran("bc", 6, None)], {B: CAME, C: FLIES, D: RISK}),
        ([ran("ab", -9, 1, a="7")], {B: CAME, C: RISK, D: RISK}),
        ([ran("ab", -9, 1, a="6")], {B: RISK, C: RISK, D: RISK}),
    ],
)
def test_what_runs_since_then_made_of_bad_data(runs: list[JobRun], told: dict[LineageName, ContaminationState]) -> None:
    found = states(BadData(A, NOON, version="7"), HOPS, runs)
    assert {name: each.state for name, each in found.items()} == told


def test_the_time_is_told_at_which_bad_data_came() -> None:
    found = states(BadData(A, NOON), HOPS, [ran("ab", 3, 9), ran("ab", 0, 5), ran("bc", 6, 8)])
    assert (found[B], found[C]) == (Contamination(CAME, minute(5)), Contamination(CAME, minute(8)))


@pytest.mark.parametrize(
    ("runs", "told"),
    [
        ([], {}),
        ([ran("ab", 1, 2)], {B: CAME}),
        ([ran("ab", 1, 2), ran("ab", 11, 12)], {}),
        ([ran("ab", 1, 2), ran("ab", 11, 12, failed=True)], {B: CAME}),
        ([ran("ab", 11, 12)], {}),
        ([ran("ab", 1, None)], {B: FLIES}),
        ([ran("ab", 1, 2), ran("bc", 3, 4), ran("ab", 11, 14)], {C: CAME}),
        ([ran("ab", 1, 2), ran("bc", 3, 4), ran("ab", 11, 14), ran("bc", 13, 16)], {C: CAME}),
        ([ran("ab", 1, 2), ran("bc", 3, 4), ran("ab", 11, 14), ran("bc", 14, 16)], {}),
        ([ran("ab", 1, 2), ran("bc", 12, 13)], {B: CAME, C: CAME}),
    ],
)
def test_once_good_data_came_each_dataset_is_good_when_it_was_written_again(
    runs: list[JobRun], told: dict[LineageName, ContaminationState]
) -> None:
    found = states(BadData(A, NOON, ended_at=minute(10)), HOPS, runs)
    assert {name: each.state for name, each in found.items()} == told


def test_a_dataset_of_two_bad_sources_is_good_once_both_are() -> None:
    hops = [ImpactHop(A, job("ab"), B), ImpactHop(A, job("j"), C), ImpactHop(B, job("j"), C)]
    runs = [ran("ab", 1, 2), ran("j", 3, 4), ran("j", 11, 12)]
    assert set(states(BadData(A, NOON, ended_at=minute(10)), hops, runs)) == {B, C}
    assert states(BadData(A, NOON, ended_at=minute(10)), hops, [*runs, ran("ab", 13, 14), ran("j", 15, 16)]) == {}


hops = st.sets(
    st.builds(
        ImpactHop, st.sampled_from(NAMES), st.sampled_from([job(each) for each in "pqr"]), st.sampled_from(NAMES)
    ),
    max_size=6,
).map(lambda found: {each for each in found if each.source != each.target and each.target != A})
runs_ = st.lists(
    st.builds(
        lambda name, began, lasts, failed: ran(name, began, None if lasts is None else began + lasts, failed=failed),
        st.sampled_from("pqr"), st.integers(-3, 12), st.none() | st.integers(0, 4), st.booleans(),
    ),
    max_size=8,
)  # fmt: skip


@given(hops, runs_)
def test_what_bad_data_came_to_is_what_every_order_of_runs_says(hops: set[ImpactHop], runs: list[JobRun]) -> None:
    """A dataset is bad from the end of any run that began when something it reads was bad: until nothing changes."""
    bad = {A: NOON}
    for _ in range(len(hops) * len(runs) + 1):
        for hop in hops:
            for each in runs:
                began_bad = hop.source in bad and each.started_at >= bad[hop.source]
                if each.job == hop.job and each.ended_at and not each.failed and began_bad:
                    bad[hop.target] = min(bad.get(hop.target, each.ended_at), each.ended_at)
    found = states(BadData(A, NOON), hops, runs)
    assert {name: each.reached_at for name, each in found.items() if each.reached_at} == {
        name: at for name, at in bad.items() if name != A
    }
    assert set(found) == {each.target for each in hops}


@given(hops, runs_, st.randoms())
def test_the_order_in_which_runs_and_jobs_are_told_does_not_matter(
    hops: set[ImpactHop], runs: list[JobRun], random
) -> None:
    for until in (None, minute(4)):
        mixed, listed = list(runs), list(hops)
        random.shuffle(mixed)
        random.shuffle(listed)
        assert states(BadData(A, NOON, until), listed, mixed) == states(BadData(A, NOON, until), hops, runs)
