"""Command that checks with the gate whether data may be read."""

from typing import Annotated, Any

import typer

from treaty.engine.cli.commands import NOT_CHECKED, PASSED, VIOLATED, WARNED, CliError
from treaty.engine.cli.options import FailOn, Json
from treaty.registry.cli.commands import service
from treaty.registry.cli.commands.states import DatasetName, Namespace
from treaty.registry.sdk.wait_for_gate import seconds_of, wait_for_answer

Partition = Annotated[
    str | None, typer.Option(help="Partition name as shown by `treaty states`, such as day=2026-01-01")
]
Consumer = Annotated[str | None, typer.Option(help="User name or subscription id whose checks and pin apply")]
Wait = Annotated[str, typer.Option(help="Time to wait while the answer is unknown: 30s, 10m, 2h")]
FailFrom = Annotated[FailOn, typer.Option(help="Lowest severity that gives an exit code other than 0")]


def check(
    dataset: DatasetName, partition: Partition = None, consumer: Consumer = None, wait: Wait = "0s",
    fail_on: FailFrom = FailOn.ERROR, namespace: Namespace = None, as_json: Json = False,
) -> None:  # fmt: skip
    """Check whether data may be read, without reading it.

    Exits with 0 for allow, 1 for block, 2 for warn with --fail-on warning, and 3 for unknown."""
    seconds = _seconds(wait)
    with service.open_client() as registry:
        gate_answer = wait_for_answer(
            lambda: registry.gate(dataset, partition=partition, consumer=consumer, namespace=namespace), seconds
        )
    service.print_result(gate_answer, _print, as_json=as_json)
    warned = WARNED if fail_on is FailOn.WARNING else PASSED
    codes = {"allow": PASSED, "warn": warned, "block": VIOLATED, "unknown": NOT_CHECKED}
    raise typer.Exit(codes[gate_answer.answer.value])


def _seconds(wait: str) -> int:
    try:
        return seconds_of(wait)
    except ValueError as error:
        raise CliError(f"--wait {error}") from None


def _print(answer: Any, console: Any) -> None:
    subject = f"{answer.name} {answer.partition or ''}".rstrip()
    console.print(f"{answer.answer.value}: {subject}", markup=False)
    for each in answer.contracts:
        status = f"validated {each.finished_at:%Y-%m-%d %H:%M:%S} UTC" if each.finished_at else "not validated"
        subscriber = f", subscription {each.subscription_id}" if each.subscription_id else ""
        reason = f": {each.reason}" if each.reason else ""
        row = f"  {each.answer.value:7} {each.contract_id}.{each.object} {each.version}{subscriber}, {status}{reason}"
        console.print(row, markup=False, soft_wrap=True)
