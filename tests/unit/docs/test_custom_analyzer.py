"""The package that the page on custom analyzers shows is the one that the tests install."""

from pathlib import Path

from support import doc_runner
from support.plugins import PLUGIN

PAGE = Path(__file__).parents[3] / "docs/how-to/custom-analyzer.md"


def test_the_package_on_the_page_is_the_one_that_the_tests_install() -> None:
    titled = {block.title: block.text for block in doc_runner.blocks(PAGE.read_text(encoding="utf-8")) if block.title}
    for name in ("treaty_parity.py", "pyproject.toml"):
        assert titled[f"treaty-parity/{name}"] == (PLUGIN / name).read_text(encoding="utf-8")
