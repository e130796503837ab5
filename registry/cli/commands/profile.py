"""Command that profiles a table, from its rows or from stored states."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from treaty.engine.cli.commands import CliError, in_spark, progress
from treaty.engine.cli.options import Columns, Format, Json, Memory, PartitionBy, Remote, Sample
from treaty.engine.protocol.requests import ProfileRequest, TableSource
from treaty.registry.cli.commands import service
from treaty.registry.cli.commands.states import Namespace, PartitionFilterOption

if TYPE_CHECKING:
    from treaty.engine.profile.format import ProfileDocument

Table = Annotated[str | None, typer.Argument(help="Path, URL or catalog table", show_default=False)]
StoredDataset = Annotated[str | None, typer.Option(help="Profile this dataset of the registry from its stored states")]
Html = Annotated[Path | None, typer.Option("--html", help="Output HTML file")]


def profile(
    data: Table = None, dataset: StoredDataset = None, partition_by: PartitionBy = None, columns: Columns = None,
    sample: Sample = None, format: Format = None, where: PartitionFilterOption = None, namespace: Namespace = None,
    html: Html = None, as_json: Json = False, remote: Remote = None, memory: Memory = "2g",
) -> None:  # fmt: skip
    """Profile a table by column: completeness, distinct and frequent values, quantiles, types.

    With --dataset, the profile is merged from stored states of past partitions, without reading rows or starting
    Spark."""
    if (data is None) == (dataset is None):
        raise CliError("Give either a table or --dataset DATASET.")
    if dataset:
        document = _stored(dataset, where, namespace)
    else:
        column_names = tuple(each.strip() for each in columns.split(",")) if columns else ()
        source = TableSource(str(data), format, tuple(partition_by or ()))
        document = _read(
            ProfileRequest(source=source, object=_name_of(str(data)), columns=column_names, sample=sample),
            remote,
            memory,
        )
    _print_or_write(document, html, as_json=as_json)


def _read(request: ProfileRequest, remote: str | None, memory: str) -> "ProfileDocument":
    from treaty.engine.profile.format import ProfileDocument

    with in_spark(remote, memory) as spark:
        return ProfileDocument.model_validate(spark.profile(request, progress))


def _stored(dataset: str, where: str | None, namespace: str | None) -> "ProfileDocument":
    with service.open_client() as registry:
        return registry.profile(dataset, where=where, namespace=namespace)


def _print_or_write(profile: "ProfileDocument", html: Path | None, *, as_json: bool) -> None:
    from treaty.engine.profile.html import page
    from treaty.engine.profile.terminal import print_profile

    if html:
        try:
            html.write_text(page(profile), encoding="utf-8")
        except OSError as error:
            raise CliError(f"Cannot write {html}: {error.strerror}. Check the path.") from None
    if as_json or not html:
        service.print_result(profile, print_profile, as_json=as_json)


def _name_of(data: str) -> str:
    return data.rstrip("/").rsplit("/", 1)[-1].split(".")[0] or "table"
