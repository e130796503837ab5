"""The checks of a version by who judges them, as the API gives them."""

from datetime import datetime

from contracts.document import Severity
from engine.results import Runner
from registry.api.schemas.base import Schema


class EntrustedOut(Schema):
    """A check: its promise in words, who judges it, and why nobody does here (None where it is judged here).

    `about` is what its entry says of it. `signed_by`, `signed_at`: who read a text and approved the version with it,
    and when; None of what engines judge, and of a document that is no version."""

    object: str
    id: str
    column: str | None
    sentence: str
    about: str | None
    severity: Severity
    scope: str
    runner: Runner
    reason: str | None
    signed_by: str | None = None
    signed_at: datetime | None = None


class ChecksOut(Schema):
    """All checks of a version, table by table."""

    contract_id: str
    version: str
    checks: tuple[EntrustedOut, ...]
