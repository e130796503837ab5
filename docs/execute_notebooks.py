"""Execute docs/notebooks and write their outputs: `make notebooks`.

Each notebook runs in an empty folder. What it writes to stderr, such as Spark's log, is not kept."""

import os
import re
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from unittest.mock import patch

import nbformat
from nbclient import NotebookClient

NOTEBOOKS = Path(__file__).parent / "notebooks"
TIMEOUT_SECONDS = 300
# Colors of a terminal; a notebook's page shows them as text.
ESCAPES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


def execute(path: Path, folder: Path) -> Any:
    """Return the notebook with the outputs of an execution in the folder. Raises CellExecutionError."""
    notebook = nbformat.read(path, as_version=4)
    programs = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    with patch.dict(os.environ, {"PATH": programs, "PYDEVD_DISABLE_FILE_VALIDATION": "1"}):
        resources = {"metadata": {"path": str(folder)}}
        NotebookClient(notebook, timeout=TIMEOUT_SECONDS, record_timing=False, resources=resources).execute()
    for cell in notebook.cells:
        cell.metadata = {}
        if cell.cell_type == "code":
            cell.outputs = list(_kept(cell.outputs))
    notebook.metadata = {"kernelspec": notebook.metadata.kernelspec, "language_info": {"name": "python"}}
    return notebook


def _kept(outputs: list[Any]) -> Iterator[Any]:
    for output in outputs:
        if output.get("name") != "stderr":
            if "text" in output:
                output.text = ESCAPES.sub("", output.text).replace("\r\n", "\n")
            yield output


def texts(notebook: Any) -> list[list[str]]:
    """Return the printed and displayed texts of each code cell, without pictures."""
    return [list(_texts(cell.outputs)) for cell in notebook.cells if cell.cell_type == "code"]


def _texts(outputs: list[Any]) -> Iterator[str]:
    for output in outputs:
        data = output.get("data", {})
        if "image/png" not in data:
            yield output.get("text") or data.get("text/plain", "")


def main(names: list[str]) -> None:
    """Execute the named notebooks, by default all of them."""
    for path in sorted(NOTEBOOKS.glob("*.ipynb")):
        if not names or path.stem in names:
            with tempfile.TemporaryDirectory() as folder:
                nbformat.write(execute(path, Path(folder)), path)
            print(path)


if __name__ == "__main__":
    main(sys.argv[1:])
