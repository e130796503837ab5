"""The gate before tables of a catalog and of a table format: cut off anywhere, table and states agree in the end."""

import os
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest
from support.gates import Crash, Ending
from support.tables import FakeDelta, TableUnderTest, cut_off, steps

from treaty.engine.core.errors import EngineError
from treaty.engine.gate.gate import CandidateRejected, GenerationConflict, PublicationOpen
from treaty.engine.gate.publication import is_plain
from treaty.engine.gate.table_kinds import is_named, site_of
from treaty.engine.protocol.gate_requests import TableKind

KINDS = [TableKind.DELTA, TableKind.CATALOG]
A, B, C = "day=2026-01-01", "day=2026-01-02", "day=2026-01-03"
BEFORE, CANDIDATE = {A: [1], B: [2]}, {A: [4, 5], C: [6]}
AFTER = {A: [4, 5], B: [2], C: [6]}


@pytest.fixture(autouse=True)
def _fast(monkeypatch: pytest.MonkeyPatch) -> None:
    """No test here loses power."""
    monkeypatch.setattr(os, "fsync", lambda _: None)


@pytest.fixture(params=KINDS)
def gated(request: pytest.FixtureRequest, tmp_path: Path) -> TableUnderTest:
    return TableUnderTest(tmp_path / "one", request.param)


def published(folder: Path, kind: TableKind, number: int) -> TableUnderTest:
    """A table that holds BEFORE."""
    gated = TableUnderTest(folder / str(number), kind)
    gated.publish(BEFORE)
    return gated


def test_what_keeps_the_contract_is_published_with_its_states(gated: TableUnderTest) -> None:
    gated.publish(BEFORE)
    gated.publish(CANDIDATE)
    assert (gated.fake.rows(), gated.agree(), gated.answer) == (AFTER, True, "passed")


def test_what_breaks_the_contract_changes_nothing(gated: TableUnderTest) -> None:
    gated.publish(BEFORE)
    before = gated.store.current()
    with pytest.raises(CandidateRejected):
        gated.publish({A: [-1]})
    assert (gated.fake.rows(), gated.store.current(), gated.answer) == (BEFORE, before, "passed")


@pytest.mark.search
@pytest.mark.parametrize("kind", KINDS)
def test_a_crash_at_any_step_is_recovered_to_the_old_or_the_new(kind: TableKind, tmp_path: Path) -> None:
    seen = set()
    for gated, at in steps(partial(published, tmp_path, kind), CANDIDATE):
        was_open, found = gated.open, gated.fake.rows()
        assert gated.answer == ("unknown" if was_open else "passed"), at
        assert was_open or found in (BEFORE, AFTER), at
        done = gated.recover()
        assert (done == "nothing") == (not was_open), at
        assert gated.fake.rows() == {"nothing": found, "forward": AFTER, "back": BEFORE}[done], at
        assert (gated.agree(), gated.answer, gated.open) == (True, "passed", False), at
        seen.add(done)
    assert seen == ({"nothing", "forward", "back"} if kind is TableKind.DELTA else {"nothing", "forward"})


@pytest.mark.search
@pytest.mark.parametrize("kind", KINDS)
def test_recovery_that_is_cut_off_anywhere_is_recovered_from(kind: TableKind, tmp_path: Path) -> None:
    places = list(steps(partial(published, tmp_path / "first", kind), CANDIDATE))
    opened = [number for number, (gated, _) in enumerate(places) if gated.open]
    for number in opened:
        for last in range(99):
            gated = published(tmp_path / f"second-{last}", kind, number)
            assert cut_off(gated, CANDIDATE, Ending(last=number))
            if not crashed(gated, last):
                break
            assert gated.answer == ("unknown" if gated.open else "passed")
            gated.recover()
            assert gated.fake.rows() in (BEFORE, AFTER)
            assert (gated.agree(), gated.answer) == (True, "passed")


def crashed(gated: TableUnderTest, last: int) -> bool:
    """Whether recovery ended at that step."""
    try:
        gated.recover(Ending(last=last))
    except Crash:
        return True
    return False


def test_a_table_written_past_its_gate_is_measured_and_leaves_no_answer(gated: TableUnderTest) -> None:
    gated.publish(BEFORE)
    gated.fake.past({C: [7]})
    assert gated.answer == "unknown"
    gated.publish({A: [9]})
    assert (gated.fake.rows(), gated.agree(), gated.answer) == ({A: [9], B: [2], C: [7]}, True, "passed")


@pytest.fixture
def delta(tmp_path: Path) -> Iterator[TableUnderTest]:
    gated = TableUnderTest(tmp_path / "delta", TableKind.DELTA)
    gated.publish(BEFORE)
    yield gated
    gated.fake.meanwhile = lambda: None


def test_where_another_commit_came_first_nothing_is_changed(delta: TableUnderTest) -> None:
    before = delta.store.current()
    delta.fake.meanwhile = partial(delta.fake.past, {B: [8]})
    with pytest.raises(GenerationConflict):
        delta.publish(CANDIDATE)
    assert (delta.fake.rows(), delta.store.current(), delta.open) == ({A: [1], B: [8]}, before, False)
    assert (delta.answer, delta.recover()) == ("unknown", "nothing")


def test_a_commit_of_others_that_ours_lands_on_was_not_judged(delta: TableUnderTest) -> None:
    fake = delta.fake
    assert isinstance(fake, FakeDelta)
    fake.between = partial(fake.past, {B: [8]})
    delta.publish(CANDIDATE)
    assert (fake.rows(), delta.open, delta.answer) == ({**AFTER, B: [8]}, False, "unknown")
    fake.between = lambda: None
    delta.publish({C: [1]})
    assert (delta.agree(), delta.answer) == (True, "passed")


def test_a_new_delta_table_that_was_not_made_needs_spark_to_recover(tmp_path: Path) -> None:
    begun = steps(lambda number: TableUnderTest(tmp_path / str(number), TableKind.DELTA), BEFORE)
    gated = next(gated for gated, at in begun if at.startswith("before the commit"))
    assert (is_plain(gated.site.location), gated.recover(), is_plain(gated.site.location)) == (False, "back", True)
    assert (gated.fake.rows(), gated.agree(), gated.answer) == ({}, True, "unknown")


def test_a_commit_that_arrives_after_it_was_undone_is_shut_out(delta: TableUnderTest) -> None:
    late = []

    class Lost(FakeDelta):
        def commit(self, request: object) -> None:
            late.append(request)
            raise Crash

    fake = delta.fake
    assert isinstance(fake, FakeDelta)
    delta.fake = Lost(fake.location, versions=fake.versions, taken=fake.taken)
    assert cut_off(delta, CANDIDATE, Ending())
    delta.fake = fake
    assert delta.recover() == "back"
    with pytest.raises(GenerationConflict):
        fake.commit(late[0])
    assert (fake.rows(), delta.agree(), delta.answer) == (BEFORE, True, "passed")


def test_what_others_commit_beside_a_publication_that_was_cut_off_leaves_no_answer(delta: TableUnderTest) -> None:
    gated = next(gated for gated, at in steps(lambda _: delta, CANDIDATE) if at.startswith("after the commit"))
    gated.fake.past({B: [8]})
    assert (gated.recover(), gated.answer) == ("forward", "unknown")
    gated.publish({C: [1]})
    assert (gated.fake.rows(), gated.agree(), gated.answer) == ({A: [4, 5], B: [8], C: [1]}, True, "passed")


@pytest.fixture
def catalog(tmp_path: Path) -> TableUnderTest:
    return published(tmp_path, TableKind.CATALOG, 0)


def own(gated: TableUnderTest) -> list[str]:
    """The partitions' folders that the gate has made."""
    found = gated.fake.location.glob("_published-*/*/*.parquet")
    return sorted({each.parent.name for each in found})


def test_the_old_folder_of_a_partition_stays_until_the_next_publication(catalog: TableUnderTest) -> None:
    catalog.publish({A: [3]})
    assert own(catalog) == [A, B]
    assert len(list(catalog.fake.location.glob(f"_published-*/{A}"))) == 2
    catalog.publish({C: [3]})
    assert len(list(catalog.fake.location.glob(f"_published-*/{A}"))) == 1
    assert catalog.fake.rows() == {A: [3], B: [2], C: [3]}


def test_where_new_files_are_lost_partitions_go_back_to_where_they_lay(tmp_path: Path) -> None:
    seen = set()
    for gated, at in steps(partial(published, tmp_path, TableKind.CATALOG), CANDIDATE):
        staged = [*gated.fake.location.parent.glob(f".orders.gate/candidate-*/new/{C}/*.parquet"),
                  *gated.fake.location.glob(f"_published-*/{C}/*.parquet")]  # fmt: skip
        if not gated.open or not staged or gated.fake.rows() == AFTER:
            continue
        staged[0].unlink()
        seen.add(gated.recover())
        assert (gated.fake.rows(), gated.agree(), gated.answer) == (BEFORE, True, "passed"), at
    assert seen == {"back"}


def test_where_old_and_new_files_are_lost_nothing_is_changed_and_it_is_told(tmp_path: Path) -> None:
    begun = steps(partial(published, tmp_path, TableKind.CATALOG), CANDIDATE)
    gated = next(gated for gated, at in begun if at.startswith("after placing"))
    for path in gated.fake.location.glob("_published-*/*/*.parquet"):
        path.write_text("9")
    with pytest.raises(PublicationOpen, match="are complete"):
        gated.recover()
    assert (gated.open, gated.answer) == (True, "unknown")


NAMES = {
    "db.orders": True,
    "hive.db.orders": True,
    "orders": False,
    "./db.orders": False,
    "s3://b/db.t": False,
}


@pytest.mark.parametrize("name", NAMES)
def test_tables_of_a_catalog_are_named_with_their_database(name: str) -> None:
    assert is_named(name) == NAMES[name]


def test_a_table_is_known_by_its_name_or_its_log(tmp_path: Path) -> None:
    (tmp_path / "delta" / "_delta_log").mkdir(parents=True)
    assert site_of(str(tmp_path / "delta")).kind is TableKind.DELTA
    assert site_of(str(tmp_path / "none")).kind is TableKind.FOLDER
    assert site_of(str(tmp_path / "none"), new=TableKind.DELTA).kind is TableKind.DELTA
    assert (is_plain(str(tmp_path / "delta")), is_plain(str(tmp_path / "none"))) == (False, True)
    with pytest.raises(EngineError, match="pass the Spark session"):
        site_of("db.orders")


def test_an_iceberg_table_is_none_that_a_gate_publishes_to(tmp_path: Path) -> None:
    (tmp_path / "metadata").mkdir()
    (tmp_path / "metadata" / "v1.metadata.json").touch()
    with pytest.raises(EngineError, match="an Iceberg table"):
        site_of(str(tmp_path))
