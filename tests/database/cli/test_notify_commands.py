"""The commands of channels, over the real service: added, listed, tried, removed; and what was given up."""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from support.api import NOW, World
from support.scenes import add, rows

from treaty.engine.cli.commands import CliError
from treaty.registry.cli.main import main
from treaty.registry.client import Client, ClientError
from treaty.registry.core import ids
from treaty.registry.core.enums import OutboxState
from treaty.registry.tables import ChannelRow, OutboxMessageRow


@pytest.fixture
def asking(world: World, monkeypatch: pytest.MonkeyPatch) -> World:
    @contextmanager
    def opened() -> Iterator[Client]:
        try:
            yield world.client("admin")
        except ClientError as error:
            raise CliError(error.message) from None

    monkeypatch.setattr("treaty.registry.cli.commands.service.open_client", opened)
    return world


def run(*arguments: str) -> int:
    with pytest.raises(SystemExit) as ended:
        main(["notify", *arguments])
    return int(ended.value.code or 0)


def test_a_channel_is_added_listed_tried_and_removed(asking: World, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("add", "webhook", "https://hooks.example/x", "--event", "violation", "--event", "recovery") == 0
    assert "Signing secret: whsec_" in capsys.readouterr().out
    (made,) = rows(asking.engine, ChannelRow)
    assert run("test", str(made.id)) == 0
    assert run("list") == 0
    told = capsys.readouterr().out
    for part in (str(made.id), "https://hooks.example/...", "recovery, violation", "waiting"):
        assert part in told
    assert "whsec_" not in told
    assert run("remove", str(made.id)) == 0
    assert rows(asking.engine, ChannelRow) == []


def test_empty_lists_are_sentences(asking: World, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("list") == 0
    assert "No channels yet." in capsys.readouterr().out
    assert run("failed") == 0
    assert "No failed messages." in capsys.readouterr().out


def test_a_channel_of_a_team_names_it(asking: World, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("add", "email", "all@shop.example", "--team", "sellers") == 3
    assert "Team sellers does not exist" in capsys.readouterr().err
    team = asking.client("admin").create_team("sellers")
    assert run("add", "email", "all@shop.example", "--team", "sellers") == 0
    (made,) = rows(asking.engine, ChannelRow)
    assert (made.team_id, made.user_id) == (team.id, None)


def test_a_target_that_is_none_is_refused_in_words(asking: World, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("add", "email", "nobody") == 3
    assert "The target of the channel is invalid." in capsys.readouterr().err


def test_what_was_given_up_is_shown_and_delivered_anew(asking: World, capsys: pytest.CaptureFixture[str]) -> None:
    lost = OutboxMessageRow(
        id=ids.new(), kind="lineage", destination="lineage", key="lost", payload={}, state=OutboxState.DEAD,
        attempts=10, error="the receiver responded with status 503", available_at=NOW, created_at=NOW,
    )  # fmt: skip
    add(asking.engine, lost)
    assert run("failed") == 0
    told = capsys.readouterr().out
    assert str(lost.id) in told
    assert "the receiver responded with status 503" in told
    assert run("retry", str(lost.id)) == 0
    assert [each.state for each in rows(asking.engine, OutboxMessageRow)] == [OutboxState.WAITING]
    assert run("retry", str(lost.id)) == 3
