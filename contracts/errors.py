"""Faults of a contract document: values that say what, where and what to do; one exception carries them all."""

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True)
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
    """The contract document has faults."""

    def __init__(self, faults: Iterable[Fault]) -> None:
        self.faults = tuple(sorted(faults, key=lambda fault: (fault.line or 0, fault.where, fault.code)))
        super().__init__("\n".join(str(fault) for fault in self.faults))
