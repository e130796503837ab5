"""Templates that owners keep for others, over the API and by command."""

import io
import sys
from pathlib import Path

import pytest
from fastapi.testclient import TestClient
from support.api import World, document

from treaty.registry.cli import main
from treaty.registry.client import ClientError

TEXT = document("ours").replace("id: ours", "id: ${id}").replace("name: Orders", "name: ${name}")


def refused(call: object) -> ClientError:
    assert callable(call)
    with pytest.raises(ClientError) as caught:
        call()
    return caught.value


def test_what_an_owner_keeps_others_start_from(world: World) -> None:
    made = world.client("owner").save_template("shop-table", "A table of the shop.", TEXT)
    assert (made.owner, made.placeholders) == ("owner", ("id", "name"))
    found = world.client("viewer").templates()
    assert [each.owner for each in found[:-1]] == [None] * (len(found) - 1)
    assert found[-1] == made
    filled = made.document.replace("${id}", "mine").replace("${name}", "Mine")
    assert world.client("producer").propose(filled).contract_id == "mine"


@pytest.mark.parametrize(
    ("name", "text", "status"),
    [("events", TEXT, 409), ("ours", TEXT, 409), ("broken", TEXT.replace("apiVersion", "version"), 422)],
)
def test_what_is_there_already_or_no_contract_is_refused(world: World, name: str, text: str, status: int) -> None:
    client = world.client("owner")
    client.save_template("ours", "Ours.", TEXT)
    assert refused(lambda: client.save_template(name, "Another.", text)).status == status
    assert len([each for each in client.templates() if each.owner]) == 1


def test_who_keeps_it_removes_it(world: World) -> None:
    world.client("owner").save_template("ours", "Ours.", TEXT)
    assert refused(lambda: world.client("other-owner").remove_template("ours")).status == 403
    world.client("owner").remove_template("ours")
    assert refused(lambda: world.client("owner").remove_template("ours")).status == 404
    assert refused(lambda: world.client("admin").remove_template("events")).status == 404
    assert world.audited()[-2:] == ["template:saved", "template:removed"]


@pytest.mark.parametrize("kind", ["sqlite"])
def test_the_commands_keep_show_and_drop(
    world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def connected(**_: object) -> TestClient:
        return TestClient(world.http.app)

    def run(*words: str) -> tuple[int, str, str]:
        return main._code(["template", *words]), *capsys.readouterr()

    monkeypatch.setenv("TREATY_TOKEN", world.secrets["owner"])
    monkeypatch.setattr("httpx.Client", connected)
    monkeypatch.setattr(sys, "stdin", io.StringIO())
    file = tmp_path / "ours.yaml"
    file.write_text(TEXT)
    assert run("save", "ours", str(file), "--description", "Ours.")[:2] == (
        0,
        "ours: Ours.\n  placeholders: id, name\n",
    )
    assert "ours: Ours. (saved by owner)\n  placeholders: id, name\n" in run("list", "--registry")[1]
    assert "ours" not in run("list")[1]
    code, shown, _ = run("show", "ours", "--registry", "--set", "id=mine")
    assert (code, "id: mine\n" in shown, "${name}" in shown) == (0, True, True)
    assert run("remove", "ours")[:2] == (0, "Removed template ours.\n")
    code, _, told = run("show", "ours", "--registry")
    assert (code, "Template ours does not exist" in told) == (3, True)
    assert run("save", "ours", str(tmp_path / "nowhere"), "--description", "x")[0] == 3
