"""Bundle a gated table's contract with the store of its states."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from treaty.contracts.document.model import Contract
from treaty.engine.anomaly.fits import refittable_clauses
from treaty.engine.protocol.requests import TableSource
from treaty.engine.states.generations import GenerationStore


@dataclass(frozen=True, kw_only=True)
class GatedContract:
    """A contract with the table's object, partition columns and state store.

    - `store`: None means the folder next to the table.
    - `datasets`: other datasets that checks read.
    - `location`: the table's location as registered; None means unknown.
    - `key_context`: text combined with the key file to form the hash key; None means the table's location.
    - `excluded_partitions`: partitions of an incident, from which nothing is learned."""

    contract: Contract
    object: str
    partition_by: tuple[str, ...]
    store: GenerationStore | None
    datasets: Mapping[str, TableSource] = field(default_factory=dict)
    location: str | None = None
    key_context: str | None = None
    excluded_partitions: frozenset[str] = frozenset()

    @property
    def more(self) -> dict[str, Any]:
        """Return the further arguments for `treaty.engine.gate.gate.gate`."""
        return {
            "object_name": self.object,
            "partition_by": self.partition_by,
            "other_datasets": self.datasets,
            "key_context": self.key_context,
            "excluded_partitions": self.excluded_partitions,
        }

    @property
    def limits(self) -> str:
        """Describe how many program clauses use refitted limits, and the excluded partitions; '' for neither."""
        clauses = refittable_clauses(self.contract.object(self.object))
        refitted = sum(each.fit is not None for each in clauses.values())
        notes = [f"program limits: {refitted} of {len(clauses)} refitted"] if clauses else []
        notes += (
            [f"excluded: {len(self.excluded_partitions)} partition(s) of incidents"] if self.excluded_partitions else []
        )
        return "; ".join(notes)
