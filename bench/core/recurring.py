"""Unpack the recurring tables that benchmarks read."""

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

DATA = Path(os.environ.get("TREATY_SHARED", "../shared")).resolve() / "data"


@contextmanager
def unpacked(data: Path = DATA) -> Iterator[Path]:
    """Yield a temporary folder of source/table/date.csv, with the labeled incidents in incidents.csv."""
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([data / "unpack", folder], check=True, capture_output=True)
        shutil.copyfile(data / "history" / "incidents.csv", Path(folder) / "incidents.csv")
        yield Path(folder)
