"""Pages of the docs, every line of them, in an empty folder; the Java that their commands find is one and warm.

The first tutorial also runs where the wheel is installed (`test_wheel`)."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from support.doc_blocks import blocks, python, shell
from support.required import require
from support.warm import warm_java


@pytest.fixture(autouse=True, scope="module")
def java(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    require("java", available=shutil.which("java") is not None, reason="there is no Java")
    with warm_java(tmp_path_factory.mktemp("java")) as home, pytest.MonkeyPatch.context() as patch:
        patch.setenv("SPARK_HOME", str(home))
        yield


def test_every_line_about_the_gate_does_what_it_says(tmp_path: Path) -> None:
    wrote, asked = blocks("sh", "states")
    (published,) = blocks("python", "states")
    shell(wrote, tmp_path)
    assert python(published, tmp_path).endswith("passed passed\nfailed and nothing changed\n")
    assert "passed" in shell(asked, tmp_path)


def test_the_views_on_the_page_are_terms() -> None:
    from treaty.contracts.document.reader import read

    (terms,) = blocks("yaml", "states")
    head = "apiVersion: v3.1.0\nkind: DataContract\nid: orders\nversion: 1.0.0\nstatus: draft\n"
    assert [each.name for each in read(f"{head}{terms}".encode()).terms.views] == ["eu", "september"]
