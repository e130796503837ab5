"""The command that asks the gate whether data may be read, and waits for an answer where that is asked."""

from typing import Annotated, Any

import typer

from treaty.engine.cli.commands import NOT_CHECKED, PASSED, VIOLATED, WARNED, CliError
from treaty.engine.cli.options import FailOn, Json
from treaty.registry.cli.commands import service
from treaty.registry.cli.commands.states import DatasetName, Namespace
from treaty.registry.sdk.wait_for_gate import seconds_of, wait_for_answer

Partition = Annotated[str | None, typer.Option(help="only this one, as `treaty states` names it: day=2026-01-01")]
Consumer = Annotated[str | None, typer.Option(help="with the checks and the pin of this user, or this subscription")]
Wait = Annotated[str, typer.Option(help="for an answer other than unknown: 30s, 10m, 2h")]
FailFrom = Annotated[FailOn, typer.Option(help="from which severity on the exit code is other than 0")]


def check(
    dataset: DatasetName, partition: Partition = None, consumer: Consumer = None, wait: Wait = "0s",
    fail_on: FailFrom = FailOn.ERROR, namespace: Namespace = None, as_json: Json = False,
) -> None:  # fmt: skip
    """Ask whether data may be read: 0 pass, 1 block, 2 warn with --fail-on warning, 3 unknown. No data is read."""
    seconds = _seconds(wait)
    with service.open_client() as registry:
        found = wait_for_answer(
            lambda: registry.gate(dataset, partition=partition, consumer=consumer, namespace=namespace), seconds
        )
    service.print_result(found, _print, as_json=as_json)
    warned = WARNED if fail_on is FailOn.WARNING else PASSED
    codes = {"pass": PASSED, "warn": warned, "block": VIOLATED, "unknown": NOT_CHECKED}
    raise typer.Exit(codes[found.answer.value])


def _seconds(wait: str) -> int:
    try:
        return seconds_of(wait)
    except ValueError as error:
        raise CliError(f"--wait {error}") from None


def _print(found: Any, console: Any) -> None:
    what = f"{found.name} {found.partition or ''}".rstrip()
    console.print(f"{found.answer.value}: {what}", markup=False)
    for each in found.contracts:
        judged = f"judged {each.finished_at:%Y-%m-%d %H:%M:%S} UTC" if each.finished_at else "not judged"
        whose = f", subscription {each.subscription_id}" if each.subscription_id else ""
        reason = f": {each.reason}" if each.reason else ""
        told = f"  {each.answer.value:7} {each.contract_id}.{each.object} {each.version}{whose}, {judged}{reason}"
        console.print(told, markup=False, soft_wrap=True)
