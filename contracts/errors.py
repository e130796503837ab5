"""Faults of a contract document: problem, location and remedy; one exception carries all."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches

ROOT = "document"
# Readers need no more, and a hostile document could have a fault in every other byte.
MAX_FAULTS = 200
# Comparing names takes time proportional to the product of their lengths.
MAX_NAME = 200


@dataclass(frozen=True, kw_only=True)
class Fault:
    """A single fault of a document. Never contains a data value or a secret."""

    code: str
    where: str
    message: str
    remedy: str = ""
    line: int | None = None

    def __str__(self) -> str:
        place = f"line {self.line}, {self.where}" if self.line else self.where
        return f"{self.code} at {place}: {self.message}" + (f" ({self.remedy})" if self.remedy else "")


class ContractError(Exception):
    """A contract document has faults: the first MAX_FAULTS of them, ordered by line."""

    def __init__(self, faults: Iterable[Fault]) -> None:
        unique = dict.fromkeys(faults)
        ordered = sorted(unique, key=lambda fault: (fault.line or 0, fault.where, fault.code))
        self.faults = tuple(ordered[:MAX_FAULTS])
        super().__init__("\n".join(str(fault) for fault in self.faults))

    def __reduce__(self) -> tuple[type["ContractError"], tuple[tuple[Fault, ...]]]:
        """Pickle the error with its faults."""
        return type(self), (self.faults,)


@dataclass
class Faults:
    """The faults collected so far in one document. `lines`: the line of each path."""

    lines: Mapping[str, int] = field(default_factory=dict)
    items: list[Fault] = field(default_factory=list)

    def add(self, code: str, where: str, message: str, remedy: str = "") -> None:
        """Add a fault with the line of `where` or of its nearest ancestor."""
        self.items.append(Fault(code=code, where=where or ROOT, message=message, remedy=remedy, line=self.line(where)))

    @property
    def full(self) -> bool:
        """Return whether MAX_FAULTS is reached, so that validation can stop."""
        return len(self.items) >= MAX_FAULTS

    def line(self, path: str) -> int | None:
        """Return the line of the path or of its nearest ancestor; None if the document has no lines."""
        while path and path not in self.lines:
            path = path[: max(path.rfind("."), path.rfind("["), 0)]
        return self.lines.get(path)

    def settle(self) -> None:
        """Raise ContractError if there are faults."""
        if self.items:
            raise ContractError(self.items)


def suggest_nearest(name: str, candidates: Iterable[str]) -> str:
    """Return a remedy with the most similar known name, "did you mean ...?"; '' if none is similar."""
    if len(name) > MAX_NAME:
        return ""
    close = get_close_matches(name, [each for each in candidates if len(each) <= MAX_NAME], n=1, cutoff=0.6)
    return f"did you mean '{close[0]}'?" if close else ""
