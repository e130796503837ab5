"""One Java for Spark programs that run one after the other: each finds it warm, and has a Spark of its own in it.

What Pyspark starts, beneath SPARK_HOME, hands out the Java that is there in place of starting one."""

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pyspark

SUBMIT = Path(pyspark.__file__).parent / "bin" / "spark-submit"
CONNECTION = "_PYSPARK_DRIVER_CONN_INFO_PATH"
PATIENCE = 120
# The last program's Spark is ended here: a program that was killed could not. Java's folder is that of the program.
HAND_OUT = f"""#!{sys.executable}
import os
import shutil
import sys

from py4j.clientserver import ClientServer, JavaParameters, PythonParameters
from pyspark.serializers import UTF8Deserializer, read_int

with open("CONNECTION", "rb") as info:
    port, secret = read_int(info), UTF8Deserializer().loads(info)
theirs, ours = JavaParameters(port=port, auth_token=secret), PythonParameters(port=0, eager_load=False)
java = ClientServer(java_parameters=theirs, python_parameters=ours).jvm
contexts = getattr(getattr(java.org.apache.spark, "SparkContext$"), "MODULE$")
last = contexts.getActive()
if last.isDefined():
    last.get().stop()
java.org.apache.hadoop.fs.FileSystem.closeAll()
java.System.setProperty("user.dir", os.getcwd())
place = os.environ["{CONNECTION}"]
shutil.copy("CONNECTION", place + ".whole")
os.rename(place + ".whole", place)
sys.stdin.read()
os._exit(0)
"""


@contextmanager
def warm_java(folder: Path) -> Iterator[Path]:
    """A SPARK_HOME for programs that run one at a time; their Java ends with the block."""
    connection, program = folder / "connection", folder / "home" / "bin" / "spark-submit"
    program.parent.mkdir(parents=True)
    program.write_text(HAND_OUT.replace("CONNECTION", str(connection)))
    program.chmod(0o700)
    with (folder / "java.log").open("wb") as log:
        java = subprocess.Popen(
            [SUBMIT, "--driver-memory", "2g", "pyspark-shell"],
            cwd=folder, env={**os.environ, CONNECTION: str(connection)}, stdin=subprocess.PIPE, stdout=log, stderr=log,
        )  # fmt: skip
    try:
        _wait(connection, java)
        yield folder / "home"
    finally:
        try:
            java.communicate(timeout=PATIENCE)
        finally:
            java.kill()


def _wait(connection: Path, java: "subprocess.Popen[bytes]") -> None:
    end = time.monotonic() + PATIENCE
    while not connection.exists():
        assert java.poll() is None, "Java has ended"
        assert time.monotonic() < end, "Java does not answer"
        time.sleep(0.05)
