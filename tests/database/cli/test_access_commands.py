"""`treaty access`: teams, grants, new secrets and keys from the command line."""

import json
from pathlib import Path
from typing import Any

import pytest
from support.api import World
from typer.testing import CliRunner

from treaty.registry.cli import main
from treaty.registry.client import Client
from treaty.registry.core.enums import Permission


@pytest.fixture
def told(world: World, monkeypatch: pytest.MonkeyPatch) -> Any:
    """What a command prints, as the user of that name; and its exit code."""

    def run(who: str, *words: str) -> tuple[int, str]:
        monkeypatch.setenv("TREATY_TOKEN", world.secrets[who])
        made = lambda _, token: Client("http://testserver", token, http=world.http)  # noqa: E731
        monkeypatch.setattr("treaty.registry.client.Client", made)
        monkeypatch.setattr(Client, "close", lambda _: None)
        result = CliRunner().invoke(main.app, ["access", *words])
        return result.exit_code, result.stdout.strip() or str(result.exception or "")

    return run


def test_a_team_is_made_granted_and_emptied_again(world: World, told: Any) -> None:
    code, team = told("admin", "create-team", "sellers")
    assert (code, len(team)) == (0, 36)
    assert told("admin", "set-member", "sellers", "viewer", "--lead") == (0, "")
    code, grant = told("admin", "grant", "owner", "domain", "shop", "--team", "sellers")
    assert code == 0
    shown = told("admin", "grants")[1]
    assert [word in shown for word in (grant[:8], "sellers", "owner", "domain", "shop")] == [True] * 5
    assert "viewer (lead)" in told("viewer", "teams")[1]
    assert [each["target"] for each in world.call("viewer", "GET", "/me").json()["grants"]] == ["shop"]
    assert told("viewer", "set-member", "sellers", "consumer") == (0, "")
    assert told("viewer", "set-member", "sellers", "consumer", "--remove") == (0, "")
    assert told("admin", "revoke", grant) == (0, "")
    assert json.loads(told("admin", "grants", "--json")[1]) == []


def test_a_user_is_granted_by_name(world: World, told: Any) -> None:
    assert told("admin", "grant", "producer", "contract", "orders", "--user", "viewer")[0] == 0
    assert json.loads(told("admin", "grants", "--target", "orders", "--json")[1])[0]["holder"] == "viewer"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("grant", "owner", "domain", "shop", "--user", "zoe"), "User zoe does not exist"),
        (("grant", "owner", "domain", "shop", "--team", "zoe"), "Team zoe does not exist"),
        (("grant", "owner", "domain", "shop"), "must name either a user or a team"),
        (("set-member", "zoe", "viewer"), "Team zoe does not exist"),
        (("create-key", "/nowhere/at/all"), "Cannot write /nowhere/at/all"),
    ],
)
def test_what_is_not_there_is_said(told: Any, words: tuple[str, ...], message: str) -> None:
    code, said = told("admin", *words)
    assert code != 0
    assert message in said


def test_a_token_gets_a_new_secret(world: World, told: Any) -> None:
    token = world.client("producer").issue_token("ci", scopes=[Permission.READ])
    code, secret = told("producer", "rotate", str(token.token.id), "--overlap-hours", "1")
    assert (code, secret.startswith(f"treaty_{token.token.prefix}_"), secret == token.secret) == (0, True, False)
    me = world.http.get("/api/v1/me", headers={"Authorization": f"Bearer {secret}"})
    assert me.json()["user"]["name"] == "producer"


def test_a_key_is_made_for_its_owner_alone_and_stays(told: Any, tmp_path: Path) -> None:
    file = tmp_path / "create-key"
    assert told("admin", "create-key", str(file)) == (0, "")
    made = file.read_bytes()
    assert (len(made), oct(file.stat().st_mode & 0o777)) == (32, "0o600")
    assert told("admin", "create-key", str(file)) == (0, "")
    assert file.read_bytes() == made
