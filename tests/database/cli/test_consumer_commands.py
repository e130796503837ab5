"""The commands of consumers, over the real service: subscribed, listed, acknowledged, and how they refuse."""

import json
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from support.api import World
from support.consumers import CONTRACT, approve, check, content

from treaty.engine.cli.commands import CliError
from treaty.registry.cli.commands import consumers
from treaty.registry.cli.main import main
from treaty.registry.client import ClientError
from treaty.registry.core.enums import ChannelKind
from treaty.registry.schemas import ChannelIn

CHECKS = """
checks:
- object: orders
  quality:
    id: mean-amount
    type: custom
    engine: treaty
    implementation: {analyzer: mean, column: amount, mustBeGreaterThan: 10}
- {object: orders, column: country, required: true}
"""
SUBSCRIBE = ["subscribe", CONTRACT, "--purpose", "reports", "--contact", "me@example.org"]


@pytest.fixture
def shop(world: World, monkeypatch: pytest.MonkeyPatch) -> World:
    @contextmanager
    def opened() -> Any:
        try:
            yield world.client("consumer")
        except ClientError as error:
            raise CliError(error.message) from None

    monkeypatch.setattr("treaty.registry.cli.commands.service.open_client", opened)
    approve(world, content())
    return world


def run(*arguments: str) -> int:
    with pytest.raises(SystemExit) as ended:
        main(list(arguments))
    return int(ended.value.code or 0)


def test_a_consumer_subscribes_with_checks_of_their_own(
    shop: World, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "checks.yaml"
    file.write_text(CHECKS)
    assert run(*SUBSCRIBE, "--reads", "orders.amount", "--version", "1.0.0", "--checks", str(file)) == 0
    told = capsys.readouterr().out
    assert "consumer uses shop-orders for reports: reads orders.amount, pinned to version 1.0.0" in told
    assert "own checks: 2" in told
    (made,) = shop.client("consumer").subscriptions()
    assert [each.id for each in shop.client("viewer").consumer_checks(made.id)] == ["country-required", "mean-amount"]


def test_a_subscription_whose_checks_are_refused_does_not_stay(
    shop: World, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "checks.yaml"
    file.write_text(CHECKS.replace("column: country", "column: land"))
    assert run(*SUBSCRIBE, "--checks", str(file)) == 3
    assert "the check is not valid" in capsys.readouterr().err
    assert shop.client("consumer").subscriptions() == []
    file.write_text(CHECKS)
    assert run(*SUBSCRIBE, "--checks", str(file)) == 0


def test_the_consumers_of_a_contract_are_shown(shop: World, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(*SUBSCRIBE) == 0
    capsys.readouterr()
    assert run("consumers", CONTRACT) == 0
    told = " ".join(capsys.readouterr().out.split())
    assert "consumer reports me@example.org reads orders follows the version in force 0" in told
    assert run("consumers", CONTRACT, "--json") == 0
    assert [each["purpose"] for each in json.loads(capsys.readouterr().out)["items"]] == ["reports"]


def test_a_consumer_chooses_of_what_they_are_told_and_where(shop: World, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("subscriptions") == 0
    assert capsys.readouterr().out == "No subscriptions. Create one with: treaty subscribe CONTRACT\n"
    assert run(*SUBSCRIBE, "--reads", "orders.amount") == 0
    (made,) = shop.client("consumer").subscriptions(mine=True)
    channel = shop.client("consumer").add_channel(ChannelIn(kind=ChannelKind.EMAIL, target="me@example.org")).channel
    capsys.readouterr()

    assert (
        run("notify", "choose", str(made.id), "--event", "breaking", "--event", "lag", "--channel", str(channel.id))
        == 0
    )
    (chosen,) = shop.client("consumer").subscriptions(mine=True)
    assert (chosen.notification_kinds, chosen.channel_id, chosen.revision) == (
        ("breaking", "lag"),
        channel.id,
        made.revision + 1,
    )
    assert (chosen.purpose, chosen.contact, chosen.reads) == (made.purpose, made.contact, made.reads)
    assert "breaking, lag" in " ".join(capsys.readouterr().out.split())

    assert run("notify", "choose", str(made.id), "--event", "review") == 3
    assert "A subscription supports the kinds violation, recovery, breaking, lag" in capsys.readouterr().err
    assert run("notify", "choose", str(made.id)) == 0
    assert "everything all your channels" in " ".join(capsys.readouterr().out.split())


def test_a_consumer_objects_and_then_acknowledges(shop: World, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(*SUBSCRIBE) == 0
    approve(shop, content("2.0.0", quality=[check("many", "size", mustBeGreaterThan=0)]))
    assert run("acknowledge", CONTRACT, "2.0.0", "--objection", "--comment", "our report needs it") == 0
    assert "objected" in capsys.readouterr().out
    assert run("acknowledge", CONTRACT, "2.0.0") == 0
    assert run("acknowledge", CONTRACT, "2.0.0") == 3
    assert "No acknowledgement of version 2.0.0" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (["--group", "main", "--version", "1.0.0"], "either --group or --version"),
        (["--checks", "nowhere.yaml"], "Cannot read nowhere.yaml: No such file"),
        (["--reads", "orders.amuont"], "The subscription has faults"),
    ],
)
def test_what_cannot_be_subscribed_ends_with_its_reason(
    shop: World, more: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(*SUBSCRIBE, *more) == 3
    assert said in capsys.readouterr().err
    assert shop.client("consumer").subscriptions() == []


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("checks: []\n", "has no checks"),
        ("other: 1\n", "has no checks"),
        ("checks: [1]\n", "0: Input should be"),
        ("checks:\n- {column: amount, required: true}\n", "0.object: Field required"),
        ("checks:\n- {object: orders}\n", "0.patch: Dictionary should have at least 1 item"),
        ("checks: [\n", "Cannot read"),
    ],
)
def test_a_file_without_checks_is_refused(tmp_path: Path, text: str, said: str) -> None:
    file = tmp_path / "checks.yaml"
    file.write_text(text)
    with pytest.raises(CliError, match=said):
        consumers.read_checks(file)
