"""Commands about what is remembered of datasets: metrics and states of partitions, runs done again, erasing."""

from typing import Annotated
from uuid import UUID

import typer

from treaty.engine.cli.commands import PASSED, VIOLATED
from treaty.engine.cli.options import Json
from treaty.registry.cli.commands import service

DatasetName = Annotated[
    str,
    typer.Argument(metavar="DATASET", help="a contract's id, contract.object, or a dataset's name", show_default=False),
]
PartitionFilterOption = Annotated[
    str | None, typer.Option(help="only partitions for which this is true: \"day >= '2026-01-01'\"")
]
Metric = Annotated[list[str] | None, typer.Option(help="completeness:column=status; repeat for more")]
Namespace = Annotated[str | None, typer.Option(help="that of the dataset's name, where several have it")]


def metrics(
    dataset: DatasetName,
    where: PartitionFilterOption = None,
    metric: Metric = None,
    namespace: Namespace = None,
    as_json: Json = False,
) -> None:
    """Tell metrics of chosen partitions from stored states alone: no data is read, no Spark is started."""
    from treaty.registry.cli.output.states import print_metrics

    with service.open_client() as registry:
        found = registry.metrics(dataset, where=where, metrics=metric or (), namespace=namespace)
    service.print_result(found, print_metrics, as_json=as_json)


def states(
    dataset: DatasetName,
    where: PartitionFilterOption = None,
    metric: Metric = None,
    namespace: Namespace = None,
    as_json: Json = False,
) -> None:
    """Show what is stored of each partition, and what a question about them would merge and lacks."""
    from treaty.registry.cli.output.states import print_states

    with service.open_client() as registry:
        found = registry.states(dataset, where=where, metrics=metric or (), namespace=namespace)
    service.print_result(found, print_states, as_json=as_json)


def erase(
    dataset: DatasetName,
    partition: Annotated[
        list[str] | None, typer.Option(help="only this partition, as `treaty states` names it; repeat for more")
    ] = None,
    namespace: Namespace = None,
    yes: Annotated[bool, typer.Option("--yes", help="do not ask")] = False,
    as_json: Json = False,
) -> None:
    """Erase states, samples and values that are remembered of a dataset; runs keep their verdicts and numbers."""
    from treaty.registry.cli.output.states import print_erased

    what = f"{len(partition)} partition(s) of {dataset}" if partition else f"all of {dataset}"
    if not yes:
        typer.confirm(f"Erase what is remembered of {what}? It cannot be brought back.", abort=True)
    with service.open_client() as registry:
        found = registry.erase(dataset, partitions=partition or (), namespace=namespace)
    service.print_result(found, print_erased, as_json=as_json)


def rerun(
    run: Annotated[UUID, typer.Argument(help="the run's id, as its page and the API have it")], as_json: Json = False
) -> None:
    """Do a run again from the states that it judged: 0 where it comes out the same, 1 where it does not."""
    from treaty.registry.cli.output.states import print_rerun

    with service.open_client() as registry:
        found = registry.rerun(run)
    service.print_result(found, print_rerun, as_json=as_json)
    raise typer.Exit(VIOLATED if found.differences else PASSED)
