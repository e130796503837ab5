"""Which stored frequencies are too many to be added up in this process: Spark adds them up from their files."""

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
    """By component key, the files of frequencies that hold more than `most` values together, and that checks of scope
    dataset need. Only of states that every partition has. Raises StateError for bags that are damaged, and for such
    files that are gone or damaged: Spark would not notice that one is other than it was."""
    checks = bind(contract.object(object_name), schema).checks
    parts = [
        part for check in checks if check.scope == "dataset" and check.bound for part in check.bound.parts.values()
    ]
    wanted = {part.key for part in parts if part.component.kind == FREQUENCIES}
    named = _named(wanted, states) if wanted else {}
    found = {key: names for key, names in named.items() if files.rows(names) > most}
    files.check({name for names in found.values() for name in names})
    return found


def _named(wanted: set[str], states: Mapping[str, bytes]) -> dict[str, tuple[str, ...]]:
    """The files of each of these states; a state that some partition lacks or has within its bag is left out, and one
    whose values were not hashed with one key."""
    lying = [{each.described.key: each for each in open_bag(packed).states} for packed in states.values()]
    found = {key: [each[key] for each in lying if key in each] for key in wanted}
    alike = {key: some for key, some in found.items() if len(some) == len(lying) and _are_alike(some)}
    # A state without rows has no file.
    return {key: tuple(each.file for each in some if each.file) for key, some in alike.items()}


def _are_alike(lying: list[PackedState]) -> bool:
    return len({each.key_id for each in lying}) == 1 and not any(each.content for each in lying)
