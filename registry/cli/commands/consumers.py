"""Commands of consumers: who uses a contract, what they ask of it, and what a new version means for them."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any
from uuid import UUID

import typer

from treaty.engine.cli.commands import CliError
from treaty.engine.cli.options import Json
from treaty.registry.cli.commands import service

if TYPE_CHECKING:
    from treaty.registry import schemas
    from treaty.registry.client import Client

ContractName = Annotated[str, typer.Argument(metavar="CONTRACT", help="a contract's id", show_default=False)]
Purpose = Annotated[str, typer.Option(help="what the data are used for", show_default=False)]
Contact = Annotated[str, typer.Option(help="whom to tell: an address, a channel", show_default=False)]
Reads = Annotated[
    list[str] | None,
    typer.Option(help="object.column, or object for all of it; repeat for more; everything by default"),
]
Group = Annotated[str | None, typer.Option(help="build on this group of versions")]
Pinned = Annotated[str | None, typer.Option("--version", help="build on this version alone")]
ChecksApi = Annotated[
    Path | None,
    typer.Option(help="a YAML file of checks of your own: under `checks`, of each its object, column and quality"),
]
TeamName = Annotated[str | None, typer.Option("--team", help="for this team of yours: every member may answer")]
VersionNumber = Annotated[str, typer.Argument(metavar="VERSION", help="the approved version", show_default=False)]
Objection = Annotated[bool, typer.Option("--objection", help="object to it instead, with a comment that says why")]
Comment = Annotated[str | None, typer.Option(help="what its owners should know")]


def subscribe(
    contract: ContractName,
    purpose: Purpose,
    contact: Contact,
    reads: Reads = None,
    group: Group = None,
    version: Pinned = None,
    checks: ChecksApi = None,
    team: TeamName = None,
    as_json: Json = False,
) -> None:
    """Subscribe to a contract: be asked before a change breaks you, and have its data judged by checks of your own."""
    from treaty.registry import schemas
    from treaty.registry.core.enums import PinKind

    if group and version:
        raise CliError("--group and --version exclude each other: what do you build on?")
    pin = PinKind.GROUP if group else PinKind.VERSION if version else PinKind.NONE
    asked = read_checks(checks) if checks else []
    body = schemas.SubscriptionIn(
        contract_id=contract, purpose=purpose, contact=contact, pin=pin, pinned_to=group or version,
        reads=by_object(reads) if reads else None, team=team,
    )  # fmt: skip
    with service.open_client() as registry:
        made = registry.subscribe(body)
        _add_checks(registry, made.id, asked)
        service.print_result(registry.subscription(made.id), _print_subscription, as_json=as_json)


def consumers(contract: ContractName, as_json: Json = False) -> None:
    """Show who uses a contract, for what, and who is pinned to what is no longer in force."""
    from treaty.registry import schemas

    with service.open_client() as registry:
        found = registry.subscriptions(contract_id=contract)
    page = schemas.Page[schemas.SubscriptionOut](items=tuple(found))
    service.print_result(page, _print_consumers, as_json=as_json)


def subscriptions(as_json: Json = False) -> None:
    """Show what you and your teams subscribe to, and of what each subscription tells you, where."""
    from treaty.registry import schemas

    with service.open_client() as registry:
        found = registry.subscriptions(mine=True)
    page = schemas.Page[schemas.SubscriptionOut](items=tuple(found))
    service.print_result(page, lambda told, console: print_own(told.items, console), as_json=as_json)


def acknowledge(
    contract: ContractName,
    version: VersionNumber,
    objection: Objection = False,
    comment: Comment = None,
    as_json: Json = False,
) -> None:
    """Acknowledge a version that breaks you, for all your subscriptions that are asked, or object to it."""
    from treaty.registry import schemas
    from treaty.registry.core.enums import AcknowledgementState

    given: schemas.AcknowledgementAnswer = (
        AcknowledgementState.OBJECTED if objection else AcknowledgementState.ACKNOWLEDGED
    )
    with service.open_client() as registry:
        asked = registry.acknowledgements(contract_id=contract, version=version, mine=True, waiting=True)
        if not asked:
            raise CliError(f"nothing is asked of you about version {version} of {contract}")
        answered = [registry.answer(each.id, given, comment=comment) for each in asked]
    page = schemas.Page[schemas.AcknowledgementOut](items=tuple(answered))
    service.print_result(page, _print_answers, as_json=as_json)


def _add_checks(registry: "Client", subscription_id: UUID, asked: "Sequence[schemas.ConsumerCheckIn]") -> None:
    """Adds the checks; where one is refused, nothing of the subscription is left, so that it can be tried again."""
    from treaty.registry.client import ClientError

    try:
        for each in asked:
            registry.add_consumer_check(subscription_id, each)
    except ClientError:
        registry.end_subscription(subscription_id)
        raise


def by_object(reads: Sequence[str]) -> dict[str, list[str]]:
    """The columns by object, of texts as `orders.amount` or `orders`, which stands for all of its columns."""
    found: dict[str, list[str]] = {}
    for each in reads:
        name, _, column = each.partition(".")
        found.setdefault(name, []).append(column or "*")
    return found


def read_checks(path: Path) -> "list[schemas.ConsumerCheckIn]":
    """The checks that a file has under `checks`. Raises Stop where it cannot be read, or has none."""
    from pydantic import TypeAdapter, ValidationError

    from treaty.contracts.document.yaml_syntax import parse
    from treaty.contracts.errors import ContractError
    from treaty.registry import schemas

    try:
        found = parse(path.read_bytes()).data.get("checks")
        listed = found if isinstance(found, list) else []
        checks = TypeAdapter(list[schemas.ConsumerCheckIn]).validate_python([_sent(each) for each in listed])
    except OSError as error:
        raise CliError(f"{path} cannot be read: {error.strerror}") from None
    except ContractError as error:
        raise CliError(f"{path} cannot be read: {error}") from None
    except ValidationError as invalid:
        told = "; ".join(f"{'.'.join(map(str, each['loc']))}: {each['msg']}" for each in invalid.errors())
        raise CliError(f"{path}: {told}") from None
    if not checks:
        raise CliError(f"{path} has no checks: write 'checks:', and under it a list of object, column and quality")
    return checks


def _sent(entry: Any) -> Any:
    """A check of the file as it is sent: all that does not say where it stands is what it asks."""
    if not isinstance(entry, Mapping):
        return entry
    place = {key: entry[key] for key in ("object", "column", "id") if key in entry}
    return {**place, "patch": {key: value for key, value in entry.items() if key not in place}}


def _print_subscription(found: "schemas.SubscriptionOut", console: Any) -> None:
    from treaty.engine.core.number_format import visible

    told = f"{found.subscriber} uses {found.contract_id} for {found.purpose}: {_reading(found)}, {_pinned(found)}"
    for line in (f"subscription {found.id}", told, f"checks of your own: {found.checks}"):
        console.print(visible(line), markup=False, soft_wrap=True)


def _print_consumers(page: "schemas.Page[schemas.SubscriptionOut]", console: Any) -> None:
    rows = [
        (e.subscriber, e.purpose, e.contact, _reading(e), _pinned(e), str(e.checks), e.outdated_reason)
        for e in page.items
    ]
    _print_table(console, ("consumer", "purpose", "contact", "reads", "pin", "checks", "behind"), rows)


def print_own(found: "Sequence[schemas.SubscriptionOut]", console: Any) -> None:
    """A line for each subscription; that there is none, where there is none."""
    headings = ("subscription", "contract", "purpose", "told of", "through", "pin", "behind")
    rows = [
        (
            str(e.id),
            e.contract_id,
            e.purpose,
            ", ".join(e.notification_kinds) or "everything",
            _through(e),
            _pinned(e),
            e.outdated_reason,
        )
        for e in found
    ]
    if rows:
        _print_table(console, headings, rows)
    else:
        console.print("you subscribe to nothing")


def _through(found: "schemas.SubscriptionOut") -> str:
    return f"channel {found.channel_id}" if found.channel_id else "all your channels"


def _print_answers(page: "schemas.Page[schemas.AcknowledgementOut]", console: Any) -> None:
    rows = [(e.purpose, e.version, e.state.value, "; ".join(e.breaking_reasons)) for e in page.items]
    _print_table(console, ("purpose", "version", "answer", "it breaks you because"), rows)


def _print_table(console: Any, headings: Sequence[str], rows: Sequence[Sequence[str | None]]) -> None:
    from rich.markup import escape
    from rich.table import Table

    from treaty.engine.core.number_format import visible

    table = Table(box=None, pad_edge=False, header_style="bold")
    for heading in headings:
        table.add_column(heading, overflow="fold")
    for row in rows:
        table.add_row(*(escape(visible(each or "")) for each in row))
    console.print(table)


def _reading(found: "schemas.SubscriptionOut") -> str:
    named = [
        name if columns == ("*",) else f"{name}.{each}" for name, columns in found.reads.items() for each in columns
    ]
    return f"reads {', '.join(named)}" if named else "reads nothing"


def _pinned(found: "schemas.SubscriptionOut") -> str:
    return f"pinned to {found.pin.value} {found.pinned_to}" if found.pinned_to else "follows what is in force"


COMMANDS = (subscribe, subscriptions, consumers, acknowledge)
