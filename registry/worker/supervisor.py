"""Run a worker process, and start it again when it dies or stops responding.

Imports nothing but the standard library, so that a supervised worker needs hardly more memory than one alone."""

import os
import select
import signal
import subprocess
import sys
import time

# Exit code of a process that ended itself because a unit of work exceeded its limit.
OVERDUE = 75
INTERRUPTED = 128
STOPS = (signal.SIGTERM, signal.SIGINT)
# Pauses before a process that lived for less than SHORT_LIFE seconds is replaced; the last one is repeated.
PAUSES = (0.0, 1.0, 2.0, 5.0, 10.0)
SHORT_LIFE = 60.0
TICK = 1.0


def beat(silence: float) -> bytes:
    """Return the line that a process writes regularly; after `silence` seconds without one it is killed."""
    return f"beat {silence}\n".encode()


def overdue(kind: str, key: str, seconds: float) -> bytes:
    """Return the line that a process writes before a unit of work ends it."""
    return f"overdue {kind} {key} {seconds}\n".encode()


class Supervisor:
    """A supervisor of one process at a time.

    `ending`: how the last process ended, as text that is passed to the next one; '' for the first."""

    def __init__(self, command: tuple[str, ...]) -> None:
        self.command = command
        self.name = f"worker-{os.urandom(8).hex()}"
        self.process: subprocess.Popen[bytes] | None = None
        self.ending = ""
        self.is_stopping = False
        self.has_worked = False
        self._silence, self._reason = 0.0, ""

    def run(self) -> int:
        """Run processes until one ends as requested, or cannot start at all; return its exit code."""
        for each in STOPS:
            signal.signal(each, self._stop)
        short_lives = 0
        while True:
            began = time.monotonic()
            code = self._run_one()
            if self._is_final(code):
                return self._exit_code(code)
            short_lives = short_lives + 1 if time.monotonic() - began < SHORT_LIFE else 0
            self._pause(PAUSES[min(short_lives, len(PAUSES)) - 1] if short_lives else 0.0)
            if self.is_stopping:
                return 0

    def start(self, channel: int) -> "subprocess.Popen[bytes]":
        """Start a process that reports to the file descriptor `channel`."""
        options = ("--name", self.name, "--channel", str(channel), "--ending", self.ending)
        return subprocess.Popen((*self.command, *options), pass_fds=(channel,))

    def _stop(self, number: int, _: object) -> None:
        self.is_stopping = True
        if self.process is not None and self.process.poll() is None:
            self.process.send_signal(number)

    def _run_one(self) -> int:
        """Run one process to its end and return its exit code; negative for a signal."""
        ours, theirs = os.pipe()
        self.process = self.start(theirs)
        os.close(theirs)
        self._reason, self._silence = "", 0.0
        if self.is_stopping:
            self.process.send_signal(signal.SIGTERM)
        try:
            code = self._watch(self.process, ours)
        finally:
            os.close(ours)
        # A process that ended before it worked did not read how the one before it ended.
        if self._silence or not self.ending:
            self.ending = self._reason or (f"signal {-code}" if code < 0 else f"code {code}")
        return code

    def _watch(self, process: "subprocess.Popen[bytes]", channel: int) -> int:
        """Read the reports of the process until it ends; kill it if none arrives for too long.

        Whole ticks are counted, so that the time during which this process was suspended does not count."""
        quiet = 0.0
        while True:
            if select.select([channel], [], [], TICK)[0]:
                report = os.read(channel, 4096)
                if not report:
                    break
                quiet = 0.0
                self._note(report.decode(errors="replace"))
            elif process.poll() is not None:
                break
            else:
                quiet += TICK
                if self._silence and quiet >= self._silence:
                    self._kill(process)
        return process.wait()

    def _note(self, report: str) -> None:
        """Store what the process reports: its limit of silence, or the unit of work because of which it ends."""
        for line in report.splitlines():
            word, _, rest = line.partition(" ")
            if word == "overdue":
                self._reason = line
            elif word == "beat" and rest:
                self.has_worked, self._silence = True, float(rest)

    def _kill(self, process: "subprocess.Popen[bytes]") -> None:
        self._reason = f"silent {self._silence:g}"
        process.kill()

    def _is_final(self, code: int) -> bool:
        """Return whether no other process follows: after a stop, or if none could start, as with wrong settings."""
        return self.is_stopping or code == 0 or (code > 0 and code != OVERDUE and not self.has_worked)

    def _exit_code(self, code: int) -> int:
        if self.is_stopping and -code in STOPS:
            return 0
        return INTERRUPTED - code if code < 0 else code

    def _pause(self, seconds: float) -> None:
        ends = time.monotonic() + seconds
        while not self.is_stopping and time.monotonic() < ends:
            time.sleep(0.1)


def main() -> None:
    """Supervise a worker until it is stopped, and exit with its exit code."""
    sys.exit(Supervisor((sys.executable, "-m", "treaty", "worker")).run())
