"""Print incidents, their downstream impact, and inferred consumers."""

from collections.abc import Iterator
from datetime import datetime

from pydantic import RootModel
from rich.console import Console

from treaty.engine.core.number_format import visible
from treaty.registry import schemas
from treaty.registry.cli.output.tables import print_table

MAX_COLUMNS = 20


def print_incidents(page: schemas.Page[schemas.IncidentOut], console: Console) -> None:
    """Print a line per incident."""
    rows = [
        (
            str(each.id),
            each.state.value,
            f"{each.contract_id}.{each.object}",
            _when(each.opened_at),
            each.assignee or "",
            str(sum(part.active for part in each.objects)),
            _end(each),
        )
        for each in page.items
    ]
    print_table(console, ("incident", "state", "object", "opened", "assignee", "failing", ""), rows)


def print_incident(incident: schemas.IncidentOut, console: Console) -> None:
    """Print the incident, then a line per failing check."""
    for line in _incident_lines(incident):
        console.print(visible(line), markup=False, soft_wrap=True)
    rows = [
        (f"{part.contract_id}.{part.object}", each.check, each.partition or "all", _state(part))
        for part in incident.objects
        for each in part.failing_checks
    ]
    print_table(console, ("object", "check", "partition", ""), rows)


def print_impact(impact: schemas.DownstreamImpactOut, console: Console) -> None:
    """Print a line per downstream dataset, nearest first."""
    subject = ", ".join(f"{each.contract_id}.{each.object}" for each in impact.contracts) or impact.name
    since = "no open incident; hypothetical impact of bad data from" if impact.is_hypothetical else "bad since"
    console.print(visible(f"{subject}: {since} {_when(impact.started_at)}"), markup=False, soft_wrap=True)
    rows = [
        (
            str(each.distance),
            each.contamination.value.replace("_", " "),
            f"{each.namespace} {each.name}",
            _contracts(each),
            _columns(each),
            _owners(each),
        )
        for each in impact.datasets
    ]
    print_table(console, ("distance", "state", "dataset", "contracts", "columns", "owners and consumers"), rows)
    if not impact.complete:
        console.print("Graph truncated: it is too large to be shown completely.")


def print_inferred_consumers(consumers: RootModel[tuple[schemas.InferredConsumerOut, ...]], console: Console) -> None:
    """Print a line per job."""
    rows = [
        (
            each.job_namespace,
            each.job_name,
            ", ".join(each.owners),
            _read(each),
            _when(each.last_seen_at),
            each.state.value,
        )
        for each in consumers.root
    ]
    print_table(console, ("namespace", "job", "owners", "reads", "last seen", "state"), rows)


def _incident_lines(incident: schemas.IncidentOut) -> Iterator[str]:
    columns = "all columns" if incident.columns is None else ", ".join(incident.columns)
    yield f"incident {incident.id}, revision {incident.revision}: {incident.contract_id}.{incident.object}, {columns}"
    opened = f"{incident.state.value}, opened {_when(incident.opened_at)}"
    yield f"{opened}, data bad since {_when(incident.started_at)}{_until(incident)}"
    yield f"assignee: {incident.assignee or 'none'}; acknowledged by: {incident.acknowledged_by or 'none'}"
    if _end(incident):
        yield _end(incident)
    if incident.comment:
        yield f"comment: {incident.comment}"


def _until(incident: schemas.IncidentOut) -> str:
    return f" until {_when(incident.recovered_at)}" if incident.recovered_at else ""


def _end(incident: schemas.IncidentOut) -> str:
    if incident.resolution:
        resolver = f" by {incident.resolved_by}" if incident.resolved_by else ""
        return f"{incident.resolution.value.replace('_', ' ')}{resolver}"
    return f"snoozed until {_when(incident.snoozed_until)}" if incident.snoozed_until else ""


def _state(part: schemas.IncidentObjectOut) -> str:
    return "failing" if part.active else "failed earlier"


def _contracts(entry: schemas.DownstreamDatasetOut) -> str:
    return ", ".join(f"{each.contract_id}.{each.object}" for each in entry.contracts)


def _owners(entry: schemas.DownstreamDatasetOut) -> str:
    consumers = (f"{name} ({purpose})" for each in entry.contracts for name, purpose in each.consumers)
    return ", ".join(dict.fromkeys([*(each.owner for each in entry.contracts), *entry.owners, *consumers]))


def _columns(entry: schemas.DownstreamDatasetOut) -> str:
    names = "all" if entry.columns is None else ", ".join(entry.columns[:MAX_COLUMNS])
    notes = [*(["indirect"] * (not entry.is_direct)), *(["no column lineage"] * entry.is_table_level)]
    return f"{names} ({', '.join(notes)})" if notes else names


def _read(reader: schemas.InferredConsumerOut) -> str:
    return ", ".join(
        name if columns == ("*",) else f"{name}({', '.join(columns[:MAX_COLUMNS])})"
        for name, columns in reader.reads.items()
    )


def _when(moment: datetime) -> str:
    return f"{moment:%Y-%m-%d %H:%M} UTC"
