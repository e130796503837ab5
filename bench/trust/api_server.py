"""Serve the API of an empty registry on 127.0.0.1 and measure its process (Linux)."""

import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import httpx

MIB = 1024 * 1024
STARTS_WITHIN = 90.0


@dataclass(frozen=True)
class ApiServer:
    """A running API. `pid`: its process."""

    url: str
    pid: int

    def peak(self) -> float:
        """Return the largest resident memory of the process so far, in MiB."""
        lines = Path(f"/proc/{self.pid}/status").read_text().splitlines()
        return next(int(each.split()[1]) / 1024 for each in lines if each.startswith("VmHWM"))

    def cpu(self) -> float:
        """Return the CPU seconds of the process."""
        fields = Path(f"/proc/{self.pid}/stat").read_text().rpartition(")")[2].split()
        return sum(map(int, fields[11:13])) / os.sysconf("SC_CLK_TCK")


@contextmanager
def api_server() -> Iterator[ApiServer]:
    """Run the API until the block ends."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = int(probe.getsockname()[1])
    with TemporaryDirectory() as home:
        environment = {**os.environ, "TREATY_HOME": home, "TREATY_API_PORT": str(port)}
        process = subprocess.Popen([sys.executable, "-m", "treaty", "api"], env=environment, stderr=subprocess.DEVNULL)
        try:
            url = f"http://127.0.0.1:{port}/api/v1"
            _wait(f"{url}/ready")
            yield ApiServer(url, process.pid)
        finally:
            process.terminate()
            process.wait(20)


def latencies(url: str, seconds: float) -> list[float]:
    """Return the seconds of requests sent one after the other for so long."""
    spent, end = [], time.monotonic() + seconds
    with httpx.Client(timeout=30) as client:
        while time.monotonic() < end:
            start = time.perf_counter()
            client.get(url)
            spent.append(time.perf_counter() - start)
            time.sleep(0.01)
    return spent


def _wait(url: str) -> None:
    end = time.monotonic() + STARTS_WITHIN
    while time.monotonic() < end:
        try:
            if httpx.get(url).status_code == 200:
                return
        except httpx.TransportError:
            time.sleep(0.2)
    raise TimeoutError(url)
