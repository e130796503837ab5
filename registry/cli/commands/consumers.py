"""Commands for consumers: subscriptions, consumer checks and acknowledgements."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any
from uuid import UUID

import typer

from treaty.engine.cli.commands import CliError
from treaty.engine.cli.options import Json
from treaty.registry.cli.commands import service
from treaty.registry.cli.output.tables import print_table

if TYPE_CHECKING:
    from treaty.registry import schemas
    from treaty.registry.client import Client

ContractName = Annotated[str, typer.Argument(metavar="CONTRACT", help="Contract id", show_default=False)]
Purpose = Annotated[str, typer.Option(help="Purpose of use", show_default=False)]
Contact = Annotated[str, typer.Option(help="Contact, such as an e-mail address or a channel", show_default=False)]
Reads = Annotated[
    list[str] | None,
    typer.Option(help="Column as object.column, or a whole object; repeatable; by default everything"),
]
Group = Annotated[str | None, typer.Option(help="Pin this group of versions")]
Pinned = Annotated[str | None, typer.Option("--version", help="Pin this version")]
ChecksApi = Annotated[
    Path | None,
    typer.Option(help="YAML file with your own checks: a list under `checks` with object, column and quality"),
]
TeamName = Annotated[str | None, typer.Option("--team", help="Subscribe for this team; every member can respond")]
VersionNumber = Annotated[str, typer.Argument(metavar="VERSION", help="Version number", show_default=False)]
Objection = Annotated[bool, typer.Option("--objection", help="Object to the version; give the reason with --comment")]
Comment = Annotated[str | None, typer.Option(help="Comment for the owners")]


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
    """Subscribe to a contract.

    You are asked to acknowledge versions that break you, and your own checks are evaluated on its data."""
    from treaty.registry import schemas
    from treaty.registry.core.enums import PinKind

    if group and version:
        raise CliError("Use either --group or --version, not both.")
    pin = PinKind.GROUP if group else PinKind.VERSION if version else PinKind.NONE
    consumer_checks = read_checks(checks) if checks else []
    body = schemas.SubscriptionIn(
        contract_id=contract, purpose=purpose, contact=contact, pin=pin, pinned_to=group or version,
        reads=by_object(reads) if reads else None, team=team,
    )  # fmt: skip
    with service.open_client() as registry:
        subscription = registry.subscribe(body)
        _add_checks(registry, subscription.id, consumer_checks)
        service.print_result(registry.subscription(subscription.id), _print_subscription, as_json=as_json)


def consumers(contract: ContractName, as_json: Json = False) -> None:
    """List a contract's consumers, their purposes and outdated pins."""
    from treaty.registry import schemas

    with service.open_client() as registry:
        items = registry.subscriptions(contract_id=contract)
    page = schemas.Page[schemas.SubscriptionOut](items=tuple(items))
    service.print_result(page, _print_consumers, as_json=as_json)


def subscriptions(as_json: Json = False) -> None:
    """List subscriptions of you and your teams, with their notification settings."""
    from treaty.registry import schemas

    with service.open_client() as registry:
        items = registry.subscriptions(mine=True)
    page = schemas.Page[schemas.SubscriptionOut](items=tuple(items))
    service.print_result(page, lambda page, console: print_own(page.items, console), as_json=as_json)


def acknowledge(
    contract: ContractName,
    version: VersionNumber,
    objection: Objection = False,
    comment: Comment = None,
    as_json: Json = False,
) -> None:
    """Acknowledge a version that breaks you, for all your subscriptions, or object to it."""
    from treaty.registry import schemas
    from treaty.registry.core.enums import AcknowledgementState

    answer: schemas.AcknowledgementAnswer = (
        AcknowledgementState.OBJECTED if objection else AcknowledgementState.ACKNOWLEDGED
    )
    with service.open_client() as registry:
        pending = registry.acknowledgements(contract_id=contract, version=version, mine=True, waiting=True)
        if not pending:
            raise CliError(f"No acknowledgement of version {version} of {contract} is pending for you.")
        answers = [registry.answer(each.id, answer, comment=comment) for each in pending]
    page = schemas.Page[schemas.AcknowledgementOut](items=tuple(answers))
    service.print_result(page, _print_answers, as_json=as_json)


def _add_checks(registry: "Client", subscription_id: UUID, checks: "Sequence[schemas.ConsumerCheckIn]") -> None:
    """Add the checks; if one is refused, end the subscription so that it can be retried."""
    from treaty.registry.client import ClientError

    try:
        for each in checks:
            registry.add_consumer_check(subscription_id, each)
    except ClientError:
        registry.end_subscription(subscription_id)
        raise


def by_object(reads: Sequence[str]) -> dict[str, list[str]]:
    """Group columns such as `orders.amount` by object; an object alone stands for all its columns."""
    columns_by_object: dict[str, list[str]] = {}
    for each in reads:
        name, _, column = each.partition(".")
        columns_by_object.setdefault(name, []).append(column or "*")
    return columns_by_object


def read_checks(path: Path) -> "list[schemas.ConsumerCheckIn]":
    """Read the consumer checks in a file. Raises CliError if the file is invalid or has none."""
    from pydantic import TypeAdapter, ValidationError

    from treaty.contracts.document.yaml_syntax import parse
    from treaty.contracts.errors import ContractError
    from treaty.registry import schemas

    try:
        value = parse(path.read_bytes()).data.get("checks")
        entries = value if isinstance(value, list) else []
        checks = TypeAdapter(list[schemas.ConsumerCheckIn]).validate_python([_sent(each) for each in entries])
    except OSError as error:
        raise CliError(f"Cannot read {path}: {error.strerror}") from None
    except ContractError as error:
        raise CliError(f"Cannot read {path}: {error}") from None
    except ValidationError as invalid:
        messages = "; ".join(f"{'.'.join(map(str, each['loc']))}: {each['msg']}" for each in invalid.errors())
        raise CliError(f"{path}: {messages}") from None
    if not checks:
        raise CliError(f"{path} has no checks. Add a list under 'checks:', each with object, column and quality.")
    return checks


def _sent(entry: Any) -> Any:
    """Convert an entry of the file to a request: keys other than its location form the patch."""
    if not isinstance(entry, Mapping):
        return entry
    location = {key: entry[key] for key in ("object", "column", "id") if key in entry}
    return {**location, "patch": {key: value for key, value in entry.items() if key not in location}}


def _print_subscription(subscription: "schemas.SubscriptionOut", console: Any) -> None:
    from treaty.engine.core.number_format import visible

    use = f"{subscription.subscriber} uses {subscription.contract_id} for {subscription.purpose}"
    summary = f"{use}: {_reading(subscription)}, {_pinned(subscription)}"
    for line in (f"subscription {subscription.id}", summary, f"own checks: {subscription.checks}"):
        console.print(visible(line), markup=False, soft_wrap=True)


def _print_consumers(page: "schemas.Page[schemas.SubscriptionOut]", console: Any) -> None:
    rows = [
        (e.subscriber, e.purpose, e.contact, _reading(e), _pinned(e), str(e.checks), e.outdated_reason)
        for e in page.items
    ]
    print_table(console, ("consumer", "purpose", "contact", "reads", "pin", "checks", "outdated"), rows)


def print_own(subscriptions: "Sequence[schemas.SubscriptionOut]", console: Any) -> None:
    """Print a line per subscription."""
    headings = ("subscription", "contract", "purpose", "notifications", "channel", "pin", "outdated")
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
        for e in subscriptions
    ]
    print_table(console, headings, rows, none="No subscriptions. Create one with: treaty subscribe CONTRACT")


def _through(subscription: "schemas.SubscriptionOut") -> str:
    return f"channel {subscription.channel_id}" if subscription.channel_id else "all your channels"


def _print_answers(page: "schemas.Page[schemas.AcknowledgementOut]", console: Any) -> None:
    rows = [(e.purpose, e.version, e.state.value, "; ".join(e.breaking_reasons)) for e in page.items]
    print_table(console, ("purpose", "version", "answer", "breaking because"), rows)


def _reading(subscription: "schemas.SubscriptionOut") -> str:
    columns_read = [
        name if columns == ("*",) else f"{name}.{each}"
        for name, columns in subscription.reads.items()
        for each in columns
    ]
    return f"reads {', '.join(columns_read)}" if columns_read else "reads no columns"


def _pinned(subscription: "schemas.SubscriptionOut") -> str:
    return (
        f"pinned to {subscription.pin.value} {subscription.pinned_to}"
        if subscription.pinned_to
        else "follows the version in force"
    )


COMMANDS = (subscribe, subscriptions, consumers, acknowledge)
