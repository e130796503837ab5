"""Ways to tamper with an audit: what each does to its entries, where that shows first, and how it is told."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from treaty.registry.audit import hash_chain
from treaty.registry.audit.hash_chain import BEGINNING, CHANGED, CUT_OFF, LOOSE, MISSING, REPLACED

Entry = dict[str, Any]
LENGTH = 8
START = datetime(2026, 3, 1, 12, 0, 0, 5, tzinfo=UTC)
FORGED: dict[str, Any] = {
    "time": "2020-01-01T00:00:00+00:00",
    "actor": "eve",
    "action": "user:changed",
    "object_type": "proposal",
    "object_id": "another",
    "details": {"name": "other", "roles": []},
    "previous_hash": "f" * 64,
    "hash": "e" * 64,
}
# Written by the first release: what was sealed then must be sealed so for ever.
OLDEST: dict[str, Any] = {
    "position": 1, "time": "2026-03-01T12:00:00.000005+00:00", "actor": "ada", "action": "user:created",
    "object_type": "user", "object_id": "a", "details": {"name": "a", "roles": ["ä"], "share": 0.1},
    "previous_hash": BEGINNING,
    "hash": "f7c26fa34f77106b2ad9fb15f54eee65ff3f85adfc1d170710d8f9aa4203b211",
}  # fmt: skip


@dataclass(frozen=True)
class Case:
    """A change of the audit, the first position that it shows at, and the words for it."""

    name: str
    change: Callable[[list[Entry]], list[Entry]]
    broken_at: int
    fault: str

    def __str__(self) -> str:
        return self.name


def entries(length: int = LENGTH) -> list[Entry]:
    """An audit as it is written."""
    return linked(
        {
            "position": 0, "time": (START + timedelta(minutes=number)).isoformat(), "actor": "ada",
            "action": "user:created", "object_type": "user", "object_id": f"{number}",
            "details": {"name": f"ä{number}", "share": 0.1 * number, "roles": ["owner"]},
            "previous_hash": "", "hash": "",
        }
        for number in range(1, length + 1)
    )  # fmt: skip


def linked(contents: Iterator[Entry] | Sequence[Entry]) -> list[Entry]:
    """The entries in a row, with the positions and hashes that they would have if they had been written so."""
    made: list[Entry] = []
    for position, each in enumerate(contents, 1):
        entry = {**each, "position": position, "previous_hash": made[-1]["hash"] if made else BEGINNING}
        made.append({**entry, "hash": hash_chain.seal(entry)})
    return made


def resealed(entry: Entry) -> Entry:
    """The entry with the hash that it should have."""
    return {**entry, "hash": hash_chain.seal(entry)}


def renumbered(found: Sequence[Entry]) -> list[Entry]:
    """The entries with positions that have no gap."""
    return [{**each, "position": position} for position, each in enumerate(found, 1)]


def _edited(position: int, **change: Any) -> Callable[[list[Entry]], list[Entry]]:
    return lambda found: [{**each, **change} if each["position"] == position else each for each in found]


def _edits() -> Iterator[Case]:
    for position in range(1, LENGTH + 1):
        for field, value in FORGED.items():
            yield Case(f"{field} of {position} edited", _edited(position, **{field: value}), position, CHANGED)


def _edits_that_are_sealed_again() -> Iterator[Case]:
    for position in range(1, LENGTH + 1):
        last = position == LENGTH

        def change(found: list[Entry], at: int = position) -> list[Entry]:
            return [resealed({**each, "actor": "eve"}) if each["position"] == at else each for each in found]

        yield Case(
            f"{position} edited and sealed again", change, LENGTH if last else position + 1, REPLACED if last else LOOSE
        )


def _deletions() -> Iterator[Case]:
    for position in range(1, LENGTH):

        def gap(found: list[Entry], at: int = position) -> list[Entry]:
            return [each for each in found if each["position"] != at]

        def closed(found: list[Entry], at: int = position) -> list[Entry]:
            return renumbered([each for each in found if each["position"] != at])

        yield Case(f"{position} deleted", gap, position, MISSING)
        yield Case(f"{position} deleted and the gap closed", closed, position, CHANGED)


def _truncations() -> Iterator[Case]:
    for left in range(LENGTH):
        yield Case(f"cut off behind {left}", lambda found, left=left: found[:left], left + 1, CUT_OFF)

        def replaced(found: list[Entry], left: int = left) -> list[Entry]:
            return linked([*found[:left], *({**each, "actor": "eve"} for each in found[left:])])

        yield Case(f"written anew from {left + 1}", replaced, LENGTH, REPLACED)


def _moves() -> Iterator[Case]:
    for position in range(1, LENGTH):

        def swapped(found: list[Entry], at: int = position) -> list[Entry]:
            return renumbered([*found[: at - 1], found[at], found[at - 1], *found[at + 1 :]])

        def inserted(found: list[Entry], at: int = position) -> list[Entry]:
            forged = resealed({**found[at], "position": at + 1, "previous_hash": found[at - 1]["hash"], "actor": "eve"})
            return renumbered([*found[:at], forged, *found[at:]])

        yield Case(f"{position} and {position + 1} exchanged", swapped, position, CHANGED)
        if position + 1 < LENGTH:
            yield Case(f"one forged behind {position}", inserted, position + 2, CHANGED)


CASES = (
    *_edits(), *_edits_that_are_sealed_again(), *_deletions(), *_truncations(), *_moves(),
)  # fmt: skip
