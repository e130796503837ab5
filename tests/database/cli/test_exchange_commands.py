"""Exchange with a registry from the command line."""

import json
from pathlib import Path
from typing import Any

import pytest
from support.api import World, document
from support.contract_texts import ORDERS
from support.exchanged import DBT
from typer.testing import CliRunner

from treaty.registry.cli import main
from treaty.registry.client import Client
from treaty.registry.exchange.exports import RECORD


@pytest.fixture
def told(world: World, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Any:
    """What a command prints, as the user of that name; and its exit code."""
    monkeypatch.chdir(tmp_path)
    Path("schema.yml").write_text(DBT)

    def run(who: str, *words: str) -> tuple[int, str]:
        monkeypatch.setenv("TREATY_TOKEN", world.secrets[who])
        made = lambda _, token: Client("http://testserver", token, http=world.http)  # noqa: E731
        monkeypatch.setattr("treaty.registry.client.Client", made)
        monkeypatch.setattr(Client, "close", lambda _: None)
        result = CliRunner().invoke(main.app, list(words))
        return result.exit_code, result.stdout or str(result.exception or "")

    return run


def in_force(world: World, text: str) -> None:
    made, owner = world.client("producer").propose(text), world.client("owner")
    owner.approve(made.id, owner.preview(made.id).fingerprint)


def test_a_version_of_the_registry_is_exported(world: World, told: Any) -> None:
    in_force(world, document())
    assert told("viewer", "export", "shop-orders") == (0, document().replace("status: draft", "status: active"))
    assert RECORD in told("viewer", "export", "shop-orders@1.0.0", "--record")[1]
    assert told("viewer", "export", "shop-orders", "--to", "html")[1].startswith("<!doctype html>")
    code, said = told("viewer", "export", "unknown")
    assert (code, "Not found, or you do not have access" in said) == (1, True)


def test_what_is_imported_is_proposed(world: World, told: Any) -> None:
    code, said = told("producer", "import", "schema.yml", "--from", "dbt", "--propose")
    assert (code, [line.split(":")[0] for line in said.splitlines()]) == (0, ["orders 1.0.0", "events 1.0.0"])
    assert {each.contract_id for each in world.client("owner").proposals()} == {"orders", "events"}


def test_who_may_not_propose_cannot_import_into_the_registry(world: World, told: Any) -> None:
    assert told("viewer", "import", "schema.yml", "--from", "dbt", "--propose")[0] != 0
    assert world.client("owner").proposals() == []


def test_the_checks_of_a_version_say_who_signed(world: World, told: Any) -> None:
    in_force(world, ORDERS)
    code, text = told("viewer", "checks", "shop-orders", "--json")
    signed = {each["id"]: each["signed_by"] for each in json.loads(text)["checks"] if each["signed_at"]}
    assert (code, signed) == (0, {"orders-text": "owner"})
    assert "signed by owner" in " ".join(told("viewer", "checks", "shop-orders")[1].split())


def test_a_name_is_refused_for_a_folder_of_files(told: Any) -> None:
    Path("many").mkdir()
    Path("many/a.ddl").write_text("id BIGINT")
    code, said = told("producer", "import", "many", "--from", "spark", "--name", "orders")
    assert code != 0
    assert "is a folder, and --name names one table (import one file, or omit --name)" in said
