"""A fit as a refit keeps it."""

from datetime import UTC, datetime
from typing import Any

from treaty.registry.core import ids
from treaty.registry.core.enums import FitReason
from treaty.registry.tables import FitRow

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)


def fit(contract_id: str, check_id: str, **more: Any) -> FitRow:
    """A fit of a check of the contract's orders."""
    told: dict[str, Any] = {
        "contract_id": contract_id, "check_id": check_id, "object": "orders", "version": "1.0.0", "clause": "c",
        "name": "f1", "lower": 1010.0, "upper": 1500.0, "points": 30, "first": "day=1", "last": "day=30",
        "without": [], "states_version": 3, "training": "t", "judged": 16, "alarms": [], "admitted": True,
        "reason": FitReason.NIGHTLY, "created": NOON,
    }  # fmt: skip
    return FitRow(id=ids.new(), **(told | more))
