"""Locations: paths, URLs, and names of catalog tables."""

from pathlib import Path

import pytest

from treaty.engine.core.filesystems import is_path, open_filesystem


@pytest.mark.parametrize(
    ("location", "expected"),
    [
        ("/data/orders", True),
        ("data/orders", True),
        ("./orders", True),
        ("s3://lake/orders", True),
        ("file:/data", True),
        ("shop.orders", False),
        ("orders", False),
        ("catalog.shop.orders", False),
    ],
)
def test_a_location_is_a_path_or_a_name(location: str, *, expected: bool) -> None:
    assert is_path(location) is expected


def test_a_name_that_exists_here_is_a_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "orders").mkdir()
    monkeypatch.chdir(tmp_path)
    assert is_path("orders")


@pytest.mark.parametrize("form", ["{}", "file:{}", "file://{}"])
def test_local_paths_and_file_urls_are_one_place(form: str, tmp_path: Path) -> None:
    filesystem, path = open_filesystem(form.format(tmp_path))
    assert (filesystem.type_name, path) == ("local", str(tmp_path))


def test_a_relative_path_is_made_absolute(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert open_filesystem("orders")[1] == str(tmp_path / "orders")


def test_a_colon_in_a_local_path_is_no_scheme(tmp_path: Path) -> None:
    assert open_filesystem(str(tmp_path / "ts=10:00"))[1] == str(tmp_path / "ts=10:00")


def test_an_unknown_scheme_is_refused() -> None:
    with pytest.raises((ValueError, OSError), match="nosuch"):
        open_filesystem("nosuch://lake/orders")
