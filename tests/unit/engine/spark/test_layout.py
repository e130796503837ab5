"""How a table lies is told by what knows its format: its log, its catalog's metastore, or its files alone."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from treaty.engine.core.errors import UnreadableTable
from treaty.engine.protocol.requests import TableSource
from treaty.engine.protocol.write_hints import ChangeHints, DetectionMethod, TableVersion
from treaty.engine.spark.sources import changes, partition_locations
from treaty.engine.spark.sources.changes import StorageLayout
from treaty.engine.spark.sources.versioned import VersionedLayout

AT = TableVersion("a-table", 7)
STANDS = VersionedLayout(
    fingerprints={"day=1": "x"}, at=AT, method=DetectionMethod.VERSIONS, pinned=False, is_outdated=True
)
TOLD = StorageLayout(
    fingerprints={"day=1": "x"},
    folders={"day=1": ()},
    method=DetectionMethod.VERSIONS,
    at=AT,
    pinned=False,
    is_outdated=True,
)
LOGS = {"delta": "_delta_log/00000000000000000000.json", "iceberg": "metadata/v1.metadata.json"}


class Session:
    """A session that lists the partitions of a table, and nothing else."""

    def __init__(self, *names: str) -> None:
        self.names = names

    def sql(self, text: str) -> Any:
        assert text == "show partitions `db`.`orders`"
        return self

    def collect(self) -> list[tuple[str]]:
        return [(name,) for name in self.names]


def made(folder: Path, *paths: str) -> str:
    """A folder with those files."""
    for path in paths:
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(path)
    return str(folder)


def knows(patch: pytest.MonkeyPatch, lake: str, stands: VersionedLayout | None) -> list[TableSource]:
    """Has what knows that format say so; what it was asked about."""
    asked: list[TableSource] = []

    def standing(
        session: Any, source: TableSource, look: ChangeHints, known: Mapping[str, str]
    ) -> VersionedLayout | None:
        asked.append(source)
        return stands

    patch.setitem(changes.LAYOUTS_BY_FORMAT, lake, standing)
    return asked


@pytest.mark.parametrize("lake", LOGS)
def test_the_log_in_a_folder_says_who_knows_the_table(
    lake: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    source = TableSource(made(tmp_path, LOGS[lake], "data/day=1/a.parquet"), None, ("day",))
    other = {"delta": "iceberg", "iceberg": "delta"}[lake]
    asked, unasked = knows(monkeypatch, lake, STANDS), knows(monkeypatch, other, None)
    assert changes.layout(object(), source) == TOLD
    assert (asked, unasked) == ([source], [])


@pytest.mark.parametrize("lake", LOGS)
@pytest.mark.parametrize("session", [object(), None], ids=["not read", "no Spark"])
def test_of_a_table_that_is_not_understood_any_file_counts(
    lake: str, session: object | None, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    knows(monkeypatch, lake, None)
    source = TableSource(made(tmp_path, LOGS[lake], "data/day=1/a.parquet"), None, ("day",))
    first = changes.layout(session, source)
    assert (set(first.fingerprints), first.at) == ({""}, None)
    made(tmp_path, "data/day=1/b.parquet")
    assert changes.layout(session, source).changed(first.fingerprints) == [""]


def test_a_folder_without_a_log_is_its_files(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    asked = [knows(monkeypatch, lake, STANDS) for lake in LOGS]
    made(tmp_path, "day=1/a.parquet", "day=2/b.parquet", "day=2/.hidden", "_SUCCESS")
    lies = changes.layout(object(), TableSource(str(tmp_path), None, ("day",)))
    assert (lies.folders, lies.method, asked) == (
        {"day=1": ("day=1",), "day=2": ("day=2",)},
        DetectionMethod.FINGERPRINTS,
        [[], []],
    )
    within = changes.layout(object(), TableSource(str(tmp_path), None, ("day",)), within="below")
    assert within.folders == {"day=1": ("below/day=1",), "day=2": ("below/day=2",)}


def test_an_empty_folder_is_no_table(tmp_path: Path) -> None:
    with pytest.raises(UnreadableTable, match="contains no data yet"):
        changes.layout(object(), TableSource(str(tmp_path)))


def catalog(patch: pytest.MonkeyPatch, folder: Path, provider: str, *names: str) -> TableSource:
    """A table of the catalog in that folder, of which Spark names those files."""
    patch.setattr(changes, "details", lambda *_: {"Location": str(folder), "Provider": provider})
    patch.setattr(changes, "placed", lambda *_: [(name, None) for name in names])
    return TableSource("db.orders", None, ("day",))


def test_an_iceberg_table_of_a_catalog_is_asked_for_by_its_name(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    source = catalog(monkeypatch, tmp_path / "nowhere", "ICEBERG")
    asked = knows(monkeypatch, "iceberg", STANDS)
    assert changes.layout(object(), source) == TOLD
    assert asked == [source]
    knows(monkeypatch, "iceberg", None)
    # Nothing is known of it: all that is asked for is read at each look.
    assert changes.layout(object(), source) == StorageLayout(fingerprints={}, folders={})


def test_a_delta_table_of_a_catalog_is_its_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    source, asked = catalog(monkeypatch, tmp_path, "delta"), knows(monkeypatch, "delta", STANDS)
    made(tmp_path, LOGS["delta"], "day=1/a.parquet")
    assert changes.layout(object(), source) == TOLD
    assert [each.location for each in asked] == [str(tmp_path)]


Where = Callable[[Any, str, str], str | None]


@pytest.mark.parametrize(
    ("provider", "names"),
    [("hive", ()), ("hive", ("day=1/a", "/elsewhere/b")), ("parquet", ("day=1/a", "/elsewhere/b"))],
    ids=["no file is named", "a file does not name its partition", "nor does one of a format of Spark's own"],
)
def test_where_files_do_not_tell_partitions_the_metastore_does(
    provider: str, names: tuple[str, ...], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    there = {"day=1": tmp_path / "table" / "day=1", "day=2": tmp_path / "elsewhere"}
    where: Where = lambda session, table, name: str(there[name])  # noqa: E731
    monkeypatch.setattr(partition_locations, "folder_of", where)
    made(tmp_path, "table/day=1/a", "table/day=3/dropped", "elsewhere/b", "elsewhere/.b.crc")
    source = catalog(monkeypatch, tmp_path / "table", provider, *names)
    lies = changes.layout(Session("day=1", "day=2"), source)
    assert {name: len(files) for name, files in lies.files.items()} == {"day=1": 1, "day=2": 1}
    made(tmp_path, "elsewhere/c")
    assert changes.layout(Session("day=1", "day=2"), source).changed(lies.fingerprints) == ["day=2"]


def test_of_other_formats_spark_names_the_files(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    source = catalog(monkeypatch, tmp_path, "orc")
    made(tmp_path, "day=1/a.orc")
    assert set(changes.layout(object(), source).fingerprints) == {"day=1"}
