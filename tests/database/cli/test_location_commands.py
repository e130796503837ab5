"""`treaty locations`: what administrators allow from the command line."""

import json
from typing import Any

import pytest
from support.api import World
from typer.testing import CliRunner

from treaty.registry.cli import main
from treaty.registry.client import Client


@pytest.fixture
def run(world: World, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Runs a command as an administrator; its exit code and what it prints."""

    def told(*words: str) -> tuple[int, str]:
        monkeypatch.setenv("TREATY_TOKEN", world.secrets["admin"])
        made = lambda _, token: Client("http://testserver", token, http=world.http)  # noqa: E731
        monkeypatch.setattr("treaty.registry.client.Client", made)
        monkeypatch.setattr(Client, "close", lambda _: None)
        result = CliRunner().invoke(main.app, ["locations", *words])
        return result.exit_code, result.stdout.strip() or str(result.exception or "")

    return told


def test_a_location_is_added_listed_and_removed(run: Any, tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert run("add", "./lake/", "--domain", "shop") == (0, f"Allowed: {tmp_path}/lake for the domain shop")
    assert run("add", "s3a://lake/raw") == (0, "Allowed: s3://lake/raw")
    added = [each for each in json.loads(run("list", "--json")[1]) if each["id"]]
    assert [(each["location"], each["domain"]) for each in added] == [
        (f"{tmp_path}/lake", "shop"),
        ("s3://lake/raw", None),
    ]
    assert "s3://lake/raw" in run("list")[1]
    assert run("remove", "s3a://lake/raw") == (0, "Removed: s3://lake/raw")
    assert run("remove", "./lake")[0] != 0
    assert run("remove", "./lake", "--domain", "shop") == (0, f"Removed: {tmp_path}/lake")


@pytest.mark.parametrize("kind", ["sqlite"])
def test_the_reason_is_told_why_a_location_cannot_be_allowed(run: Any) -> None:
    code, told = run("add", "jdbc:postgresql://db/x")

    assert code != 0
    assert "has a scheme that is not supported" in told
