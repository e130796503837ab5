"""Commands for notification channels and undelivered messages."""

from typing import TYPE_CHECKING, Annotated, Any, get_args
from uuid import UUID

import typer

from treaty.engine.cli.commands import CliError
from treaty.engine.cli.options import Json
from treaty.registry.cli.commands import service
from treaty.registry.cli.output.tables import print_table
from treaty.registry.core.enums import ChannelKind, NotificationKind, OutboxState

if TYPE_CHECKING:
    from collections.abc import Sequence

    from treaty.registry import schemas
    from treaty.registry.client import Client

app = typer.Typer(
    name="notify",
    no_args_is_help=True,
    help="Manage notification channels for proposals, decisions, violations and recoveries.",
)
KIND = typer.Argument(metavar="KIND", help="Kind: email, slack or webhook", show_default=False)
Target = Annotated[str, typer.Argument(metavar="TARGET", help="E-mail address or URL", show_default=False)]
Contract = Annotated[str | None, typer.Option(help="Only this contract; by default all that concern you")]
Event = Annotated[
    list[NotificationKind] | None, typer.Option("--event", help="Notification kind; repeatable; by default all")
]
TeamName = Annotated[str | None, typer.Option("--team", help="Add the channel for a team that you lead")]
ChannelArgument = Annotated[UUID, typer.Argument(metavar="CHANNEL", help="Channel id", show_default=False)]
Subscription = Annotated[UUID, typer.Argument(metavar="SUBSCRIPTION", help="Subscription id", show_default=False)]
Through = Annotated[UUID | None, typer.Option("--channel", help="Only this channel; by default all")]
Message = Annotated[UUID, typer.Argument(metavar="MESSAGE", help="Message id", show_default=False)]


@app.command()
def add(
    kind: Annotated[ChannelKind, KIND],
    target: Target,
    contract: Contract = None,
    event: Event = None,
    team: TeamName = None,
    as_json: Json = False,
) -> None:
    """Add a notification channel. The signing secret of a webhook is shown only once."""
    from treaty.registry import schemas

    with service.open_client() as registry:
        team_id = _team(registry, team) if team else None
        body = schemas.ChannelIn(
            kind=kind, target=target, contract_id=contract, notification_kinds=tuple(event or ()), team_id=team_id  # type: ignore[arg-type]
        )  # fmt: skip
        channel = registry.add_channel(body)
    service.print_result(channel, _print_made, as_json=as_json)


@app.command("list")
def show(as_json: Json = False) -> None:
    """List your channels and those of your teams, with the state of their last message."""
    from treaty.registry import schemas

    with service.open_client() as registry:
        items = registry.channels()
    service.print_result(schemas.Page[schemas.ChannelOut](items=tuple(items)), _print_channels, as_json=as_json)


@app.command("test")
def try_out(channel: ChannelArgument, as_json: Json = False) -> None:
    """Send a test notification. Check its delivery with `treaty notify list`."""
    with service.open_client() as registry:
        channel_out = registry.test_channel(channel)
    service.print_result(channel_out, lambda channel, console: _print_all(console, [channel]), as_json=as_json)


@app.command()
def remove(channel: ChannelArgument) -> None:
    """Remove a notification channel."""
    with service.open_client() as registry:
        registry.remove_channel(channel)
    print(f"Removed channel {channel}.")


@app.command()
def choose(subscription: Subscription, event: Event = None, channel: Through = None, as_json: Json = False) -> None:
    """Set the notification kinds and the channel of a subscription. List them with `treaty subscriptions`."""
    from treaty.registry.cli.commands.consumers import print_own
    from treaty.registry.schemas.consumers import Consumed

    kinds = get_args(Consumed)
    if not {*(event or ())} <= {*kinds}:
        raise CliError(f"A subscription supports the kinds {', '.join(kinds)}.")
    with service.open_client() as registry:
        updated = registry.choose_notifications(
            registry.subscription(subscription), notification_kinds=event or (), channel_id=channel
        )
    service.print_result(updated, lambda channel, console: print_own([channel], console), as_json=as_json)


@app.command()
def failed(as_json: Json = False) -> None:
    """List messages that could not be delivered, newest first. Administrators only."""
    from treaty.registry import schemas

    with service.open_client() as registry:
        items = registry.messages(state=OutboxState.DEAD)
    page = schemas.Page[schemas.OutboxMessageOut](items=tuple(items))
    service.print_result(page, lambda page, console: _print_messages(page.items, console), as_json=as_json)


@app.command()
def retry(message: Message, as_json: Json = False) -> None:
    """Retry a message that could not be delivered. Administrators only."""
    with service.open_client() as registry:
        result = registry.retry_message(message)
    service.print_result(result, lambda message, console: _print_messages([message], console), as_json=as_json)


def _team(registry: "Client", name: str) -> UUID:
    team_id = next((each.id for each in registry.teams() if each.name == name), None)
    if team_id is None:
        raise CliError(f"Team {name} does not exist, or you are not a member.")
    return team_id


def _print_made(channel: "schemas.NewChannelOut", console: Any) -> None:
    _print_all(console, [channel.channel])
    if channel.secret:
        console.print(f"Signing secret: {channel.secret} (not shown again)", markup=False, soft_wrap=True)


def _print_channels(page: "schemas.Page[schemas.ChannelOut]", console: Any) -> None:
    if page.items:
        _print_all(console, page.items)
    else:
        console.print("No channels yet. Add one with: treaty notify add email ADDRESS")


def _print_all(console: Any, channels: "Sequence[schemas.ChannelOut]") -> None:
    headings = ("channel", "kind", "target", "owner", "contract", "notifications", "last message")
    rows = [
        (
            str(e.id),
            e.kind.value,
            e.target,
            e.holder,
            e.contract_id or "",
            ", ".join(e.notification_kinds) or "everything",
            _last(e),
        )
        for e in channels
    ]
    print_table(console, headings, rows)


def _last(channel: "schemas.ChannelOut") -> str:
    last = channel.last_message
    return f"{last.state.value}: {last.error}" if last and last.error else last.state.value if last else ""


def _print_messages(messages: "Sequence[schemas.OutboxMessageOut]", console: Any) -> None:
    headings = ("message", "kind", "to", "state", "attempts", "last error")
    rows = [(str(e.id), e.kind, e.destination, e.state.value, str(e.attempts), e.error or "") for e in messages]
    print_table(console, headings, rows, none="No failed messages.")
