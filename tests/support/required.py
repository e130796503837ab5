"""Optional parts of the suite: skipped with their reason where they are absent, failed where they are required."""

import os
from pathlib import Path

import pytest


def require(name: str, *, available: bool, reason: str) -> None:
    """Skips the test when `name` is not available; fails it when TREATY_REQUIRE lists that name."""
    if available:
        return
    if name in os.environ.get("TREATY_REQUIRE", "").split(","):
        pytest.fail(f"{name} is required here, but {reason}")
    pytest.skip(reason)


def shared(*parts: str) -> Path:
    """A path beneath TREATY_SHARED; skips (or fails, where `shared` is required) when it is not there."""
    root = os.environ.get("TREATY_SHARED", "")
    path = Path(root, *parts)
    require("shared", available=bool(root) and path.exists(), reason=f"TREATY_SHARED has no {'/'.join(parts)}")
    return path
