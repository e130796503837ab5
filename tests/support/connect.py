"""A Spark Connect server on this machine, for the tests that speak to one."""

import os
import re
import subprocess
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from support.agents import delta
from support.archive import options
from support.required import require

SETTINGS = {
    "spark.connect.grpc.binding.address": "127.0.0.1",
    "spark.connect.grpc.binding.port": "0",
    "spark.driver.memory": "2g",
}
STARTED = re.compile(r"Spark Connect server started at: (\S+:\d+)")
PATIENCE = 120


@contextmanager
def connect_server(folder: Path) -> Iterator[str]:
    """The address (sc://127.0.0.1:port) of a server that is ended with the block; its files lie in the folder."""
    import shutil

    require("java", available=shutil.which("java") is not None, reason="there is no Java")
    folder.mkdir(parents=True, exist_ok=True)
    log = folder / "server.log"
    with log.open("wb") as output:
        server = subprocess.Popen(_command(folder), cwd=folder, env=_environment(), stdout=output, stderr=output)
    try:
        yield f"sc://{_address(server, log)}"
    finally:
        server.terminate()
        server.wait(30)


def _command(folder: Path) -> list[str]:
    import pyspark

    from treaty.engine.spark.process.session import LOCAL

    settings = {**LOCAL, **SETTINGS, **delta(), "spark.sql.warehouse.dir": str(folder / "warehouse")}
    named = [part for name, setting in settings.items() for part in ("--conf", f"{name}={setting}")]
    program = Path(pyspark.__file__).parent / "bin" / "spark-submit"
    server = "org.apache.spark.sql.connect.service.SparkConnectServer"
    return [str(program), "--master", "local[2]", *named, "--class", server, "spark-internal"]


def _environment() -> Mapping[str, str]:
    """Without what a client's process may hold: a server that is told to be remote does not start."""
    ours = {name: value for name, value in os.environ.items() if not name.startswith(("SPARK_", "PYSPARK_", "TREATY_"))}
    return {**ours, **options()}


def _address(server: subprocess.Popen[bytes], log: Path) -> str:
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end and server.poll() is None:
        if found := STARTED.search(log.read_text(errors="replace")):
            return found.group(1)
        time.sleep(0.2)
    raise AssertionError(f"no Spark Connect server came up; its log ends:\n{log.read_text(errors='replace')[-2000:]}")
