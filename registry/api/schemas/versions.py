"""Versions of a contract, as the API takes and gives what becomes of them."""

from datetime import datetime
from uuid import UUID

from registry.api.schemas.base import Name, Reason, Request, Schema
from registry.words import VersionState


class VersionOut(Schema):
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
    successor: str | None
    reason: str | None


class VersionDetail(VersionOut):
    """A version by itself. `held`: what keeps an approved one from coming into force; None: nothing does."""

    held: str | None


class ApprovedOut(Schema):
    """What an approval came to: the version, where it was the last one needed; else what is still missing."""

    version: VersionOut | None
    missing: tuple[str, ...]


class FarewellIn(Request):
    """Why a version goes, and the version of the contract to use in its place."""

    reason: Reason
    successor: Name | None = None
