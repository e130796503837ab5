"""Processes that do a registry's tasks or receive its events, and are killed at a step of theirs.

Reads lines of JSON, each an order, and forks a process for it, so that none has to load everything anew. Of one that
works, the answer is how it ended (the signal's number negative) and how many steps it had; of one that receives, its
number: it goes on until it is killed."""

import json
import os
import signal
import sys
import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import psycopg  # noqa: F401 - loaded once, before anything is forked
import uvicorn
from sqlalchemy import Engine, event
from sqlalchemy.orm import configure_mappers
from support.engines import FakeEngine, judge, lacking, large
from support.scenes import DOCUMENT

from treaty.contracts.document.reader import read
from treaty.engine.core import clock
from treaty.registry.api.app import create_app
from treaty.registry.core.database import connect
from treaty.registry.core.settings import RegistrySettings
from treaty.registry.lineage.events import verdict_event  # noqa: F401 - as above
from treaty.registry.worker.loop import Worker

STATEMENTS = ("before_cursor_execute", "after_cursor_execute", "commit", "begin")


@dataclass(eq=False)
class Steps:
    """What a process does with its database, step by step; at the `last` one the system kills it."""

    last: int | None
    done: int = 0

    def __call__(self, *_: Any, **__: Any) -> None:
        self.done += 1
        if self.done == self.last:
            os.kill(os.getpid(), signal.SIGKILL)

    def watch(self, database: Engine) -> Engine:
        """The database, whose statements are steps."""
        for name in STATEMENTS:
            event.listen(database, name, self)
        return database


@dataclass
class Slow(FakeEngine):
    """An engine that takes its time, and writes down from when to when it read which table."""

    log: str = ""

    def measure(self, request: Any) -> Any:
        """As the fake engine does."""
        began = time.monotonic()
        time.sleep(0.1)
        found = super().measure(request)
        with open(self.log, "a", encoding="utf-8") as file:
            file.write(json.dumps([request.source.location, began, time.monotonic(), os.getpid()]) + "\n")
        return found


def work(order: dict[str, Any], steps: Steps) -> None:
    """Does all there is to do, by a clock that is ahead, so that what others left is nobody's any more."""
    ahead = timedelta(seconds=order.get("ahead", 0))

    def now() -> datetime:
        return clock.now() + ahead

    tables = json.loads(Path(order["tables"]).read_text(encoding="utf-8"))
    engine = Slow(tables, log=order["log"]) if order.get("log") else FakeEngine(tables)
    database = steps.watch(connect(order["url"]))
    # Nobody delivers here: what is to be sent stays in the outbox.
    settings = RegistrySettings(home=Path(order["home"]), openlineage_url="http://127.0.0.1:9")
    parts: dict[str, Any] = {"evaluate": judge, "large": large, "missing_states": lacking, "jitter": lambda: 0.0}
    worker = Worker(database=database, engine=engine, settings=settings, clock=now, **parts)
    while worker.step():
        pass
    database.dispose()


def receive(order: dict[str, Any], steps: Steps) -> None:
    """Answers requests on a port of this machine."""
    database = steps.watch(connect(order["url"]))
    app = create_app(RegistrySettings(home=Path(order["home"])), database)
    uvicorn.Server(uvicorn.Config(app, port=order["port"], log_level="critical", lifespan="on")).run()


def forked(do: Callable[[dict[str, Any], Steps], None], order: dict[str, Any], told: int) -> int:
    """The process that does it; what it did is written to the descriptor `told`."""
    child = os.fork()
    if child:
        return child
    steps = Steps(order.get("last"))
    try:
        do(order, steps)
        os.write(told, str(steps.done).encode())
    except BaseException:
        traceback.print_exc()
        os._exit(2)
    os._exit(0)


def worked(order: dict[str, Any]) -> tuple[int, int]:
    """How the process ended, and how many steps it had; 0 of one that was killed."""
    mine, theirs = os.pipe()
    child = forked(work, order, theirs)
    os.close(theirs)
    with os.fdopen(mine, "rb") as said:
        steps = int(said.read() or b"0")
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), steps


def prepare() -> None:
    """Sets up what each process would set up for its first task."""
    configure_mappers()
    read(DOCUMENT.format(version="1.0.0").encode())


def main() -> None:
    """Answers every line: an order to work, to receive, or to wait for the end of who received."""
    prepare()
    nobody = os.open(os.devnull, os.O_WRONLY)
    answers: dict[str, Callable[[dict[str, Any]], Any]] = {
        "work": worked,
        "receive": lambda order: forked(receive, order, nobody),
        "end": lambda order: os.waitstatus_to_exitcode(os.waitpid(order["process"], 0)[1]),
    }
    for line in sys.stdin:
        order = json.loads(line)
        print(json.dumps(answers[order["do"]](order)), flush=True)


if __name__ == "__main__":
    main()
