"""Every notebook of the docs runs, in an empty folder, and prints what is committed with it."""

import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import nbformat
import pytest
from support.required import require
from support.warm import warm_java

from docs.execute_notebooks import NOTEBOOKS, execute, texts

PATHS = sorted(NOTEBOOKS.glob("*.ipynb"))
NUMBER = re.compile(r"-?[\d,]*\.?\d+")
# Sketches are random: a quantile of another run is another number nearby.
TOLERANCE = 0.1
# Spark chooses which violating rows are sampled.
VARIES = "run.samples"


@pytest.fixture(autouse=True, scope="module")
def java(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    require("java", available=shutil.which("java") is not None, reason="there is no Java")
    with warm_java(tmp_path_factory.mktemp("java")) as home, pytest.MonkeyPatch.context() as patch:
        patch.setenv("SPARK_HOME", str(home))
        yield


def same(printed: str, committed: str) -> bool:
    """Return whether two texts are equal except for spaces and small differences of numbers."""
    pairs = list(zip(printed.split(), committed.split(), strict=False))
    return len(printed.split()) == len(committed.split()) and all(
        one == other or near(one, other) for one, other in pairs
    )


def near(one: str, other: str) -> bool:
    """Return whether two words are equal except for small differences of their numbers."""
    if NUMBER.sub("0", one) != NUMBER.sub("0", other):
        return False
    values = [[float(each.replace(",", "")) for each in NUMBER.findall(word)] for word in (one, other)]
    return values[0] == pytest.approx(values[1], rel=TOLERANCE, abs=0.01)


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)
def test_a_notebook_prints_what_is_committed(path: Path, tmp_path: Path) -> None:
    committed = nbformat.read(path, as_version=4)
    printed = execute(path, tmp_path)

    sources = [cell.source for cell in committed.cells if cell.cell_type == "code"]
    outputs = zip(sources, texts(printed), texts(committed), strict=True)
    other = [
        (cell, ran) for cell, ran, known in outputs if VARIES not in cell and not same("\n".join(ran), "\n".join(known))
    ]
    assert other == [], "run: make notebooks"


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)
def test_a_committed_notebook_has_pictures_and_no_path_of_a_machine(path: Path) -> None:
    outputs = [each for cell in code_cells(path) for each in cell.outputs]
    assert any("image/png" in each.get("data", {}) for each in outputs)
    assert [
        each
        for cell in texts(nbformat.read(path, as_version=4))
        for each in cell
        if re.search(r"/(tmp|home|root|work)/", each)
    ] == []
    assert path.stat().st_size < 200_000


def code_cells(path: Path) -> list[Any]:
    return [cell for cell in nbformat.read(path, as_version=4).cells if cell.cell_type == "code"]


def test_numbers_may_differ_a_little_and_words_not_at_all() -> None:
    assert same("mean  90.85 of 23,414 rows", "mean 91.03 of 23,414 rows")
    assert not same("mean 90.85", "mean 30.1")
    assert not same("passed 1", "failed 1")
    assert not same("passed", "passed passed")
