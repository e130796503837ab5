"""Find stored frequencies that are too large to merge in this process; Spark merges their files."""

from collections.abc import Mapping

from treaty.contracts.document.model import Contract
from treaty.contracts.schema import Schema
from treaty.engine.checks.binding import bind
from treaty.engine.states.envelope import PackedState, open_bag
from treaty.engine.states.state_files import StateFiles

FREQUENCIES = "frequencies"


def large(
    contract: Contract, object_name: str, schema: Schema, states: Mapping[str, bytes], *, files: StateFiles, most: int
) -> dict[str, tuple[str, ...]]:
    """Return the files of frequencies that are too large to merge, by component key.

    A key is included if a check of scope dataset needs it, its files have more than `most` values in total, and
    every partition has its state. Raises StateError for damaged bags, and for missing or damaged files, because
    Spark would not detect a modified file."""
    checks = bind(contract.object(object_name), schema).checks
    parts = [
        part for check in checks if check.scope == "dataset" and check.bound for part in check.bound.parts.values()
    ]
    keys = {part.key for part in parts if part.component.kind == FREQUENCIES}
    files_by_key = _named(keys, states) if keys else {}
    oversized = {key: names for key, names in files_by_key.items() if files.rows(names) > most}
    files.check({name for names in oversized.values() for name in names})
    return oversized


def _named(names: set[str], states: Mapping[str, bytes]) -> dict[str, tuple[str, ...]]:
    """Return the files of each state that every partition stores, hashed with one key."""
    states_by_partition = [{each.described.key: each for each in open_bag(packed).states} for packed in states.values()]
    states_by_key = {key: [each[key] for each in states_by_partition if key in each] for key in names}
    mergeable = {
        key: some for key, some in states_by_key.items() if len(some) == len(states_by_partition) and _are_alike(some)
    }
    # A state without rows has no file.
    return {key: tuple(each.file for each in some if each.file) for key, some in mergeable.items()}


def _are_alike(lying: list[PackedState]) -> bool:
    return len({each.key_id for each in lying}) == 1 and not any(each.content for each in lying)
