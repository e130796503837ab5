"""Compute version numbers: the next free number, and the bump between two numbers."""

import re
from collections.abc import Collection

from treaty.contracts.comparison.compatibility import Bump

_NUMBER = re.compile(r"v?(\d{1,9})\.(\d{1,9})\.(\d{1,9})")
FIRST = "1.0.0"
Number = tuple[int, int, int]


def next_free(used: Collection[str], bump: Bump = Bump.MINOR, *, after: str | None = None) -> str:
    """Return the next free version number for a change of that size.

    Versions that are not numbers (2024-Q1) are ignored. '1.0.0' if no number is taken.

    `after`: version that the new one follows; None means the highest number."""
    numbers = {number for number in map(_number, used) if number}
    start = _number(after) if after else None
    if not numbers:
        return FIRST
    following = _grown(start or max(numbers), bump)
    # The number may belong to another group; then it is incremented again by the same bump.
    while following in numbers:
        following = _grown(following, bump)
    return ".".join(map(str, following))


def says(old: str, new: str) -> Bump | None:
    """Return the bump between two numbers; None if the new one is not higher or either is not a number."""
    before, after = _number(old), _number(new)
    if before is None or after is None or after <= before:
        return None
    position = next(index for index, pair in enumerate(zip(before, after, strict=True)) if pair[0] != pair[1])
    return tuple(Bump)[position]


def says_enough(old: str, new: str, bump: Bump) -> bool:
    """Return whether the new number implies at least that bump.

    True if either version is not a number; False if the new number is not higher."""
    if _number(old) is None or _number(new) is None:
        return True
    implied = says(old, new)
    return implied is not None and implied.covers(bump)


def _number(version: str) -> Number | None:
    match = _NUMBER.fullmatch(version)
    return (int(match[1]), int(match[2]), int(match[3])) if match else None


def _grown(number: Number, bump: Bump) -> Number:
    major, minor, patch = number
    next_numbers: dict[Bump, Number] = {
        Bump.MAJOR: (major + 1, 0, 0),
        Bump.MINOR: (major, minor + 1, 0),
        Bump.PATCH: (major, minor, patch + 1),
    }
    return next_numbers[bump]
