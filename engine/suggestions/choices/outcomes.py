"""The outcome of one option of a draft on the table's own history."""

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, kw_only=True)
class ChoiceOutcome:
    """An option with what it would have learned, and where that would have alarmed.

    - `option`: name of the option. `value`: its value; None means the default.
    - `chosen`: whether the draft was made with it.
    - `checks`: number of checks.
    - `evaluated`: number of partitions that were evaluated with what earlier ones taught.
    - `alarmed_on`: those that would have alarmed, oldest first.
    - `catches`: share of injected issues that the checks catch; None if none was injected."""

    option: str
    value: Any
    chosen: bool
    checks: int
    evaluated: int
    alarmed_on: tuple[str, ...]
    catches: float | None = None
