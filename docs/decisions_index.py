"""Writes docs/decisions/index.md from the records beside it: `make docs`."""

import re
from pathlib import Path
from typing import NamedTuple

DECISIONS = Path(__file__).parent / "decisions"
INDEX = DECISIONS / "index.md"
TITLE = re.compile(r"^# (?:\d{4}\W+)?(.+)$", re.MULTILINE)
STATUS = re.compile(r"^\W*status\W+(\w.*?)\W*$", re.MULTILINE | re.IGNORECASE)
INTRODUCTION = """<!-- written by `make docs` from the records; change them instead -->
# Decisions

Each record states one decision about Treaty's design: its context, the decision and its consequences. A record does not
change after it is accepted. A later record replaces it and says so.

To add one, take the next free number, name the file `NNNN-title.md`, write 80 to 200 words, and run `make docs`.

| Record | Decision | Status |
|---|---|---|
"""


class DecisionRecord(NamedTuple):
    """The head of a decision record."""

    number: str
    title: str
    status: str
    file: str


def records() -> list[DecisionRecord]:
    """Return the records, sorted by number. Raises ValueError for a file without a title or a status."""
    return [_record(path) for path in sorted(DECISIONS.glob("[0-9][0-9][0-9][0-9]-*.md"))]


def index() -> str:
    """Return the text of the index."""
    rows = (f"| [{each.number}]({each.file}) | {each.title} | {each.status} |\n" for each in records())
    return INTRODUCTION + "".join(rows)


def _record(path: Path) -> DecisionRecord:
    text = path.read_text(encoding="utf-8")
    title, status = TITLE.search(text), STATUS.search(text)
    if title is None or status is None:
        raise ValueError(f"{path.name} needs a title and a status: '# NNNN: Title' and 'Status: Accepted'")
    return DecisionRecord(path.name[:4], title[1], status[1], path.name)


if __name__ == "__main__":
    INDEX.write_text(index(), encoding="utf-8")
