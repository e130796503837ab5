"""Processes that publish to a gated table and are killed at a step.

Reads lines of JSON, [folder, step, rows], and answers each with how the process that did it ended: the signal's number
negative, 0 published, 1 rejected. Each is forked, so that none of them has to load everything anew."""

import json
import os
import signal
import sys
import traceback
from pathlib import Path

from support.gates import Ending, Gated, Rows

from treaty.engine.gate.gate import CandidateRejected


class Killed(Ending):
    """A disk at whose last step the system kills the process."""

    def end(self) -> None:
        os.kill(os.getpid(), signal.SIGKILL)


def publish(folder: str, step: int, rows: Rows) -> int:
    """Publishes; where the disk has so many steps, it never returns."""
    try:
        Gated(Path(folder)).publish(rows, Killed(last=step))
    except CandidateRejected:
        return 1
    except Exception:
        traceback.print_exc()
        return 2
    return 0


def main() -> None:
    """Answers every line."""
    for line in sys.stdin:
        child = os.fork()
        if not child:
            os._exit(publish(*json.loads(line)))
        _, status = os.waitpid(child, 0)
        print(os.waitstatus_to_exitcode(status), flush=True)


if __name__ == "__main__":
    main()
