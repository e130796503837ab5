"""Cases of segments: how many there are, and the metric of each in the details."""

from typing import Any

from support.analyzer_table import Case

from treaty.engine.analyzers.segments import Segments


def told(**found: tuple[int, float | None]) -> dict[str, Any]:
    """The details of segments, each with its rows and its value, by the column `open`."""
    return {
        "segments": {f"open={name}": {"rows": n, "value": value} for name, (n, value) in found.items()},
        "others": 0,
    }


def sizes(column: str, **found: int) -> dict[str, Any]:
    """The details of segments of that many rows."""
    return {"segments": {f"{column}={name}": {"rows": n, "value": n} for name, n in found.items()}, "others": 0}


STATUS = {"new": 2, "back\\slash": 1, "o'neil": 1, "paid": 1}

CASES = [
    Case(Segments(by=("status",)), 4, counted=6, details=sizes("status", **STATUS)),
    Case(Segments(by=("status", "open")), 5),
    Case(Segments(by=("nested.name",)), 3, details=sizes("nested.name", x=2, y=1, z=1)),
    Case(Segments(by=("none",)), 0, details=sizes("none")),
    Case(Segments(by=("status",), where="id > 99"), 0, counted=0, details=sizes("status")),
    Case(Segments(by=("open",), metric="mean", column="id"), 2, details=told(true=(4, 3.75), false=(1, 2.0))),
    Case(Segments(by=("open",), metric="mean", column="small"), 2, details=told(true=(4, -2 / 3), false=(1, 2.0))),
    Case(Segments(by=("open",), metric="mean", column="wild"), 2, details=told(true=(4, None), false=(1, None))),
    Case(
        Segments(by=("open",), metric="completeness", column="price"), 2, details=told(true=(4, 0.75), false=(1, 1.0))
    ),
]
