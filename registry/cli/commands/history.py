"""Commands that show metric history and learned fits."""

import csv
import json
import sys
from collections.abc import Iterator, Sequence
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from treaty.engine.cli.commands import CliError
from treaty.engine.cli.options import Json
from treaty.engine.core import clock
from treaty.engine.core.number_format import figure, measured
from treaty.registry.cli.commands import service
from treaty.registry.cli.output.tables import print_table

if TYPE_CHECKING:
    from treaty.registry import schemas

About = Annotated[str, typer.Argument(metavar="CONTRACT", help="Contract id, or contract.object", show_default=False)]
Metric = Annotated[str | None, typer.Option(help="Analyzer name or metric identity")]
Since = Annotated[str | None, typer.Option(help="Only data from this date or time on (ISO 8601)")]
Until = Annotated[str | None, typer.Option(help="Only data before this date or time")]
Segment = Annotated[str | None, typer.Option(help="Filter by segment, such as country=DE")]
Tag = Annotated[str | None, typer.Option(help="Filter by tag of the contract or the object")]
Limit = Annotated[int, typer.Option(min=1, max=10_000, help="Maximum number of measurements, newest first")]
Csv = Annotated[bool, typer.Option("--csv", help="Print CSV")]
Parquet = Annotated[Path | None, typer.Option(help="Output Parquet file")]


def history(
    contract: About, metric: Metric = None, since: Since = None, until: Until = None, segment: Segment = None,
    tag: Tag = None, limit: Limit = 1000, as_csv: Csv = False, parquet: Parquet = None, as_json: Json = False,
) -> None:  # fmt: skip
    """Show measurements of a contract's object over time.

    Values that could not be measured appear as gaps with the reason."""
    from pydantic import RootModel

    from treaty.registry import schemas

    with service.open_client() as registry:
        contract_id, object_name = about(registry, contract)
        query = schemas.MetricHistoryQuery(
            contract_id=contract_id, object=object_name, metric=metric, since=_moment(since), until=_moment(until),
            segment=segment, tag=tag, limit=limit,
        )  # fmt: skip
        items = registry.metric_history(query)
    if parquet:
        _write(items, parquet)
    elif as_csv:
        _print_csv(items)
    else:
        service.print_result(RootModel[tuple[schemas.MetricHistoryItemOut, ...]](tuple(items)), _show, as_json=as_json)


def _moment(text: str | None) -> datetime | None:
    """Parse a date or time, in UTC unless it has a zone. Raises CliError for other text."""
    if text is None:
        return None
    try:
        parsed = datetime.fromisoformat(text)
    except ValueError:
        raise CliError(f"{text} is not a date or time. Use 2026-11-20 or 2026-11-20T12:00.") from None
    return clock.aware(parsed)


def about(registry: Any, named: str) -> tuple[str, str]:
    """Return the contract's id and object name.

    The object may be omitted if the contract has only one; otherwise raises CliError."""
    contract_ids = {each.id for each in registry.contracts()}
    if named not in contract_ids and "." in named:
        contract_id, _, object_name = named.rpartition(".")
        return contract_id, object_name
    objects = sorted({each.object for each in registry.contract(named).datasets if each.object})
    if len(objects) != 1:
        raise CliError(
            f"{named} has {'no object with data' if not objects else 'several objects: ' + ', '.join(objects)}"
        )
    return named, objects[0]


def _rows(items: "Sequence[schemas.MetricHistoryItemOut]") -> Iterator[dict[str, Any]]:
    for each in items:
        row = each.model_dump(mode="json")
        yield {**row, "arguments": json.dumps(row["arguments"], sort_keys=True), "tags": ",".join(each.tags)}


def _print_csv(items: "Sequence[schemas.MetricHistoryItemOut]") -> None:
    from treaty.registry import schemas

    writer = csv.DictWriter(sys.stdout, list(schemas.MetricHistoryItemOut.model_fields), lineterminator="\n")
    writer.writeheader()
    writer.writerows(_rows(items))


def _write(items: "Sequence[schemas.MetricHistoryItemOut]", path: Path) -> None:
    import pyarrow
    import pyarrow.parquet

    from treaty.registry import schemas

    columns = dict.fromkeys(schemas.MetricHistoryItemOut.model_fields, pyarrow.string())
    texts = columns | {"value": pyarrow.float64(), "row_count": pyarrow.int64()}
    rows = list(_rows(items))
    try:
        pyarrow.parquet.write_table(pyarrow.Table.from_pylist(rows, schema=pyarrow.schema(texts)), path)
    except OSError as error:
        raise CliError(f"Cannot write {path}: {error.strerror}. Check the path.") from None
    print(f"Wrote {len(rows):,} measurements to {path}")


def _show(page: Any, console: Any) -> None:
    headings = ("data time", "metric", "arguments", "partition", "value", "version")
    print_table(console, headings, [_history_row(each) for each in page.root], none="No measurements found.")


def _measured(value: Any, analyzer: str) -> str:
    from treaty.engine.analyzers import ANALYZERS

    kind = ANALYZERS.get(analyzer)
    return measured(value, kind.unit if kind else "")


def _history_row(item: "schemas.MetricHistoryItemOut") -> tuple[str, ...]:
    arguments = ", ".join(f"{name} {value}" for name, value in item.arguments.items())
    value = item.exact if item.value is None else item.value
    value_text = f"({item.reason})" if value is None else _measured(value, item.analyzer)
    return f"{item.data_at:%Y-%m-%d %H:%M}", item.analyzer, arguments, item.partition or "", value_text, item.version


Check = Annotated[str | None, typer.Option(help="Filter by check id")]


def fits(contract: About, check: Check = None, as_json: Json = False) -> None:
    """Show bounds that programs learned after approval, and which of them are active."""
    from pydantic import RootModel

    from treaty.registry import schemas

    with service.open_client() as registry:
        items = registry.fits(*about(registry, contract), check)
    service.print_result(RootModel[tuple[schemas.FitOut, ...]](tuple(items)), _show_fits, as_json=as_json)


def _show_fits(page: Any, console: Any) -> None:
    headings = ("learned", "check", "limits", "training", "backtest alarms", "fit", "active")
    none = "No fits: programs use their approved limits."
    print_table(console, headings, [_fit_cells(each) for each in page.root], none=none)


def _fit_cells(of: "schemas.FitOut") -> tuple[str, ...]:
    edges = " to ".join("any" if edge is None else figure(edge) for edge in (of.lower, of.upper))
    training = f"{of.points} partitions to {of.last_partition}"
    alarms = f"{len(of.backtest_alarms)} of {of.backtest_points}"
    active = "yes" if of.is_active else f"no: outside version {of.version}"
    return f"{of.created_at:%Y-%m-%d %H:%M}", of.check_id, edges, training, alarms, of.name, active
