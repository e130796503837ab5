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
        "name": "f1", "lower": 1010.0, "upper": 1500.0, "points": 30, "first_partition": "day=1",
        "last_partition": "day=30", "excluded_partitions": [], "states_version": 3, "training_fingerprint": "t",
        "backtest_points": 16, "backtest_alarms": [], "is_active": True, "reason": FitReason.NIGHTLY,
        "created_at": NOON,
    }  # fmt: skip
    return FitRow(id=ids.new(), **(told | more))
