"""Snapshots of a column as others hold them."""

from collections.abc import Callable
from typing import Any


class Held:
    """A snapshot that keeps what was told of it."""

    def __init__(self, values: Any) -> None:
        self.v, self.date, self.kept = values, None, dict[str, Any]()

    def stat(self, name: str, told: Callable[[Any], Any]) -> Any:
        if name not in self.kept:
            self.kept[name] = told(self)
        return self.kept[name]
