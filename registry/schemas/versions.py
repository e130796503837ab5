"""Models of contract versions and their differences."""

from datetime import datetime
from uuid import UUID

from treaty.contracts.comparison.compatibility import Bump
from treaty.contracts.comparison.differences import DifferenceKind, DifferenceSection
from treaty.contracts.comparison.directions import Direction
from treaty.contracts.document.model import Mode
from treaty.registry.core.enums import VersionState
from treaty.registry.schemas.base import ApiModel, ApiRequest, EtagModel, Name, Reason


class VersionOut(EtagModel):
    """A version of a contract without its document.

    One version of each `group` is in force; its state is `active` or `deprecated`."""

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
    """A version of a contract.

    - `activation_blocker`: why an approved version is not in force yet; null if nothing prevents it."""

    unversioned = frozenset({"activation_blocker"})

    activation_blocker: str | None


class ApprovalResultOut(ApiModel):
    """The result of an approval.

    - `version`: the published version; null if the proposal needs more approvals.
    - `missing`: what the proposal still lacks."""

    version: VersionOut | None
    missing: tuple[str, ...]


class VersionRetirementIn(ApiRequest):
    """Deprecates or retires a version.

    - `successor_version`: version of the contract to use instead."""

    reason: Reason
    successor_version: Name | None = None


class ContractDifferenceOut(ApiModel):
    """A difference between two documents.

    - `element`, `path`: the changed element and its path in the document.
    - `old`, `new`: values before and after; null if absent.
    - `direction`: effect on the permitted data.
    - `presence`: the element only requires that a column exists; data without the column, read as nulls, satisfies
      it.
    - `section`: section of the contract: structure or guarantees.
    - `check`: id of the changed check; null if the change concerns no check."""

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
    """The compatibility mode of a section of the contract.

    - `is_kept`: the new version is compatible under this mode.
    - `section`: section of the contract: structure or guarantees.
    - `mode`: compatibility mode that the contract requires.
    - `meaning`: what the mode allows."""

    section: DifferenceSection
    mode: Mode
    sentence: str
    meaning: str
    is_kept: bool


class CompatibilityBreachOut(ApiModel):
    """A difference from a live version that violates a compatibility mode.

    - `mode`: the violated compatibility mode.
    - `difference`: the difference that violates it."""

    version: str
    mode: Mode
    difference: ContractDifferenceOut


class DiffOut(ApiModel):
    """The differences between two versions.

    - `old`: null if there is no previous version.
    - `bump`: size of the change. `structure`, `guarantees`: size of the change of each section.
    - `suggested_version`: the next free version number for the change.
    - `is_bump_sufficient`: the number of the new version is large enough for the change.
    - `undetermined`: number of changes whose meaning an owner must state; they count as major.
    - `new`: number of the newer version.
    - `differences`: all differences, breaking ones first.
    - `modes`: required compatibility modes, and whether they are kept.
    - `breaches`: differences that violate a required mode."""

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
