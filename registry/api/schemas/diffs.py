"""Differences between versions, as the API gives them."""

from contracts.compatibility import Bump
from contracts.differences import Change, Part
from contracts.directions import Direction
from contracts.document import Mode
from registry.api.schemas.base import Schema


class ChangeOut(Schema):
    """One difference: what it is of, from what (`old`) to what (`new`), and the direction that it goes.

    `presence`: it promises of data only that a column is there; data without it, read as nulls, keep it."""

    part: Part
    change: Change
    what: str
    direction: Direction
    sentence: str
    path: str
    object: str | None
    column: str | None
    check: str | None
    old: str | None
    new: str | None
    presence: bool


class LawOut(Schema):
    """The mode that a part is under, as a sentence, and whether the new version keeps it."""

    part: Part
    mode: Mode
    sentence: str
    meaning: str
    kept: bool


class BreachOut(Schema):
    """A difference from a live version that breaks a mode."""

    version: str
    mode: Mode
    change: ChangeOut


class DiffOut(Schema):
    """What differs from one version to another; `old` None: there is none before.

    `bump`: the size of the change, of the structure and of the guarantees apart, too. `suggested` is the free number
    that says so, `enough` whether the new version's own number says at least that. `undetermined`: how many changes an
    owner must say the meaning of; they count as major."""

    contract_id: str
    old: str | None
    new: str
    changes: tuple[ChangeOut, ...]
    bump: Bump
    structure: Bump
    guarantees: Bump
    undetermined: int
    suggested: str
    enough: bool
    laws: tuple[LawOut, ...]
    breaches: tuple[BreachOut, ...]
