"""The states of a micro-batch: its frame read as any other, within the query that hands it over."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from treaty.contracts.document.computed_partitions import partition_columns
from treaty.contracts.document.model import DataObject
from treaty.engine.checks.binding import bind
from treaty.engine.checks.bound_check import BoundChecks
from treaty.engine.core.hash_key import HashKey
from treaty.engine.spark.scan.scanner import scan
from treaty.engine.spark.sources.readers import schema_of
from treaty.engine.states.bag import StateBag


@dataclass(frozen=True)
class BatchReading:
    """What was read of a batch: the checks on its schema, and the states of each partition that has rows in it."""

    checks: BoundChecks
    states: Mapping[str, StateBag]

    @property
    def lasting(self) -> dict[str, StateBag]:
        """The states that can be put together with those of other rows."""
        apart = frozenset(part.key for part in self.checks.plan.separate)
        return {name: bag.only(frozenset(bag.entries) - apart) for name, bag in self.states.items()}


def arrived(
    data_object: DataObject, partition_by: Sequence[str] | None, key: HashKey | None, rows: Any
) -> BatchReading:
    """The states of the rows by partition; none of a partition without rows. `partition_by` None: the partition columns
    that the contract names, where the rows have them. `key`: what classified values are hashed with. Raises
    ContractError and Unreadable."""
    checks = bind(data_object, schema_of(rows))
    known = partition_columns(data_object, partition_by, checks.schema)
    return BatchReading(checks, scan(rows, replace(checks.plan, key=key), partition_by=known))
