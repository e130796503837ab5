"""Secrets of connections: named, never stored, and never another secret of the service."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from treaty.registry.catalogs import secrets
from treaty.registry.catalogs.errors import CatalogSecretMissing
from treaty.registry.core.catalog_secrets import is_catalog_secret
from treaty.registry.core.settings import ConfigError, RegistrySettings, load

ENVIRON = {
    "TREATY_CATALOG_LAKE": "right-4711",
    "TREATY_CATALOG_EMPTY": " ",
    "TREATY_CATALOG_LINES": "right-4711\nX-Admin: 1",
    "TREATY_CATALOG_SECRETS": "/run/secrets",
    "TREATY_TOKEN": "wrong-4711",
    "HOME": "/root",
}


@pytest.fixture
def settings(tmp_path: Path) -> RegistrySettings:
    folder = tmp_path / "secrets"
    (folder / "data").mkdir(parents=True)
    (folder / "lake").write_text("right-4711\n")
    (folder / "large").write_text("x" * 70_000)
    (folder / "data" / "lake").write_text("right-4711")
    (folder / "mounted").symlink_to(folder / "data" / "lake")
    (tmp_path / "outside").write_text("wrong-4711")
    (folder / "leading-out").symlink_to(tmp_path / "outside")
    (folder / "bytes").write_bytes(b"\xff\xfe")
    return RegistrySettings(catalog_secrets=folder)


@pytest.mark.parametrize("name", ["env:TREATY_CATALOG_LAKE", "file:lake", "file:mounted"])
def test_a_secret_is_found_by_its_name(name: str, settings: RegistrySettings) -> None:
    assert secrets.fault(name) is None
    assert secrets.secret_of(name, settings, ENVIRON) == "right-4711"


def test_a_connection_may_have_no_secret(settings: RegistrySettings) -> None:
    assert secrets.secret_of(None, settings, ENVIRON) == ""


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("env:TREATY_CATALOG_OTHER", "does not exist"),
        ("env:TREATY_CATALOG_EMPTY", "or is empty"),
        ("env:TREATY_CATALOG_LINES", "cannot be sent"),
        ("env:TREATY_CATALOG_SECRETS", "name the secret as"),
        ("env:TREATY_TOKEN", "name the secret as"),
        ("env:HOME", "name the secret as"),
        ("env:treaty_catalog_lake", "name the secret as"),
        ("file:other", "does not exist"),
        ("file:large", "does not exist"),
        ("file:data", "does not exist"),
        ("file:bytes", "does not exist"),
        ("file:leading-out", "does not exist"),
        ("file:../outside", "name the secret as"),
        ("file:data/lake", "name the secret as"),
        ("file:..", "name the secret as"),
        ("file:", "name the secret as"),
        ("right-4711", "name the secret as"),
    ],
)
def test_any_other_name_is_refused_without_the_secret(name: str, words: str, settings: RegistrySettings) -> None:
    with pytest.raises(CatalogSecretMissing, match=words) as refused:
        secrets.secret_of(name, settings, ENVIRON)
    assert "4711" not in str(refused.value)


def test_files_need_the_setting() -> None:
    with pytest.raises(CatalogSecretMissing, match="TREATY_CATALOG_SECRETS"):
        secrets.secret_of("file:lake", RegistrySettings(), ENVIRON)


@given(st.text(max_size=40))
def test_only_variables_of_catalogs_are_looked_up(name: str) -> None:
    if secrets.fault(f"env:{name}") is None:
        assert name.startswith("TREATY_CATALOG_")
    assert is_catalog_secret(name) or secrets.fault(f"env:{name}")


def test_secrets_of_catalogs_are_no_settings() -> None:
    variables = {"TREATY_CATALOG_LAKE": "right-4711", "TREATY_CATALOG_SECRETS": "/run/secrets"}
    assert load(variables) == RegistrySettings(catalog_secrets=Path("/run/secrets"))
    with pytest.raises(ConfigError, match="TREATY_CATALOGS_LAKE is not a setting"):
        load({"TREATY_CATALOGS_LAKE": "1"})
