"""Measure `import treaty`: the time of a fresh process with its goal, and the large libraries it loads.

python -m bench.engine.face"""

import json
import subprocess
import sys
from dataclasses import dataclass
from statistics import median

RUNS = 11
GOAL_MS = 60.0
LARGE = ("pyspark", "pandas", "statsmodels", "sklearn", "streamlit", "numpy", "pydantic", "scipy", "pyarrow")
PROGRAM = """
import json, sys, time
wall, cpu = time.perf_counter(), time.process_time()
import {module}
wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
print(json.dumps([wall * 1000, cpu * 1000, sorted(set({large!r}) & sys.modules.keys())]))
"""


@dataclass(frozen=True, kw_only=True)
class ImportTime:
    """Medians of fresh processes, in milliseconds, and the large libraries that were loaded."""

    wall_ms: float
    cpu_ms: float
    loaded: tuple[str, ...]


def import_time(module: str = "treaty", python: str = sys.executable, runs: int = RUNS) -> ImportTime:
    """Measure the import of a module in fresh processes of that Python."""
    runs_measured = [_once(module, python) for _ in range(runs)]
    return ImportTime(
        wall_ms=median(wall for wall, _, _ in runs_measured),
        cpu_ms=median(cpu for _, cpu, _ in runs_measured),
        loaded=tuple(runs_measured[0][2]),
    )


def _once(module: str, python: str) -> tuple[float, float, list[str]]:
    program = PROGRAM.format(module=module, large=LARGE)
    done = subprocess.run([python, "-c", program], capture_output=True, text=True, timeout=120, check=True)
    wall, cpu, loaded = json.loads(done.stdout)
    return wall, cpu, loaded


def main() -> int:
    """Print the goal and the measurement; return 1 if the goal is missed."""
    measured = import_time()
    is_met = measured.cpu_ms <= GOAL_MS and not measured.loaded
    print(f"import treaty, median of {RUNS} fresh processes")
    print(f"  goal     {GOAL_MS:.0f} ms, none of {', '.join(LARGE)}")
    loaded = ", ".join(measured.loaded) or "none of these"
    print(f"  measured {measured.wall_ms:.1f} ms wall, {measured.cpu_ms:.1f} ms CPU, {loaded}")
    print(f"  {'met' if is_met else 'missed'}")
    return 0 if is_met else 1


if __name__ == "__main__":
    sys.exit(main())
