"""The docs say what the code says: every analyzer, setting, command and route stands in the reference."""

import re
from pathlib import Path

import pytest

from docs.generate import PAGES, REFERENCE, page

ROOT = Path(__file__).parents[2]
TEXTS = ["README.md", "CONTRIBUTING.md", "docs/architecture.md", "docs/tour.md"]


@pytest.mark.parametrize("name", sorted(PAGES))
def test_a_reference_page_is_as_the_code_writes_it(name: str) -> None:
    assert (REFERENCE / f"{name}.md").read_text(encoding="utf-8") == page(name), "run: make docs"


@pytest.mark.parametrize("text", TEXTS)
def test_links_and_named_files_lead_somewhere(text: str) -> None:
    source = (ROOT / text).read_text(encoding="utf-8")
    linked = [(ROOT / text).parent / each for each in re.findall(r"\]\((?!https?:)([^)#]+)\)", source)]
    named = [ROOT / each for each in re.findall(r"`((?:engine|registry|ui|tests|docs|contracts)/[\w/.-]+)`", source)]
    assert [str(each) for each in (*linked, *named) if not each.exists()] == []
