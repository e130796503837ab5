"""Real catalogs of tests, with the jars that `make agents` fetches: one server for all tests of a process."""

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from shutil import which
from tempfile import TemporaryDirectory
from typing import Any

import httpx
from support.agents import AGENTS
from support.required import require

JARS = AGENTS / "catalogs"
PROGRAM = Path(__file__).with_name("IcebergRest.java")
PORT = "PORT "


@dataclass(frozen=True)
class IcebergServer:
    """An Iceberg REST catalog. Nested namespaces are joined by %2E in its paths."""

    url: str
    warehouse: str

    def send(self, method: str, path: str, **body: Any) -> Any:
        """The content of the answer to a request of its own client."""
        answer = httpx.request(method, f"{self.url}/v1/{path}", json=body or None, timeout=20)
        answer.raise_for_status()
        return answer.json() if answer.content else None

    def create(self, namespace: str, name: str, schema: dict[str, Any], **more: Any) -> str:
        """Creates a table, with the namespaces that it needs; its location."""
        parts = namespace.split(".")
        for end in range(1, len(parts) + 1):
            httpx.post(f"{self.url}/v1/namespaces", json={"namespace": parts[:end], "properties": {}}, timeout=20)
        made = self.send("POST", f"namespaces/{'%2E'.join(parts)}/tables", name=name, schema=schema, **more)
        return str(made["metadata"]["location"])


def require_iceberg_server() -> None:
    """Skips the test without the jars or Java; fails it where `agents` is required."""
    there = bool(list(JARS.glob("iceberg-core-*-tests.jar"))) and which("java") is not None
    require("agents", available=there, reason="there is no Iceberg REST server: make agents fetches it")


@contextmanager
def iceberg_server() -> Iterator[IcebergServer]:
    """The server, on this machine only, ended with the block."""
    with TemporaryDirectory(prefix="treaty-iceberg-") as folder:
        clean = {name: value for name, value in os.environ.items() if not name.startswith("TREATY_")}
        quiet = "-Dorg.slf4j.simpleLogger.defaultLogLevel=warn"
        command = ["java", "-Xmx256m", quiet, "-cp", f"{JARS}/*", str(PROGRAM), f"file:{folder}"]
        log = Path(folder, "server.log")
        with log.open("w") as errors:
            process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=errors, text=True, env=clean)
        try:
            assert process.stdout
            line = process.stdout.readline()
            assert line.startswith(PORT), log.read_text(errors="replace")[-3000:]
            yield IcebergServer(f"http://127.0.0.1:{line.removeprefix(PORT).strip()}", folder)
        finally:
            process.kill()
            process.wait(20)
