"""Code blocks of a page of the docs, run in a folder with the environment of some Python on the path."""

import os
import re
import subprocess
import sys
from pathlib import Path

DOCS = Path(__file__).parents[2] / "docs"
OPENED = "from treaty.engine.spark.process.session import start\nspark = start()\n"


def blocks(kind: str, page: str) -> list[str]:
    """Return the page's blocks of that language, in order."""
    text = (DOCS / f"{page}.md").read_text(encoding="utf-8")
    return re.findall(rf"^```{kind}\n(.*?)^```", text, flags=re.DOTALL | re.MULTILINE)


def shell(script: str, folder: Path, programs: Path = Path(sys.executable).parent) -> str:
    """Run a shell script in the folder and return what it prints; `programs` comes first on the path."""
    path = f"{programs}{os.pathsep}{os.environ['PATH']}"
    ran = subprocess.run(
        ["bash", "-euc", script],
        cwd=folder,
        env={**os.environ, "PATH": path, "PYTHONPATH": str(folder / "packages")},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    return ran.stdout


def python(script: str, folder: Path, programs: Path = Path(sys.executable).parent) -> str:
    """Run a Python script that finds `spark` open, and return what it prints."""
    return shell(f"python - <<'EOF'\n{OPENED}{script}spark.stop()\nEOF", folder, programs)
