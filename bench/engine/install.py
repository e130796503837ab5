"""Measure each extra: size and number of packages of a fresh environment, and the cost of imports in it.

python -m bench.engine.install"""

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from bench.engine.face import ImportTime, import_time

ROOT = Path(__file__).parents[2]
UV = shutil.which("uv", path=str(Path(sys.executable).parent)) or "uv"
# Extras, and the module whose import represents each.
INSTALLS = (
    ("", "treaty.engine.session.verify"),
    ("spark", "pyspark.sql"),
    ("registry", "treaty.registry.api.app"),
    ("ui", "streamlit"),
    ("all", "treaty.registry.api.app"),
)
RUNS = 5
MIB = 1024**2


def environment(folder: Path, wheel: Path, extra: str) -> Path:
    """Create an environment with the wheel and the extra, and return its Python.

    Versions are those of the lock file."""
    subprocess.run([UV, "venv", "--quiet", "--python", sys.executable, str(folder)], check=True)
    python = folder / "bin" / "python"
    requirement = f"{wheel}[{extra}]" if extra else str(wheel)
    lock = ("--constraint", str(ROOT / "requirements.lock"))
    command = [UV, "pip", "install", "--quiet", "--link-mode", "copy", *lock, "--python", str(python), requirement]
    subprocess.run(command, check=True)
    return python


def size(folder: Path) -> tuple[int, int]:
    """Return the bytes and the number of packages installed in an environment."""
    (packages,) = folder.glob("lib/*/site-packages")
    files = (each for each in packages.rglob("*") if each.is_file() and not each.is_symlink())
    return sum(each.stat().st_size for each in files), len(list(packages.glob("*.dist-info")))


def line(extra: str, module: str, measured: tuple[int, int], face: ImportTime, time: ImportTime) -> str:
    """Return the row of the table."""
    name = f"`treaty[{extra}]`" if extra else "`treaty`"
    total, packages = measured
    return f"| {name} | {packages} | {total / MIB:,.0f} MiB | {face.cpu_ms:.0f} ms | `{module}` {time.cpu_ms:,.0f} ms |"


def main() -> None:
    """Print the table."""
    with tempfile.TemporaryDirectory(prefix="treaty-install-") as place:
        built = Path(place) / "wheel"
        subprocess.run([UV, "build", "--wheel", "--quiet", "--out-dir", str(built), str(ROOT)], check=True)
        (wheel,) = built.glob("*.whl")
        print(
            "| install | packages | size | `import treaty` | import of its largest part, CPU |\n|---|---|---|---|---|"
        )
        for extra, module in INSTALLS:
            folder = Path(place) / (extra or "base")
            python = str(environment(folder, wheel, extra))
            measured = size(folder)
            face, largest = (import_time(each, python, RUNS) for each in ("treaty", module))
            print(line(extra, module, measured, face, largest), flush=True)
            shutil.rmtree(folder)


if __name__ == "__main__":
    main()
