"""`treaty access`: teams, grants, new secrets and keys from the command line."""

import json
from pathlib import Path
from typing import Any

import pytest
from support.api import World
from typer.testing import CliRunner

from treaty.registry.cli import main
from treaty.registry.client import Client, ClientError
from treaty.registry.core.enums import Permission


@pytest.fixture
def told(world: World, monkeypatch: pytest.MonkeyPatch) -> Any:
    """What a command prints, as the user of that name; and its exit code."""

    def run(who: str, *words: str, typed: str | None = None) -> tuple[int, str]:
        monkeypatch.setenv("TREATY_TOKEN", world.secrets[who])
        made = lambda _, token: Client("http://testserver", token, http=world.http)  # noqa: E731
        monkeypatch.setattr("treaty.registry.client.Client", made)
        monkeypatch.setattr(Client, "close", lambda _: None)
        result = CliRunner().invoke(main.app, ["access", *words], input=typed)
        return result.exit_code, result.stdout.strip() or result.stderr.strip() or str(result.exception or "")

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


PASSWORD = "correct horse battery"


def test_a_person_is_created_changed_and_locked_out(world: World, told: Any) -> None:
    code, user = told("admin", "create-user", "zoe", "--role", "viewer", "--password", typed=f"{PASSWORD}\n")
    assert (code, len(user)) == (0, 36)
    assert Client("http://testserver", http=world.http).sign_in("zoe", PASSWORD).user.name == "zoe"
    assert told("admin", "change-user", "zoe", "--role", "owner", "--inactive") == (0, "")
    (zoe,) = [each for each in json.loads(told("admin", "users", "--json")[1]) if each["name"] == "zoe"]
    assert (zoe["id"], zoe["roles"], zoe["active"]) == (user, ["owner"], False)
    with pytest.raises(ClientError):
        Client("http://testserver", http=world.http).sign_in("zoe", PASSWORD)


def test_a_service_gets_a_token_that_is_revoked_again(world: World, told: Any) -> None:
    assert told("admin", "create-user", "loader", "--role", "service")[0] == 0
    code, secret = told("admin", "create-token", "nightly", "--user", "loader", "--scope", "lineage:write")
    me = lambda: world.http.get("/api/v1/me", headers={"Authorization": f"Bearer {secret}"})  # noqa: E731
    assert (code, me().json()["user"]["name"], me().json()["permissions"]) == (0, "loader", ["lineage:write"])
    shown = told("admin", "tokens")[1]
    (token,) = [each for each in json.loads(told("admin", "tokens", "--json")[1]) if each["name"] == "nightly"]
    assert [word in shown for word in (token["id"], "nightly", "lineage:write", "UTC")] == [True] * 4
    assert secret not in shown
    assert told("admin", "revoke-token", token["id"]) == (0, "")
    assert me().status_code == 401


def test_a_token_expires_unless_it_is_asked_not_to(world: World, told: Any) -> None:
    assert told("producer", "create-token", "short", "--scope", "contracts:read", "--expires-days", "1")[0] == 0
    assert told("producer", "create-token", "long", "--scope", "contracts:read", "--never-expires")[0] == 0
    expiries = {each["name"]: each["expires_at"] for each in json.loads(told("producer", "tokens", "--json")[1])}
    assert (expiries["short"] is None, expiries["long"]) == (False, None)


@pytest.mark.parametrize(
    ("who", "words", "typed", "message"),
    [
        ("viewer", ("create-user", "zoe"), None, "permission"),
        ("viewer", ("create-token", "mine", "--scope", "contracts:read", "--user", "admin"), None, "permission"),
        ("viewer", ("users",), None, "permission"),
        ("admin", ("create-user", "zoe", "--password"), "too short\n", "password: Value should have at least 12"),
        ("admin", ("create-user", "zoe", "--password"), "", "standard input, which is empty"),
        ("admin", ("create-user", "a b"), None, "name: String should match"),
        ("admin", ("create-user", "viewer"), None, "viewer"),
        ("admin", ("change-user", "viewer"), None, "Nothing to change"),
        ("admin", ("change-user", "zoe", "--active"), None, "User zoe does not exist"),
        ("admin", ("create-token", "x", "--scope", "memory:erase"), None, "memory:erase"),
        ("producer", ("create-token", "x", "--scope", "users:manage"), None, "users:manage"),
    ],
)
def test_accounts_follow_the_rules_of_the_api(
    told: Any, who: str, words: tuple[str, ...], typed: str | None, message: str
) -> None:
    code, said = told(who, *words, typed=typed)
    assert (code != 0, message in said, "too short\n" in said) == (True, True, False), said


def test_a_table_never_breaks_an_id(world: World, told: Any) -> None:
    granted = world.call("admin", "GET", "/me").json()["permissions"]
    scopes = [word for each in granted for word in ("--scope", each)]
    assert told("admin", "create-token", "with every permission that there is", *scopes)[0] == 0
    ids = [each["id"] for each in json.loads(told("admin", "tokens", "--json")[1])]
    lines = told("admin", "tokens")[1].splitlines()
    assert [sum(each in line for line in lines) for each in ids] == [1] * len(ids)
