"""What is kept of a gated table: the contract that it keeps, and the store of its states."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from treaty.contracts.document.model import Contract
from treaty.engine.anomaly.fits import refittable_clauses
from treaty.engine.protocol.requests import TableSource
from treaty.engine.states.generations import GenerationStore


@dataclass(frozen=True, kw_only=True)
class GatedContract:
    """A contract, the object of it that the table is, its partition columns, and where its states lie.

    `store` None: the folder beside the table. `datasets`: where the datasets are that its checks need. `location`:
    where the table lies as who keeps this knows it; None where nobody does. `key_context`: what the key of its states
    is made of beside the key file; None: of its place. `excluded_partitions`: partitions that belong to an incident,
    from which nothing is learned."""

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
        """The further arguments of `treaty.engine.gate.gate.gate`."""
        told = {"object_name": self.object, "partition_by": self.partition_by, "others": self.datasets}
        return {**told, "keyed": self.key_context, "spoilt": self.excluded_partitions}

    @property
    def limits(self) -> str:
        """In words by which limits clauses of programs judge, and what they learn nothing from; '' without such."""
        clauses = refittable_clauses(self.contract.object(self.object))
        later = sum(each.fit is not None for each in clauses.values())
        told = [f"limits of programs: {later} of {len(clauses)} as they were learned later"] if clauses else []
        told += (
            [f"left out: {len(self.excluded_partitions)} partition(s) of incidents"] if self.excluded_partitions else []
        )
        return "; ".join(told)
