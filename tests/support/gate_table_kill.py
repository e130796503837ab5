"""A process that publishes to a Delta table through an engine elsewhere, and is killed right after it has asked for the
commit, or once that was made. `gate_table_kill.py ADDRESS TABLE CONTRACT WHEN ID`."""

import os
import signal
import sys
from multiprocessing.connection import Client, Connection
from pathlib import Path
from typing import Any

from treaty.contracts.document.reader import read
from treaty.engine.gate.gate import TableGate, open_gate
from treaty.engine.gate.publication import store_of
from treaty.engine.protocol.gate_requests import CommitRequest, TableKind


class Asked:
    """The engine's tables, through a pipe."""

    def __init__(self, engine: Connection, when: str) -> None:
        self.engine = engine
        self.when = when

    def ask(self, *question: Any) -> Any:
        self.engine.send(question)
        return self.engine.recv()

    def look(self, request: Any) -> Any:
        return self.ask("look", request)

    def commit(self, request: CommitRequest) -> None:
        self.engine.send(("commit", request))
        if self.when == "made":
            self.engine.recv()
        os.kill(os.getpid(), signal.SIGKILL)

    def fence(self, request: Any) -> None:
        raise NotImplementedError

    def place(self, request: Any) -> None:
        raise NotImplementedError


def main() -> None:
    """Publishes until it is killed."""
    address, table, contract, when, number = sys.argv[1:]
    with Client(address) as engine:
        tables = Asked(engine, when)
        gate = TableGate(
            table=table,
            contract=read(Path(contract).read_bytes()),
            object="orders",
            partition_by=("day",),
            store=store_of(table),
            measure=lambda request: tables.ask("measure", request),
            stage=lambda *written: tables.ask("stage", *written),
            kind=TableKind.DELTA,
            tables=tables,
        )
        with open_gate(gate) as candidate:
            candidate.write(int(number))


if __name__ == "__main__":
    main()
