"""Poisonous and sound work of each kind, and a supervised worker that does it."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from sqlalchemy import Engine
from support.events import body, event
from support.folders import ROOT
from support.poison_worker import POISON, SOUND
from support.scenes import add

from treaty.engine.core import clock
from treaty.registry.core import ids
from treaty.registry.core.database import transaction
from treaty.registry.core.enums import TaskKind
from treaty.registry.lineage.events import event_store
from treaty.registry.lineage.events.model import parse
from treaty.registry.notifications.delivery import SENDERS
from treaty.registry.tables import OutboxMessageRow, TaskRow


def url(engine: Engine) -> str:
    """The address of the database, with its password."""
    return engine.url.render_as_string(hide_password=False)


def supervised(engine: Engine, home: Path, harm: str) -> list[str]:
    """How the processes of a worker ended that does all there is to do."""
    path = os.pathsep.join([str(ROOT), str(ROOT / "tests")])
    environ = {name: value for name, value in os.environ.items() if not name.startswith("TREATY_")}
    program = str(ROOT / "tests/support/poison_worker.py")
    done = subprocess.run(
        [sys.executable, program, json.dumps({"harm": harm, "url": url(engine), "home": str(home)})],
        env={**environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def send(engine: Engine, run: str) -> None:
    """An event of that run in the inbox."""
    raw = body(event("START", run=run))
    with transaction(engine) as tx:
        event_store.accept(tx, parse(raw), raw, producer="spark", now=clock.now(), event_id=ids.new())
        tx.commit()


def work_of_each_kind(engine: Engine) -> None:
    """A poisonous and a sound task and message of each kind, one poisonous event among sound ones."""
    now: Any = {"available_at": clock.now(), "created_at": clock.now()}
    for each in (POISON, SOUND):
        payload = {"is": each}
        tasks = [TaskRow(id=ids.new(), kind=kind, payload=payload, key=f"{kind} {each}", **now) for kind in TaskKind]
        messages = [
            OutboxMessageRow(
                id=ids.new(), kind=kind, destination=f"{kind} {each}", key=f"{kind} {each}", payload=payload, **now
            )
            for kind in SENDERS
        ]
        add(engine, *tasks, *messages)
    for run in (SOUND, POISON, "sound-2", "sound-3"):
        send(engine, run)
