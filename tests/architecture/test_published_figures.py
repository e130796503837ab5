"""Tables of figures that an explanation shares with `bench/results` are equal there."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
TABLE = re.compile(r"(?:^\|.*\n)+", re.MULTILINE)
SHARED = {
    "detectors": ["all eight tables"],
    "false-alarm-budgets": ["days of past", "table"],
    "patterns": ["precision / recall"],
    "suggestions": ["drafted by"],
}


def tables(path: Path) -> dict[str, str]:
    """Return the tables of a page by the first cell of their header."""
    found = TABLE.findall(path.read_text(encoding="utf-8"))
    return {table.split("|")[1].strip(): table for table in found}


@pytest.mark.parametrize(("page", "names"), SHARED.items())
def test_an_explanation_shows_the_figures_of_the_benchmarks(page: str, names: list[str]) -> None:
    published: dict[str, str] = {}
    for path in sorted((ROOT / "bench" / "results").glob("*.md")):
        published |= tables(path)
    shown = tables(ROOT / "docs" / "explanation" / f"{page}.md")
    assert {name: shown.get(name) for name in names} == {name: published[name] for name in names}
