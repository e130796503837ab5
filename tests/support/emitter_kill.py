"""Workers that validate and tell of it until they are killed.

Reads lines of JSON, [database, home, lineage service, number, rounds], and has each done by a process that is killed
once it has done its first round and then so many times as long, whatever the machine is busy with. Each is forked, so
that none of them has to load everything anew. Answers each with how the process ended, the signal's number negative."""

import json
import os
import signal
import sys
import time
import traceback
from datetime import timedelta
from itertools import count
from pathlib import Path

from support.scenes import NOON, Clock, Scene

from treaty.registry.core.database import connect
from treaty.registry.lineage.events import verdict_event  # noqa: F401 - loaded once, before anything is forked
from treaty.registry.notifications.delivery import OutboxDeliverer


def scene_of(database: str, home: str, number: int) -> Scene:
    """What works at that number: its clock is far beyond the leases of the ones before."""
    scene = Scene(connect(database), Path(home), Clock(NOON + number * timedelta(minutes=10)))
    scene.write("ds=1", f"good {number}")
    return scene


def work(scene: Scene, service: str) -> None:
    """Validates what is asked for and delivers what waits."""
    settings = scene.settings.model_copy(update={"openlineage_url": service})
    scene.work(settings=settings)
    OutboxDeliverer(database=scene.database, settings=settings, clock=scene.clock, jitter=lambda: 0.0).drain()


def endless(database: str, home: str, service: str, number: int, tell: int) -> None:
    """Has data change and be validated, over and over; tells of each round."""
    scene = scene_of(database, home, number)
    for at in count():
        scene.write("ds=1", f"good {number} {at}")
        scene.ask(f"{number}/{at}")
        work(scene, service)
        os.write(tell, b".")


def main() -> None:
    """Answers every line."""
    for line in sys.stdin:
        *given, rounds = json.loads(line)
        heard, tell = os.pipe()
        began = time.monotonic()
        child = os.fork()
        if not child:
            try:
                endless(*given, tell)
            except BaseException:
                traceback.print_exc()
            os._exit(1)
        os.close(tell)
        os.read(heard, 1)
        os.close(heard)
        time.sleep((time.monotonic() - began) * rounds)
        os.kill(child, signal.SIGKILL)
        _, status = os.waitpid(child, 0)
        print(os.waitstatus_to_exitcode(status), flush=True)


if __name__ == "__main__":
    main()
