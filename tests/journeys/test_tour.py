"""The tour in the docs, every line of it, in an empty folder."""

import os
import re
import subprocess
import sys
from pathlib import Path

TOUR = Path(__file__).parents[2] / "docs" / "tour.md"


def blocks(kind: str) -> list[str]:
    return re.findall(rf"^```{kind}\n(.*?)^```", TOUR.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)


def shell(script: str, folder: Path) -> str:
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    ran = subprocess.run(
        ["bash", "-euc", script],
        cwd=folder,
        env={**os.environ, "PATH": path},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    return ran.stdout


def test_every_line_of_the_tour_does_what_it_says(tmp_path: Path) -> None:
    wrote, drafted, judged, explained = (shell(script, tmp_path) for script in blocks("sh"))
    assert wrote.count("wrote") == 3
    assert "payment is one of 3 known values" in drafted
    assert all(day in judged for day in ("day=2026-09-28", "day=2026-10-04", "day=2026-10-08"))
    assert "40 partition(s)" in judged
    assert explained.startswith("scan by day")
    (session,) = (script for script in blocks("python"))
    opened = "from engine.spark.session import start\nspark = start()\n"
    ran = shell(f"python - <<'EOF'\n{opened}{session}spark.stop()\nEOF", tmp_path)
    assert ran.startswith("failed ")
    assert "customer_id is always present" in ran


def test_the_check_in_the_tour_is_a_check() -> None:
    from contracts.reading import read

    (check,) = blocks("yaml")
    indented = "".join(f"      {line}\n" for line in check.splitlines())
    contract = read(
        f"apiVersion: v3.1.0\nkind: DataContract\nid: orders\nversion: 1.0.0\nstatus: draft\nschema:\n"
        f"  - name: orders\n    properties:\n      - name: status\n    quality:\n{indented}".encode()
    )
    assert [each.id for each in contract.object("orders").checks] == ["paid-orders"]
