"""Kinds of catalogs: the built-in ones, those of packages that the settings name, and their options."""

from importlib import invalidate_caches
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from support.plugins import install

from treaty.engine.checks import plugins
from treaty.registry.catalogs import catalog_kinds
from treaty.registry.catalogs.kinds.iceberg.reader import IcebergRest
from treaty.registry.catalogs.kinds.protocol import CatalogOption
from treaty.registry.core.errors import InvalidRequest

BUILT_IN = ["databricks", "datahub", "gravitino", "iceberg", "openmetadata", "unity"]
SOURCE = """
from types import SimpleNamespace
LEDGER = SimpleNamespace(name="ledger", options=(), permissions=("read the ledger",), open=lambda access: None)
NAMELESS = SimpleNamespace(name="other", options=(), permissions=(), open=None)
BARE = SimpleNamespace(name="ledger")
"""


def installed(monkeypatch: pytest.MonkeyPatch, folder: Path, target: str) -> str:
    """The name of a package that declares a kind `ledger`."""
    (folder / "treaty_ledger.py").write_text(SOURCE)
    install(folder, entry_points={catalog_kinds.GROUP: {"ledger": target}}, name="treaty-ledger")
    monkeypatch.syspath_prepend(str(folder))
    invalidate_caches()
    return "treaty-ledger"


def test_a_package_that_the_settings_name_adds_its_kind(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    package = installed(monkeypatch, tmp_path, "treaty_ledger:LEDGER")
    assert sorted(catalog_kinds.kinds()) == BUILT_IN
    assert sorted(catalog_kinds.kinds([package])) == sorted([*BUILT_IN, "ledger"])
    assert catalog_kinds.kind_of("ledger", [package]).permissions == ("read the ledger",)
    # The service loads all plug-ins when it starts: one that has only catalogs is no error there.
    monkeypatch.setattr(plugins, "_LOADED", {})
    plugins.load([package])


@pytest.mark.parametrize(
    ("target", "words"),
    [
        ("treaty_ledger:NAMELESS", "is not a kind of catalog with the name ledger"),
        ("treaty_ledger:BARE", "is not a kind of catalog with the name ledger"),
        ("treaty_ledger:NOTHING", "raised AttributeError"),
        ("treaty_nowhere:LEDGER", "raised ModuleNotFoundError"),
    ],
)
def test_a_plug_in_that_cannot_be_used_is_named(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, target: str, words: str
) -> None:
    package = installed(monkeypatch, tmp_path, target)
    with pytest.raises(InvalidRequest) as refused:
        catalog_kinds.kinds([package])
    assert words in refused.value.faults[0].message


@pytest.mark.parametrize(
    ("name", "packages", "words"), [("oracle", (), "use one of databricks, datahub"), ("x", ("gone",), "gone is not")]
)
def test_an_unknown_kind_is_refused_with_those_that_there_are(name: str, packages: Any, words: str) -> None:
    with pytest.raises(InvalidRequest) as refused:
        catalog_kinds.kind_of(name, packages)
    assert words in refused.value.faults[0].message


def test_options_are_completed_by_their_defaults() -> None:
    kind = SimpleNamespace(name="k", options=(CatalogOption("a", "", "1"), CatalogOption("b", "", "x", ("x", "y"))))
    assert catalog_kinds.complete_options(kind, {"b": "y"}) == {"a": "1", "b": "y"}  # type: ignore[arg-type]
    for options in ({"c": "1"}, {"b": "z"}):
        with pytest.raises(InvalidRequest):
            catalog_kinds.complete_options(kind, options)  # type: ignore[arg-type]


def test_every_option_of_a_built_in_kind_is_described_and_its_default_is_a_choice() -> None:
    assert [each.name for each in IcebergRest().options if not each.help] == []
    assert all(each.default in each.choices for each in IcebergRest().options if each.choices)
