"""Which partitions the versions of a Delta table touched, told by its log alone."""

import json
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from treaty.engine.protocol.write_hints import ChangeHints, DetectionMethod, TableVersion, WriteHint
from treaty.engine.spark.sources import changes_delta, versioned
from treaty.engine.spark.sources.changes_delta import touched
from treaty.engine.spark.sources.delta import DeltaSnapshot
from treaty.engine.spark.sources.versioned import VersionedLayout

HERE = "a-table"


def add(day: str | None, **more: Any) -> dict[str, Any]:
    return {"add": {"path": "f", "partitionValues": {"day": day}, "dataChange": True} | more}


def remove(day: str | None, **more: Any) -> dict[str, Any]:
    return {"remove": {"path": "f", "partitionValues": {"day": day}, "dataChange": True} | more}


def log(folder: Path, *versions: list[dict[str, Any]], first: int = 0) -> str:
    """A table with that log."""
    (folder / "_delta_log").mkdir()
    for number, actions in enumerate(versions, first):
        lines = "\n".join(map(json.dumps, [{"commitInfo": {}}, *actions]))
        (folder / "_delta_log" / f"{number:020}.json").write_text(lines)
    return str(folder)


META = {"metaData": {"id": HERE}}
NULL = "day=__HIVE_DEFAULT_PARTITION__"
# What version 1 holds, and the partitions that it touched.
COMMITS = {
    "nothing": ([], set()),
    "an append": ([add("1")], {"day=1"}),
    "an overwrite": ([remove("1"), add("1"), add("2")], {"day=1", "day=2"}),
    "a drop": ([remove("1")], {"day=1"}),
    "rows marked as deleted": ([remove("1"), add("1", deletionVector={"cardinality": 1})], {"day=1"}),
    "optimize": ([remove("1", dataChange=False), add("1", dataChange=False)], set()),
    "optimize and an append": ([add("1", dataChange=False), add("2")], {"day=2"}),
    "a writer that does not say": ([{"add": {"path": "f", "partitionValues": {"day": "1"}}}], {"day=1"}),
    "null": ([add(None)], {NULL}),
    "an empty value": ([add("")], {NULL}),
    "escaped as folders are": ([add("a/b")], {"day=a%2Fb"}),
    "more of the protocol": ([{"protocol": {}}, {"txn": {}}, {"domainMetadata": {}}, {"cdc": {"path": "c"}}], set()),
    "columns of other names": ([META, add("1")], None),
    "physical names": ([{"add": {"path": "f", "partitionValues": {"col-7": "1"}, "dataChange": True}}], None),
    "no values": ([{"remove": {"path": "f", "dataChange": True}}], None),
}


@pytest.mark.parametrize(("actions", "expected"), COMMITS.values(), ids=COMMITS)
def test_a_version_touches_the_partitions_of_which_rows_came_or_went(
    actions: list[dict[str, Any]], expected: set[str] | None, tmp_path: Path
) -> None:
    table = log(tmp_path, [META, add("0")], actions)
    assert touched(table, ("day",), TableVersion(HERE, 0), TableVersion(HERE, 1)) == expected


def test_a_table_without_partition_columns_is_touched_as_a_whole(tmp_path: Path) -> None:
    table = log(tmp_path, [META], [add("1", dataChange=False)], [{"remove": {"path": "f", "dataChange": True}}])
    assert touched(table, (), TableVersion(HERE, 0), TableVersion(HERE, 1)) == set()
    assert touched(table, (), TableVersion(HERE, 0), TableVersion(HERE, 2)) == {""}


def test_a_range_of_versions_begins_after_the_first(tmp_path: Path) -> None:
    table = log(tmp_path, [META, add("0")], [add("1")], [add("2")], [add("3")])
    found = {n: touched(table, ("day",), TableVersion(HERE, n), TableVersion(HERE, 2)) for n in (0, 1, 2)}
    assert found == {0: {"day=1", "day=2"}, 1: {"day=2"}, 2: set()}


@pytest.mark.parametrize(
    ("since", "until"),
    [
        pytest.param(TableVersion(HERE, 1), TableVersion(HERE, 4), id="a version is cleaned away"),
        pytest.param(TableVersion(HERE, 3), TableVersion(HERE, 9), id="a version is not there yet"),
        pytest.param(TableVersion(HERE, 4), TableVersion(HERE, 3), id="back"),
        pytest.param(TableVersion("another", 3), TableVersion(HERE, 4), id="made anew"),
        pytest.param(TableVersion(HERE, 4), TableVersion(HERE, 4 + versioned.MOST + 1), id="too many"),
    ],
)
def test_the_log_does_not_always_tell(since: TableVersion, until: TableVersion, tmp_path: Path) -> None:
    table = log(tmp_path, [add("3")], [add("4")], first=3)
    assert touched(table, ("day",), since, until) is None


def test_a_damaged_log_does_not_tell(tmp_path: Path) -> None:
    table = log(tmp_path, [META], [add("1")])
    (tmp_path / "_delta_log" / f"{1:020}.json").write_text("{")
    assert touched(table, ("day",), TableVersion(HERE, 0), TableVersion(HERE, 1)) is None


def standing(
    monkeypatch: pytest.MonkeyPatch, folder: Path, marks: dict[str, str], look: ChangeHints, known: dict[str, str]
) -> VersionedLayout | None:
    """How a table of two versions stands, whose files have those fingerprints whatever the version."""
    here = DeltaSnapshot(session=None, location=str(folder), version=2, by=("day",), features=frozenset(), id=HERE)
    monkeypatch.setattr(changes_delta.delta, "snapshot", lambda session, location: here)
    monkeypatch.setattr(DeltaSnapshot, "fingerprints", lambda snapshot: marks)
    source = changes_delta.TableSource(str(folder), "delta", ("day",))
    return changes_delta.versioned_layout(object(), source, look, known)


def test_what_no_version_touched_is_as_it_is_known(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    log(tmp_path, [META], [add("1", dataChange=False)], [add("2")])
    known = {"day=1": "a", "day=2": "b", "day=3": "unread"}
    marks = {"day=1": "A", "day=2": "B", "day=3": "C"}
    found = standing(monkeypatch, tmp_path, marks, ChangeHints(since_version=TableVersion(HERE, 0)), known)
    assert found == VersionedLayout(
        fingerprints={"day=1": "a", "day=2": "B", "day=3": "C"},
        at=TableVersion(HERE, 2),
        method=DetectionMethod.VERSIONS,
    )
    # A table that was never looked at, or whose log names partitions that nobody knows: its files tell.
    for look, before in [(ChangeHints(), known), (ChangeHints(since_version=TableVersion(HERE, 0)), {"day=1": "a"})]:
        told = standing(monkeypatch, tmp_path, {"day=1": "A"}, look, before)
        assert told == VersionedLayout(
            fingerprints={"day=1": "A"}, at=TableVersion(HERE, 2), method=DetectionMethod.FINGERPRINTS
        )


@pytest.mark.parametrize(
    ("asked", "since", "read"),
    [(None, None, 2), (1, None, 1), (1, 0, 1), (1, 1, 2), (1, 2, 2), (7, 0, 2), (0, None, 0)],
)
def test_the_version_of_the_event_is_read_and_never_one_that_was_passed(
    asked: int | None, since: int | None, read: int, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    log(tmp_path, [META], [add("1")], [add("2")])
    look = ChangeHints(WriteHint(version=asked), TableVersion(HERE, since) if since is not None else None)
    found = standing(monkeypatch, tmp_path, {"day=1": "A"}, look, {})
    assert found is not None
    assert found.at == TableVersion(HERE, read)


@pytest.mark.parametrize("at", [TableVersion("x", 3), TableVersion("a@b", 0)])
def test_a_version_is_written_and_read(at: TableVersion) -> None:
    assert TableVersion.of(str(at)) == at


@pytest.mark.parametrize("text", [None, "", "x", "x@", "@3", "x@-1", "x@y"])
def test_what_is_no_version_is_none(text: str | None) -> None:
    assert TableVersion.of(text) is None


@dataclass
class Lake:
    """A table whose versions are all known: of each the files by partition, and a number for the rows of each."""

    folder: Path
    files: list[dict[str, list[str]]] = field(default_factory=lambda: [{}])
    rows: list[dict[str, int]] = field(default_factory=lambda: [{}])
    made: int = 0

    def commit(self, kind: str, days: list[str]) -> None:
        """Appends to these days, overwrites, trims or drops them, or writes their rows anew."""
        files, rows = dict(self.files[-1]), dict(self.rows[-1])
        actions: list[dict[str, Any]] = []
        for day in days:
            name, before = f"day={day}", files.get(f"day={day}", [])
            same = kind == "optimize"
            gone = {"append": [], "trim": before[:1]}.get(kind, before)
            new = [] if kind in ("drop", "trim") or (same and not before) else [f"f{self.made}"]
            self.made += 1
            actions += [remove(day, dataChange=not same)] * len(gone) + [add(day, dataChange=not same)] * len(new)
            files[name] = [each for each in before if each not in gone] + new
            rows[name] = self.made if new + gone and not same else rows.get(name, 0)
            if not files[name]:
                del files[name], rows[name]
        self.files.append(files)
        self.rows.append(rows)
        path = self.folder / "_delta_log" / f"{len(self.files) - 1:020}.json"
        path.write_text("\n".join(map(json.dumps, actions)))

    def marks(self, version: int) -> dict[str, str]:
        """The fingerprints by files alone."""
        return {name: " ".join(sorted(found)) for name, found in self.files[version].items()}


DAY = st.lists(st.sampled_from(["1", "2"]), min_size=1, max_size=2, unique=True)
COMMIT = st.tuples(st.sampled_from(["append", "overwrite", "trim", "drop", "optimize"]), DAY)
# After some commits somebody looks, at a version that an event names or at the newest; the log may be cleaned before.
ROUND = st.tuples(st.lists(COMMIT, max_size=4), st.none() | st.integers(0, 12), st.booleans())


@example([([("append", ["1"]), ("append", ["1"])], None, False), ([("trim", ["1"])], None, False)])
@given(st.lists(ROUND, min_size=1, max_size=5))
def test_what_changed_since_the_last_look_is_found_whatever_was_written_when(rounds: list[Any]) -> None:
    with TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        lake = Lake(Path(folder))
        (lake.folder / "_delta_log").mkdir()
        patch.setattr(DeltaSnapshot, "fingerprints", lambda snapshot: lake.marks(snapshot.version))
        known: dict[str, str] = {}
        seen: dict[str, int] = {}
        at: TableVersion | None = None
        for commits, asked, is_cleaned in rounds:
            for commit in commits:
                lake.commit(*commit)
            if is_cleaned:
                for path in (lake.folder / "_delta_log").iterdir():
                    path.unlink()
            here = DeltaSnapshot(
                session=None, location=folder, version=len(lake.files) - 1, by=("day",), features=frozenset(), id=HERE
            )
            patch.setattr(changes_delta.delta, "snapshot", lambda *_, here=here: here)
            source = changes_delta.TableSource(folder, "delta", ("day",))
            found = changes_delta.versioned_layout(object(), source, ChangeHints(WriteHint(version=asked), at), known)
            assert found is not None
            assert at is None or found.at.version >= at.version
            rows = lake.rows[found.at.version]
            changed = {name for name, mark in found.fingerprints.items() if known.get(name) != mark}
            truly = {name for name, number in rows.items() if seen.get(name) != number}
            assert found.fingerprints.keys() == rows.keys()
            assert changed == truly if found.method is DetectionMethod.VERSIONS else changed >= truly
            known, seen, at = dict(found.fingerprints), dict(rows), found.at
