"""Version numbers of contracts: which one a change asks for, and which one is free."""

import re
from collections.abc import Collection

from treaty.contracts.comparison.compatibility import Bump

_NUMBER = re.compile(r"v?(\d{1,9})\.(\d{1,9})\.(\d{1,9})")
FIRST = "1.0.0"
Number = tuple[int, int, int]


def next_free(taken: Collection[str], bump: Bump = Bump.MINOR, *, after: str | None = None) -> str:
    """The free number nearest to the version that it comes `after` (by default, after all numbered ones) that says a
    change of that size; '1.0.0' where none is taken.

    Words that are not numbers (2024-Q1) are passed over."""
    numbers = {found for found in map(_number, taken) if found}
    start = _number(after) if after else None
    if not numbers:
        return FIRST
    following = _grown(start or max(numbers), bump)
    # A number that another group has is passed by in steps of the same size.
    while following in numbers:
        following = _grown(following, bump)
    return ".".join(map(str, following))


def says(old: str, new: str) -> Bump | None:
    """The size of the change that a new number says; None where it is not above the old one, or one is no number."""
    before, after = _number(old), _number(new)
    if before is None or after is None or after <= before:
        return None
    grown = next(index for index, pair in enumerate(zip(before, after, strict=True)) if pair[0] != pair[1])
    return tuple(Bump)[grown]


def says_enough(old: str, new: str, bump: Bump) -> bool:
    """Whether the new number says a change of at least that size. Words that are no numbers say nothing, and are never
    too little; a number that is not above the old one always is."""
    if _number(old) is None or _number(new) is None:
        return True
    said = says(old, new)
    return said is not None and said.covers(bump)


def _number(version: str) -> Number | None:
    found = _NUMBER.fullmatch(version)
    return (int(found[1]), int(found[2]), int(found[3])) if found else None


def _grown(number: Number, bump: Bump) -> Number:
    major, minor, patch = number
    grown: dict[Bump, Number] = {
        Bump.MAJOR: (major + 1, 0, 0),
        Bump.MINOR: (major, minor + 1, 0),
        Bump.PATCH: (major, minor, patch + 1),
    }
    return grown[bump]
