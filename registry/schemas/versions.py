"""Versions of a contract and their differences, as the API takes and gives them."""

from datetime import datetime
from uuid import UUID

from treaty.contracts.comparison.compatibility import Bump
from treaty.contracts.comparison.differences import DifferenceKind, DifferenceSection
from treaty.contracts.comparison.directions import Direction
from treaty.contracts.document.model import Mode
from treaty.registry.core.enums import VersionState
from treaty.registry.schemas.base import ApiModel, ApiRequest, Name, Reason


class VersionOut(ApiModel):
    """A version of a contract, without its body. Of each group one is in force: `active` or `deprecated`."""

    version: str
    fingerprint: str
    group: str
    state: VersionState
    approved_by: str
    approved_at: datetime
    proposal_id: UUID | None
    effective_from: datetime | None
    effective_until: datetime | None
    activated_at: datetime | None
    ended_at: datetime | None
    successor_version: str | None
    reason: str | None


class VersionDetailOut(VersionOut):
    """A version by itself. `activation_blocker`: what keeps an approved one from coming into force; None: nothing
    does."""

    activation_blocker: str | None


class ApprovalResultOut(ApiModel):
    """What an approval came to: the version, where it was the last one needed; else what is still missing."""

    version: VersionOut | None
    missing: tuple[str, ...]


class VersionRetirementIn(ApiRequest):
    """Why a version goes, and the version of the contract to use in its place."""

    reason: Reason
    successor_version: Name | None = None


class ContractDifferenceOut(ApiModel):
    """One difference: what it is of, from what (`old`) to what (`new`), and the direction that it goes.

    `presence`: it promises of data only that a column is there; data without it, read as nulls, keep it."""

    section: DifferenceSection
    kind: DifferenceKind
    element: str
    direction: Direction
    sentence: str
    path: str
    object: str | None
    column: str | None
    check: str | None
    old: str | None
    new: str | None
    presence: bool


class CompatibilityModeOut(ApiModel):
    """The mode that a part is under, as a sentence, and whether the new version keeps it."""

    section: DifferenceSection
    mode: Mode
    sentence: str
    meaning: str
    is_kept: bool


class CompatibilityBreachOut(ApiModel):
    """A difference from a live version that breaks a mode."""

    version: str
    mode: Mode
    difference: ContractDifferenceOut


class DiffOut(ApiModel):
    """What differs from one version to another; `old` None: there is none before.

    `bump`: the size of the change, of the structure and of the guarantees apart, too. `suggested_version` is the free
    number that says so, `is_bump_sufficient` whether the new version's own number says at least that. `undetermined`:
    how many changes an owner must say the meaning of; they count as major."""

    contract_id: str
    old: str | None
    new: str
    differences: tuple[ContractDifferenceOut, ...]
    bump: Bump
    structure: Bump
    guarantees: Bump
    undetermined: int
    suggested_version: str
    is_bump_sufficient: bool
    modes: tuple[CompatibilityModeOut, ...]
    breaches: tuple[CompatibilityBreachOut, ...]
