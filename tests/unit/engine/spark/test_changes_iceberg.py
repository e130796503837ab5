"""Which partitions an Iceberg table's snapshots touched, told by its metadata."""

import gzip
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from py4j.protocol import Py4JError
from pyspark.errors import AnalysisException

from treaty.engine.protocol.requests import TableSource
from treaty.engine.protocol.write_hints import ChangeHints, DetectionMethod, TableVersion, WriteHint
from treaty.engine.spark.sources import changes_iceberg, iceberg
from treaty.engine.spark.sources.changes_iceberg import snapshot_to_read, steps
from treaty.engine.spark.sources.iceberg import IcebergMetadata, IcebergPartition
from treaty.engine.spark.sources.readers import lake_of
from treaty.engine.spark.sources.versioned import MOST, VersionedLayout

# Snapshots are numbered at random, in 64 bits: such numbers are no longer exact as floats.
A, B, C, D = 9126967827109848869, 541127839305480721, 8867730197129547253, 541127839305480722
HERE = "iceberg:t:0"


def column(id: int, name: str, type: Any = "long", **more: Any) -> dict[str, Any]:
    return {"id": id, "name": name, "required": False, "type": type, **more}


def schema(number: int, *columns: dict[str, Any]) -> dict[str, Any]:
    return {"schema-id": number, "type": "struct", "fields": list(columns)}


def spec(number: int, *fields: tuple[int, str, str], first: int = 1000) -> dict[str, Any]:
    """A partitioning by (column's id, transform, name)."""
    names = ("source-id", "transform", "name")
    listed = [dict(zip(names, each, strict=True)) for each in fields]
    return {"spec-id": number, "fields": [{**each, "field-id": first + at} for at, each in enumerate(listed)]}


ID, DAY, TS = column(1, "id"), column(2, "day", "string"), column(3, "ts", "timestamptz")
BY_DAY = spec(0, (2, "identity", "day"))


def snapshot(id: int, parent: int | None, operation: str = "append", schema: int = 0) -> dict[str, Any]:
    found = {"snapshot-id": id, "summary": {"operation": operation}, "schema-id": schema}
    return found if parent is None else {**found, "parent-snapshot-id": parent}


def table(*snapshots: dict[str, Any], current: int | None = None, **more: Any) -> IcebergMetadata:
    newest = snapshots[-1]["snapshot-id"] if snapshots else -1
    told = {
        "format-version": 2, "table-uuid": "t", "current-snapshot-id": current or newest, "snapshots": list(snapshots),
        "current-schema-id": 0, "schemas": [schema(0, ID, DAY, TS)], "default-spec-id": 0, "partition-specs": [BY_DAY],
    }  # fmt: skip
    return IcebergMetadata({**told, **more})


LINE = table(snapshot(A, None), snapshot(B, A, "overwrite"), snapshot(C, B, "replace"), snapshot(D, C, "delete"))


@pytest.mark.parametrize(
    ("since", "until", "expected"),
    [
        pytest.param(A, D, [D, B], id="those between, without what only writes rows anew"),
        pytest.param(B, C, [], id="rows written anew"),
        pytest.param(D, D, [], id="none"),
        pytest.param(D, A, None, id="back"),
        pytest.param(7, D, None, id="expired, or of another branch"),
        pytest.param(changes_iceberg.EMPTY, D, None, id="from the beginning"),
    ],
)
def test_the_snapshots_since_the_last_look_are_known_by_their_parents(
    since: int, until: int, expected: list[int] | None
) -> None:
    assert steps(LINE, TableVersion(HERE, since), TableVersion(HERE, until)) == expected


@pytest.mark.parametrize("table", ["iceberg:another:0", "iceberg:t:1", "t"])
def test_nothing_is_told_of_another_table_or_other_columns(table: str) -> None:
    assert steps(LINE, TableVersion(table, A), TableVersion(HERE, D)) is None


def test_of_too_many_snapshots_the_files_tell() -> None:
    many = table(*(snapshot(each, each - 1 or None) for each in range(1, MOST + 3)))
    assert steps(many, TableVersion(HERE, 1), TableVersion(HERE, MOST + 2)) is None
    assert len(steps(many, TableVersion(HERE, 2), TableVersion(HERE, MOST + 2)) or ()) == MOST


def test_a_line_of_snapshots_that_leads_to_itself_ends() -> None:
    assert table(snapshot(A, B), snapshot(B, A)).ancestors(B) == [B, A]


@pytest.mark.parametrize(
    ("made", "since", "read"),
    [
        pytest.param((), None, D, id="nobody says"),
        pytest.param((B,), None, B, id="an older one"),
        pytest.param((B,), A, B, id="an older one, newer than what was read"),
        pytest.param((B,), B, D, id="what was read"),
        pytest.param((A,), B, D, id="older than what was read"),
        pytest.param((A, C, B), None, C, id="the newest of several, whatever their numbers"),
        pytest.param((A, 7), None, D, id="one of another branch"),
        pytest.param((B,), 7, B, id="what was read has expired"),
    ],
)
def test_the_snapshot_of_the_event_is_read_and_never_one_that_was_passed(
    made: tuple[int, ...], since: int | None, read: int
) -> None:
    hint = WriteHint(version=max(made), other_versions=made) if made else WriteHint()
    assert snapshot_to_read(LINE, ChangeHints(hint, TableVersion(HERE, since) if since else None)) == read


SCHEMAS = {
    "a column is added": ([schema(0, ID, DAY), schema(1, ID, DAY, TS)], 0),
    "one with a value for old rows": ([schema(0, ID), schema(1, ID, column(4, "n", **{"initial-default": 7}))], 0),
    "a column is renamed": ([schema(0, ID, DAY), schema(1, column(1, "number"), DAY)], 1),
    "a column is widened": ([schema(0, column(1, "id", "int")), schema(1, ID)], 1),
    "a column is dropped": ([schema(0, ID, DAY), schema(1, ID)], 1),
    "a column is another one of its name": ([schema(0, ID, DAY), schema(1, ID, column(9, "day", "string"))], 1),
    "the columns are in another order": ([schema(0, ID, DAY), schema(1, DAY, ID)], 0),
    "renamed and then added": ([schema(0, ID), schema(1, column(1, "n")), schema(2, column(1, "n"), DAY)], 1),
    "older ones are forgotten": ([schema(3, ID), schema(5, ID, DAY)], 3),
}


@pytest.mark.parametrize(("schemas", "root"), SCHEMAS.values(), ids=SCHEMAS)
def test_columns_that_are_added_change_nothing_of_what_was_read(schemas: list[dict[str, Any]], root: int) -> None:
    newest = schemas[-1]["schema-id"]
    assert table(schemas=schemas, **{"current-schema-id": newest}).root(newest) == root


# The format's third version has transforms of several columns.
BUCKETS = {"source-ids": [1, 2], "transform": "bucket[4]", "name": "buckets", "field-id": 1001}
SEVERAL = {**BY_DAY, "fields": [BUCKETS, *BY_DAY["fields"]]}
PARTED: dict[str, tuple[list[dict[str, Any]], Sequence[str], IcebergPartition | None]] = {
    "by its column": ([BY_DAY], ("day",), IcebergPartition(("day",), frozenset({0}))),
    "by more": (
        [spec(0, (2, "identity", "day"), (1, "bucket[4]", "id_bucket"))],
        ("day",),
        IcebergPartition(("day",), frozenset({0})),
    ),
    "by less": ([BY_DAY], ("day", "id"), None),
    "in another order": (
        [spec(0, (1, "identity", "id"), (2, "identity", "day"))],
        ("day", "id"),
        IcebergPartition(("day", "id"), frozenset({0})),
    ),
    "by a field of another name": ([spec(0, (2, "identity", "d"))], ("day",), IcebergPartition(("d",), frozenset({0}))),
    "by a bucket": ([spec(0, (2, "bucket[4]", "day"))], ("day",), None),
    "by nothing": ([spec(0)], ("day",), None),
    "by what nobody asked for": ([BY_DAY], (), None),
    "otherwise once": (
        [spec(1), spec(0, (2, "identity", "day"))],
        ("day",),
        IcebergPartition(("day",), frozenset({0})),
    ),
    "by more since": (
        [BY_DAY, spec(1, (2, "identity", "day"), (1, "bucket[4]", "id_bucket"))],
        ("day",),
        IcebergPartition(("day",), frozenset({0, 1})),
    ),
    "by the days of a time": (
        [spec(0, (3, "day", "ts_day"))],
        ("day=to_date(ts)",),
        IcebergPartition(("ts_day",), frozenset({0})),
    ),
    "by the hours of a time": ([spec(0, (3, "hour", "ts_hour"))], ("day=to_date(ts)",), None),
    "by several columns at once": ([SEVERAL], ("day",), IcebergPartition(("day",), frozenset({0}))),
    "by the days of another time": ([spec(0, (3, "day", "ts_day"))], ("day=to_date(day)",), None),
}


@pytest.mark.parametrize(("specs", "by", "expected"), PARTED.values(), ids=PARTED)
def test_the_tables_own_partitions_tell_those_of_the_contract_where_they_have_their_values(
    specs: list[dict[str, Any]], by: Sequence[str], expected: IcebergPartition | None
) -> None:
    assert table(**{"partition-specs": specs}).parted(by) == expected


def test_metadata_of_the_first_format_are_understood() -> None:
    told = {"schema": {"fields": [ID, DAY]}, "partition-spec": BY_DAY["fields"], "current-snapshot-id": -1}
    old = IcebergMetadata(told)
    assert (old.current, old.schema, old.root(0), old.parted(("day",))) == (
        None,
        0,
        0,
        IcebergPartition(("day",), frozenset({0})),
    )


@pytest.mark.parametrize("name", ["v3.metadata.json", "v3.gz.metadata.json"])
def test_the_newest_metadata_file_is_read(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, name: str) -> None:
    text = json.dumps(LINE.document).encode()
    (tmp_path / name).write_bytes(gzip.compress(text) if ".gz." in name else text)

    class Log:
        def collect(self) -> list[dict[str, str]]:
            return [{"file": "/old"}, {"file": f"file:{tmp_path}/{name}"}]

    monkeypatch.setattr(iceberg, "metadata_table", lambda *_: Log())
    assert iceberg.metadata(object(), TableSource(str(tmp_path))) == LINE


@pytest.mark.parametrize(
    ("paths", "lake"),
    [
        (["_delta_log/0.json", "day=1/a.parquet"], "delta"),
        (["data/day=1/a.parquet", "metadata/v1.metadata.json"], "iceberg"),
        (["metadata/00001-5f.gz.metadata.json"], "iceberg"),
        (["metadata/notes.json", "day=1/a.parquet"], None),
        (["metadata/day=1/x.metadata.json"], None),
        (["old/_delta_log/0.json"], None),
    ],
)
def test_a_table_format_is_known_by_its_log(paths: list[str], lake: str | None) -> None:
    assert lake_of(paths) == lake


def test_snapshots_have_no_order_and_versions_do() -> None:
    assert not TableVersion(HERE, C).holds(B)
    assert TableVersion(HERE, C).holds(C)
    assert TableVersion("a-delta-table", 3).holds(2)
    assert not TableVersion("a-delta-table", 3).holds(4)
    assert TableVersion.of(str(TableVersion(HERE, A))) == TableVersion(HERE, A)


@dataclass
class Lake:
    """A table of which all snapshots are known: of each the files by partition, and a number for the rows of each."""

    snapshots: list[dict[str, Any]] = field(default_factory=list)
    files: dict[int, dict[str, list[str]]] = field(default_factory=dict)
    rows: dict[int, dict[str, int]] = field(default_factory=dict)
    touched: dict[int, set[str]] = field(default_factory=dict)
    schemas: list[dict[str, Any]] = field(default_factory=lambda: [schema(0, ID, DAY)])
    current: int | None = None
    made: int = 0

    def commit(self, kind: str, days: Sequence[str]) -> None:
        """Appends to these days, overwrites, drops or rewrites them, goes back, forgets, or changes the columns."""
        if kind == "back":
            self.current = (
                self.metadata.snapshots[self.current]["parent-snapshot-id"] if self._has_parent() else self.current
            )
        elif kind == "expire":
            self.snapshots = [each for each in self.snapshots if each["snapshot-id"] == self.current]
        elif kind in ("add", "rename"):
            self._alter(kind)
        else:
            self._write(kind, [f"day={each}" for each in days])

    def _has_parent(self) -> bool:
        return len(self.metadata.ancestors(self.current)) > 1

    def _alter(self, kind: str) -> None:
        columns = self.schemas[-1]["fields"]
        more = column(len(self.schemas) + 10, f"c{len(self.schemas)}")
        changed = [*columns, more] if kind == "add" else [{**columns[0], "name": more["name"]}, *columns[1:]]
        self.schemas.append(schema(len(self.schemas), *changed))

    def _write(self, kind: str, names: Sequence[str]) -> None:
        self.made += 1
        # Numbers that do not grow.
        id = (self.made * 2654435761) % 2**63 | 1
        files, rows = dict(self.files.get(self.current or 0, {})), dict(self.rows.get(self.current or 0, {}))
        for name in names:
            before = files.get(name, [])
            new = [] if kind == "drop" or (kind == "replace" and not before) else [f"f{self.made}{name}"]
            files[name] = (before if kind == "append" else []) + new
            rows[name] = rows.get(name, 0) if kind == "replace" else self.made
            if not files[name]:
                del files[name], rows[name]
        self.touched[id] = {
            name for name in names if self.files.get(self.current or 0, {}).get(name) != files.get(name)
        }
        operation = kind if kind in ("append", "replace") else "overwrite"
        self.snapshots.append(snapshot(id, self.current, operation, len(self.schemas) - 1))
        self.files[id], self.rows[id], self.current = files, rows, id

    @property
    def metadata(self) -> IcebergMetadata:
        newest = {"current-schema-id": len(self.schemas) - 1, "schemas": self.schemas}
        return table(*self.snapshots, **{**newest, "current-snapshot-id": self.current})

    def marks(self, source: TableSource, root: int) -> dict[str, str]:
        return {name: f"{root} {' '.join(sorted(of))}" for name, of in self.files[source.version or 0].items()}


WAYS = st.sampled_from(["append", "overwrite", "drop", "replace", "back", "expire", "add", "rename"])
COMMIT = st.tuples(WAYS, st.lists(st.sampled_from(["1", "2"]), min_size=1, max_size=2, unique=True))
# After some commits somebody looks, told by events of some of the snapshots that there were.
ROUND = st.tuples(st.lists(COMMIT, max_size=5), st.lists(st.integers(0, 12), max_size=2))


@example([([("append", ["1"]), ("append", ["1"])], [0]), ([("rename", ["1"])], []), ([("replace", ["1"])], [])])
@example([([("append", ["1"])], []), ([("overwrite", ["1"])], []), ([("back", ["1"])], [])])
@given(st.lists(ROUND, min_size=1, max_size=5))
def test_what_changed_since_the_last_look_is_found_whatever_was_written_when(rounds: list[Any]) -> None:
    lake, seen, known, at = Lake(), {}, {}, None
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(iceberg, "fingerprints", lambda session, source, parted, root: lake.marks(source, root))
        patch.setattr(iceberg, "metadata", lambda session, source: lake.metadata)
        for commits, numbers in rounds:
            for commit in commits:
                lake.commit(*commit)
            patch.setattr(iceberg, "touched", lambda session, source, made, parted: _named(lake.touched, made))
            told = [each["snapshot-id"] for at, each in enumerate(lake.snapshots) if at in numbers]
            look = ChangeHints(WriteHint(version=max(told, default=None), other_versions=tuple(told)), at)
            found = changes_iceberg.versioned_layout(object(), TableSource("t", "iceberg", ("day",)), look, known)
            assert found is not None
            read = found.at.version if found.pinned else lake.current or 0
            rows = {name: (number, found.at.table) for name, number in lake.rows.get(read, {}).items()}
            changed = {name for name, mark in found.fingerprints.items() if known.get(name) != mark}
            truly = {name for name, what in rows.items() if seen.get(name) != what}
            assert found.fingerprints.keys() == rows.keys()
            assert changed == truly if found.method is DetectionMethod.VERSIONS else changed >= truly
            assert not found.is_outdated or read in lake.metadata.ancestors(lake.current)
            known, seen, at = dict(found.fingerprints), rows, found.at


def _named(touched: Mapping[int, set[str]], made: Sequence[int]) -> frozenset[str]:
    return frozenset(name for each in made for name in touched[each])


def _fails(error: Exception) -> VersionedLayout | None:
    """What is told of a table where that comes of asking for its metadata."""

    def ask(*_: Any) -> IcebergMetadata:
        raise error

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(iceberg, "metadata", ask)
        return changes_iceberg.versioned_layout(object(), TableSource("t", "iceberg"), ChangeHints(), {})


@pytest.mark.parametrize("error", [AnalysisException("no such format"), Py4JError("no such class"), OSError("gone")])
def test_nothing_is_told_of_a_table_that_this_spark_does_not_read(error: Exception) -> None:
    assert _fails(error) is None


@pytest.mark.parametrize(
    "error",
    [
        pytest.param(KeyError("snapshots"), id="a fault of ours"),
        pytest.param(AnalysisException("stopped", errorClass="SPARK_JOB_CANCELLED"), id="somebody stopped it"),
    ],
)
def test_other_faults_are_not_taken_for_a_table_that_is_not_read(error: Exception) -> None:
    with pytest.raises(type(error)):
        _fails(error)
