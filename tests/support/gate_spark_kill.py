"""A process that publishes to a gated table with an engine elsewhere, and is killed at a step: as the command does it,
whose Spark is another process. `gate_spark_kill.py ADDRESS TABLE CONTRACT STEP ROWS`."""

import sys
from multiprocessing.connection import Client
from pathlib import Path
from typing import Any

from support.gate_kill import Killed

from treaty.contracts.document.reader import read
from treaty.engine.gate.gate import TableGate, open_gate
from treaty.engine.gate.publication import store_of


def main() -> None:
    """Publishes and ends, or is killed."""
    address, table, contract, step, rows = sys.argv[1:]
    disk = Killed(last=int(step))
    with Client(address) as engine:

        def ask(*question: Any) -> Any:
            engine.send(question)
            return engine.recv()

        def measure(request: Any) -> Any:
            return ask("measure", request)

        def stage(*written: Any) -> None:
            ask("stage", *written)

        given = read(Path(contract).read_bytes())
        gate = TableGate(
            table=table,
            contract=given,
            object="orders",
            partition_by=("day",),
            store=store_of(table, disk),
            measure=measure,
            stage=stage,
            disk=disk,
        )
        with open_gate(gate) as candidate:
            candidate.write(rows)


if __name__ == "__main__":
    main()
