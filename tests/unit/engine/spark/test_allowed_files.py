"""Files that a table's log names, as far as no Spark is needed to refuse them."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from treaty.engine.core.errors import RefusedTable
from treaty.engine.core.locations.rules import AllowedLocation, LocationRules
from treaty.engine.protocol.requests import TableSource
from treaty.engine.spark.sources.allowed_files import check_files, check_frame, check_source

RULES = LocationRules((AllowedLocation("/data"), AllowedLocation("vip")), ("/data/own",))


@dataclass
class Rows:
    """A frame that reads these files, or the metadata table of an Iceberg table that lists these folders."""

    files: tuple[str, ...] = ()
    folders: tuple[str, ...] = ()
    read: Any = field(init=False)

    def __post_init__(self) -> None:
        self.read = self

    def inputFiles(self) -> list[str]:  # noqa: N802
        return list(self.files)

    def format(self, _: str) -> "Rows":
        return self

    def load(self, _: str) -> "Rows":
        return self

    def selectExpr(self, _: str) -> "Rows":  # noqa: N802
        return self

    def distinct(self) -> "Rows":
        return self

    def collect(self) -> list[dict[str, str]]:
        return [{"folder": each} for each in self.folders]


@pytest.mark.parametrize(
    ("location", "frame", "allowed"),
    [
        ("/data/t", Rows(("file:///data/t/a.parquet", "file:///data/t/b%20c/d.parquet")), True),
        ("/data/t", Rows(("file:///data/t/a.parquet", "file:///other/b.parquet")), False),
        ("/data/t", Rows(("file:///data/own/a.parquet",)), False),
        ("/data/t", Rows(("s3a://other/a.parquet",)), False),
        ("/data/t", Rows(folders=("/data/t/data/", "file:/data/t/data/day=1/")), True),
        ("/data/t", Rows(folders=("/data/t/data/", "/other/data/")), False),
        ("/data/t", Rows(folders=("s3://other/data/",)), False),
        ("vip.shop.t", Rows(("file:///other/a.parquet",)), True),
        ("vip.shop.t", Rows(("file:///data/own/a.parquet",)), False),
        ("lake.shop.t", Rows(("file:///other/a.parquet",)), False),
    ],
)
def test_every_file_of_a_frame_is_checked(location: str, frame: Rows, allowed: bool) -> None:
    source = TableSource(location, "iceberg" if frame.folders else None, rules=RULES)

    assert is_admitted(frame, source) is allowed
    assert is_admitted(frame, TableSource(location, source.format))


def is_admitted(frame: Rows, source: TableSource) -> bool:
    try:
        check_frame(frame, source, frame)
    except RefusedTable as error:
        return str(error).startswith("admitted")
    return True


def test_a_linked_file_is_refused_by_where_it_leads(tmp_path: Path) -> None:
    disk = tmp_path.resolve()
    (disk / "data").mkdir()
    (disk / "secret").touch()
    (disk / "data" / "link").symlink_to(disk / "secret")
    source = TableSource(str(disk / "data"), "text", rules=LocationRules((AllowedLocation(str(disk / "data")),)))

    with pytest.raises(RefusedTable, match="has files outside the allowed locations") as refused:
        check_files(source, [f"file:{disk}/data/link"])

    assert "secret" not in str(refused.value)


@pytest.mark.parametrize(("rules", "refused"), [(RULES, True), (None, False)])
def test_only_sources_with_rules_are_restricted(rules: LocationRules | None, refused: bool) -> None:
    source = TableSource("/etc/passwd", "text", rules=rules)

    if not refused:
        check_source(source)
        return
    with pytest.raises(RefusedTable, match="is not under an allowed location"):
        check_source(source)
