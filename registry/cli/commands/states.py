"""Commands for stored states: metrics, states, erasure and reruns."""

from typing import Annotated
from uuid import UUID

import typer

from treaty.engine.cli.commands import PASSED, VIOLATED
from treaty.engine.cli.options import Json
from treaty.registry.cli.commands import service

DatasetName = Annotated[
    str,
    typer.Argument(metavar="DATASET", help="Contract id, contract.object, or dataset name", show_default=False),
]
PartitionFilterOption = Annotated[
    str | None, typer.Option(help="Filter partitions by a condition: \"day >= '2026-01-01'\"")
]
Metric = Annotated[list[str] | None, typer.Option(help="Metric, such as completeness:column=status; repeatable")]
Namespace = Annotated[str | None, typer.Option(help="Lineage namespace, if several datasets have the name")]


def metrics(
    dataset: DatasetName,
    where: PartitionFilterOption = None,
    metric: Metric = None,
    namespace: Namespace = None,
    as_json: Json = False,
) -> None:
    """Compute metrics of selected partitions from stored states, without reading data or starting Spark."""
    from treaty.registry.cli.output.states import print_metrics

    with service.open_client() as registry:
        answer = registry.metrics(dataset, where=where, metrics=metric or (), namespace=namespace)
    service.print_result(answer, print_metrics, as_json=as_json)


def states(
    dataset: DatasetName,
    where: PartitionFilterOption = None,
    metric: Metric = None,
    namespace: Namespace = None,
    as_json: Json = False,
) -> None:
    """Show the stored states of each partition and those a metric query needs."""
    from treaty.registry.cli.output.states import print_states

    with service.open_client() as registry:
        answer = registry.states(dataset, where=where, metrics=metric or (), namespace=namespace)
    service.print_result(answer, print_states, as_json=as_json)


def erase(
    dataset: DatasetName,
    partition: Annotated[
        list[str] | None, typer.Option(help="Partition name as shown by `treaty states`; repeatable; by default all")
    ] = None,
    namespace: Namespace = None,
    yes: Annotated[bool, typer.Option("--yes", help="Skip the confirmation")] = False,
    as_json: Json = False,
) -> None:
    """Erase stored states, samples and values of a dataset. Runs keep their verdicts and numbers."""
    from treaty.registry.cli.output.states import print_erased

    subject = f"{len(partition)} partition(s) of {dataset}" if partition else f"all of {dataset}"
    if not yes:
        typer.confirm(f"Erase the stored states, samples and values of {subject}? This cannot be undone.", abort=True)
    with service.open_client() as registry:
        erased = registry.erase(dataset, partitions=partition or (), namespace=namespace)
    service.print_result(erased, print_erased, as_json=as_json)


def rerun(run: Annotated[UUID, typer.Argument(help="Run id")], as_json: Json = False) -> None:
    """Re-evaluate a run from its stored states. Exits with 0 if the result is the same, 1 if it differs."""
    from treaty.registry.cli.output.states import print_rerun

    with service.open_client() as registry:
        result = registry.rerun(run)
    service.print_result(result, print_rerun, as_json=as_json)
    raise typer.Exit(VIOLATED if result.differences else PASSED)
