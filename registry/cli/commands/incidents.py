"""Commands for incidents, downstream impact and inferred consumers."""

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Annotated
from uuid import UUID

import typer

from treaty.engine.cli.commands import CliError
from treaty.engine.cli.options import Json
from treaty.registry.cli.commands import service
from treaty.registry.core.enums import IncidentState, ManualResolution

if TYPE_CHECKING:
    from treaty.registry import schemas
    from treaty.registry.client import Client

app = typer.Typer(name="incidents", help="Manage incidents.", no_args_is_help=True)
IncidentArgument = Annotated[
    str, typer.Argument(metavar="INCIDENT", help="Incident id or its prefix", show_default=False)
]
Contract = Annotated[str | None, typer.Option("--contract", help="Filter by contract")]
InState = Annotated[IncidentState | None, typer.Option("--state", help="Filter by state")]
Mine = Annotated[bool, typer.Option("--mine", help="Only incidents assigned to you")]
Assignee = Annotated[str | None, typer.Argument(metavar="USER", help="User name; omit to unassign")]
Hours = Annotated[float, typer.Option("--hours", help="Duration in hours; 0 ends the snooze", min=0, max=24 * 365)]
Reason = Annotated[ManualResolution, typer.Argument(help="Reason")]
Comment = Annotated[str | None, typer.Option(help="Comment")]
Duplicate = Annotated[UUID | None, typer.Option("--duplicate-of", help="Incident that this one duplicates")]
ContractName = Annotated[str, typer.Argument(metavar="CONTRACT", help="Contract id", show_default=False)]
DatasetName = Annotated[
    str,
    typer.Argument(metavar="DATASET", help="Contract, contract.object, or dataset name", show_default=False),
]
Namespace = Annotated[str | None, typer.Option(help="Lineage namespace of a dataset name")]
Column = Annotated[list[str] | None, typer.Option(help="Column with bad data; repeatable; by default all")]
Confirm = Annotated[
    tuple[str, str] | None,
    typer.Option(metavar="NAMESPACE JOB", help="Confirm the job as a consumer and subscribe to the data it reads"),
]
Dismiss = Annotated[tuple[str, str] | None, typer.Option(metavar="NAMESPACE JOB", help="Dismiss the job")]


@app.command("list")
def list_incidents(contract: Contract = None, state: InState = None, mine: Mine = False, as_json: Json = False) -> None:
    """List incidents, newest first."""
    from treaty.registry import schemas
    from treaty.registry.cli.output.incidents import print_incidents

    with service.open_client() as registry:
        items = registry.incidents(contract_id=contract, state=state, mine=mine)
    service.print_result(schemas.Page[schemas.IncidentOut](items=tuple(items)), print_incidents, as_json=as_json)


@app.command()
def show(incident: IncidentArgument, as_json: Json = False) -> None:
    """Show an incident, its failing checks and assignee."""
    from treaty.registry.cli.output.incidents import print_incident

    with service.open_client() as registry:
        service.print_result(_incident_by_prefix(registry, incident), print_incident, as_json=as_json)


@app.command()
def acknowledge(incident: IncidentArgument, as_json: Json = False) -> None:
    """Acknowledge an incident."""
    _done(
        incident, lambda registry, current: registry.acknowledge_incident(current.id, current.revision), as_json=as_json
    )


@app.command()
def assign(incident: IncidentArgument, user: Assignee = None, as_json: Json = False) -> None:
    """Assign an incident to a user, or unassign it."""
    _done(
        incident,
        lambda registry, current: registry.assign_incident(current.id, current.revision, user),
        as_json=as_json,
    )


@app.command()
def snooze(incident: IncidentArgument, hours: Hours = 24, as_json: Json = False) -> None:
    """Snooze an incident. No notifications are sent while it is snoozed."""
    from treaty.engine.core import clock

    until: datetime | None = clock.now() + timedelta(hours=hours) if hours else None
    _done(
        incident,
        lambda registry, current: registry.snooze_incident(current.id, current.revision, until),
        as_json=as_json,
    )


@app.command()
def resolve(
    incident: IncidentArgument,
    reason: Reason,
    comment: Comment = None,
    duplicate_of: Duplicate = None,
    as_json: Json = False,
) -> None:
    """Resolve an incident for a reason."""

    def step(registry: "Client", incident: "schemas.IncidentOut") -> "schemas.IncidentOut":
        return registry.resolve_incident(
            incident.id, incident.revision, reason, comment=comment, duplicate_of=duplicate_of
        )

    _done(incident, step, as_json=as_json)


@app.command()
def reopen(incident: IncidentArgument, as_json: Json = False) -> None:
    """Reopen an incident."""
    _done(incident, lambda registry, current: registry.reopen_incident(current.id, current.revision), as_json=as_json)


def impact(dataset: DatasetName, namespace: Namespace = None, column: Column = None, as_json: Json = False) -> None:
    """Show the datasets downstream of a dataset and how far its bad data has spread."""
    from treaty.registry.cli.output.incidents import print_impact

    with service.open_client() as registry:
        service.print_result(
            registry.downstream_impact(dataset, namespace=namespace, columns=column), print_impact, as_json=as_json
        )


def inferred_consumers(
    contract: ContractName, confirm: Confirm = None, dismiss: Dismiss = None, as_json: Json = False
) -> None:
    """List jobs that read a contract's data without a subscription, and confirm or dismiss them."""
    from pydantic import RootModel

    from treaty.registry import schemas
    from treaty.registry.cli.output.incidents import print_inferred_consumers

    with service.open_client() as registry:
        if confirm:
            registry.confirm_inferred_consumer(contract, *confirm)
        if dismiss:
            registry.dismiss_inferred_consumer(contract, *dismiss)
        items = registry.inferred_consumers(contract)
    service.print_result(
        RootModel[tuple[schemas.InferredConsumerOut, ...]](tuple(items)), print_inferred_consumers, as_json=as_json
    )


def _done(
    incident: str, step: "Callable[[Client, schemas.IncidentOut], schemas.IncidentOut]", *, as_json: bool
) -> None:
    from treaty.registry.cli.output.incidents import print_incident

    with service.open_client() as registry:
        service.print_result(step(registry, _incident_by_prefix(registry, incident)), print_incident, as_json=as_json)


def _incident_by_prefix(registry: "Client", named: str) -> "schemas.IncidentOut":
    """Return the incident whose id has that prefix. Raises CliError unless there is exactly one."""
    try:
        return registry.incident(UUID(named))
    except ValueError:
        matches = [each for each in registry.incidents() if str(each.id).startswith(named.lower())]
    if len(matches) != 1:
        raise CliError(f"{'Several incidents have' if matches else 'No incident has'} an id that starts with {named}.")
    return matches[0]


COMMANDS = (impact, inferred_consumers)
