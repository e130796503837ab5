"""Version numbers of contracts: which one is free next."""

import re
from collections.abc import Collection

_NUMBER = re.compile(r"v?(\d{1,9})\.(\d{1,9})\.(\d{1,9})")
FIRST = "1.0.0"


def next_free(taken: Collection[str]) -> str:
    """The next minor version above all numbered ones; '1.0.0' where none is taken.

    Words that are not numbers (2024-Q1) are passed over."""
    numbers = [tuple(map(int, found.groups())) for found in map(_NUMBER.fullmatch, taken) if found]
    if not numbers:
        return FIRST
    major, minor, _ = max(numbers)
    return f"{major}.{minor + 1}.0"
