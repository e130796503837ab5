"""Folders that tests read: the repository's root, and the data of the tests."""

from pathlib import Path

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
DATA = ROOT / "tests" / "data"
