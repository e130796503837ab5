"""Faults of a contract document: values that say what, where and what to do; one exception carries them all."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches

ROOT = "document"
# Nobody reads more; a hostile document could hold a fault in every other byte.
MAX_FAULTS = 200


@dataclass(frozen=True, kw_only=True)
class Fault:
    """One thing wrong with a document. Never holds a data value or a secret."""

    code: str
    where: str
    message: str
    remedy: str = ""
    line: int | None = None

    def __str__(self) -> str:
        place = f"line {self.line}, {self.where}" if self.line else self.where
        return f"{self.code} at {place}: {self.message}" + (f" ({self.remedy})" if self.remedy else "")


class ContractError(Exception):
    """The contract document has faults: the first MAX_FAULTS of them, in the order of its lines."""

    def __init__(self, faults: Iterable[Fault]) -> None:
        unique = dict.fromkeys(faults)
        ordered = sorted(unique, key=lambda fault: (fault.line or 0, fault.where, fault.code))
        self.faults = tuple(ordered[:MAX_FAULTS])
        super().__init__("\n".join(str(fault) for fault in self.faults))

    def __reduce__(self) -> tuple[type["ContractError"], tuple[tuple[Fault, ...]]]:
        """Travels between processes with its faults."""
        return type(self), (self.faults,)


@dataclass
class Faults:
    """The faults found so far in one document; `lines` says where each of its paths stands."""

    lines: Mapping[str, int] = field(default_factory=dict)
    items: list[Fault] = field(default_factory=list)

    def add(self, code: str, where: str, message: str, remedy: str = "") -> None:
        """Keeps a fault, with the line of `where` or of its nearest ancestor that has one."""
        self.items.append(Fault(code=code, where=where or ROOT, message=message, remedy=remedy, line=self.line(where)))

    @property
    def full(self) -> bool:
        """Whether so many faults are kept that there is no point in looking for more."""
        return len(self.items) >= MAX_FAULTS

    def line(self, path: str) -> int | None:
        """The line of the path or of its nearest ancestor; None for a document without lines."""
        while path and path not in self.lines:
            path = path[: max(path.rfind("."), path.rfind("["), 0)]
        return self.lines.get(path)

    def settle(self) -> None:
        """Raises ContractError where a fault was kept."""
        if self.items:
            raise ContractError(self.items)


def suggest_nearest(name: str, known: Iterable[str]) -> str:
    """A remedy naming the known name nearest to `name`: 'did you mean ...?'; '' where none is near."""
    close = get_close_matches(name, list(known), n=1, cutoff=0.6)
    return f"did you mean '{close[0]}'?" if close else ""
