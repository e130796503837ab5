"""The commands of proposals and versions, over the real service: each way to its end, and how they refuse."""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path

import pytest
from support.api import World, document

from treaty.engine.cli.commands import CliError
from treaty.engine.core import clock
from treaty.registry.cli.main import main
from treaty.registry.client import Client, ClientError

Act = Callable[..., tuple[int, str, str]]


@pytest.fixture
def act(world: World, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Act:
    """Runs `treaty` as that user: its exit code and what it printed."""

    def acted(who: str, *arguments: str) -> tuple[int, str, str]:
        @contextmanager
        def opened() -> Iterator[Client]:
            try:
                yield world.client(who)
            except ClientError as error:
                raise CliError(error.message) from None

        monkeypatch.setattr("treaty.registry.cli.commands.service.open_client", opened)
        with pytest.raises(SystemExit) as ended:
            main(list(arguments))
        return int(ended.value.code or 0), *capsys.readouterr()

    return acted


@pytest.fixture
def file(tmp_path: Path) -> str:
    path = tmp_path / "contract.yaml"
    path.write_text(document("shop"))
    return str(path)


def fingerprint(act: Act, named: str = "shop") -> str:
    return str(json.loads(act("owner", "review", named, "--json")[1])["preview"]["fingerprint"])


def test_a_document_is_put_forward_reviewed_approved_and_in_force(act: Act, file: str) -> None:
    code, told, _ = act("producer", "propose", file, "--comment", "first")
    assert (code, "in review" in told, "1 of 1 owner approvals" in told) == (0, True, True)
    assert "to decide:" in act("owner", "inbox")[1]
    assert "waiting for others:" in act("producer", "inbox")[1]
    assert act("viewer", "inbox")[1] == "Your inbox is empty.\n"
    shown = act("owner", "review", "shop")[1]
    assert "This is the first version" in shown
    assert "No subscriptions" in shown
    seen = shown.rpartition("--fingerprint ")[2].strip()
    assert act("owner", "approve", "shop", "--fingerprint", seen, "--comment", "fine")[:2] == (
        0,
        "version 1.0.0: active\n",
    )
    assert "1.0.0    active" in act("viewer", "versions", "shop")[1]


def test_what_was_put_off_is_told_apart(act: Act, file: str, world: World) -> None:
    act("producer", "propose", file)
    (waiting,) = world.client("owner").inbox().to_decide
    world.client("owner").snooze_proposal(waiting.id, clock.now() + timedelta(hours=1))
    code, told, _ = act("owner", "inbox")
    assert (code, told.splitlines()[:2]) == (0, ["Your inbox is empty.", "snoozed:"])
    assert str(waiting.id) in told


@pytest.mark.parametrize("seen", ["", "abcd", "0" * 64])
def test_what_was_not_shown_is_not_approved(act: Act, file: str, seen: str, world: World) -> None:
    act("producer", "propose", file)
    code, _, said = act("owner", "approve", "shop", "--fingerprint", seen)
    assert (code, "treaty review shop" in said) == (3, True)
    assert world.client("owner").contracts() == []


def test_a_beginning_that_many_documents_share_is_too_short(act: Act, file: str, world: World) -> None:
    act("producer", "propose", file)
    assert act("owner", "approve", "shop", "--fingerprint", fingerprint(act)[:7])[0] == 3
    assert act("owner", "approve", "shop", "--fingerprint", fingerprint(act)[:8])[0] == 0


def test_nobody_approves_their_own_by_command_either(act: Act, file: str) -> None:
    act("owner", "propose", file)
    code, _, said = act("owner", "approve", "shop", "--fingerprint", fingerprint(act))
    assert (code, "you cannot approve your own proposal" in said) == (3, True)


def test_a_draft_is_not_before_the_owners(act: Act, file: str) -> None:
    assert "draft" in act("producer", "propose", file, "--draft")[1]
    code, _, said = act("owner", "review", "shop")
    assert (code, "no contract of that id has an open proposal" in said) == (3, True)


@pytest.mark.parametrize(
    ("who", "command", "told"),
    [
        ("owner", ["reject", "shop", "--reason", "too wide"], ", by producer: rejected"),
        ("producer", ["withdraw", "shop"], ", by producer: withdrawn"),
        ("owner", ["comment", "shop", "why so wide?"], "owner on revision 1: why so wide?"),
    ],
)
def test_a_proposal_is_declined_taken_back_and_discussed(
    act: Act, file: str, who: str, command: list[str], told: str
) -> None:
    act("producer", "propose", file)
    code, said, _ = act(who, *command)
    assert (code, told in said) == (0, True)


def test_of_several_open_proposals_one_is_named_by_its_id(act: Act, file: str, world: World) -> None:
    for title in ("one", "two"):
        act("producer", "propose", file, "--title", title)
    code, _, said = act("owner", "review", "shop")
    assert (code, "has 2 open proposals" in said, "one" in said, "two" in said) == (3, True, True, True)
    first = world.client("owner").proposals(contract_id="shop")[0].id
    assert act("owner", "review", str(first))[0] == 0


def test_a_version_is_advised_against_and_ended(act: Act, file: str) -> None:
    act("producer", "propose", file)
    act("owner", "approve", "shop", "--fingerprint", fingerprint(act))
    assert (
        act("owner", "deprecate", "shop", "1.0.0", "--reason", "old")[1] == "version 1.0.0: deprecated, reason: old\n"
    )
    assert act("producer", "retire", "shop", "1.0.0", "--reason", "older")[0] == 3
    assert act("owner", "retire", "shop", "1.0.0", "--reason", "older")[1] == "version 1.0.0: retired, reason: older\n"
    assert act("owner", "retire", "shop", "1.0.0", "--reason", "again")[0] == 3


def test_a_file_that_is_no_text_is_refused(act: Act, tmp_path: Path) -> None:
    (tmp_path / "bytes.yaml").write_bytes(b"\xff\xfe\x00")
    for name in ("bytes.yaml", "missing.yaml"):
        code, _, said = act("producer", "propose", str(tmp_path / name))
        assert (code, "as text: " in said) == (3, True)
