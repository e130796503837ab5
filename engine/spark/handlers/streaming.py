"""Compute the states of a micro-batch within its streaming query."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from treaty.contracts.document.computed_partitions import partition_columns
from treaty.contracts.document.model import DataObject
from treaty.engine.checks.binding import bind
from treaty.engine.checks.bound_check import BoundChecks
from treaty.engine.core.hash_key import HashKey
from treaty.engine.core.results import ExactValue, MetricKey
from treaty.engine.evaluation.exact_evaluation import UncertainChecks
from treaty.engine.spark.scan import exact_metrics
from treaty.engine.spark.scan.scanner import scan
from treaty.engine.spark.sources.readers import schema_of
from treaty.engine.states.bag import StateBag


@dataclass(frozen=True)
class BatchReading:
    """The checks bound to a batch's schema, and the states of its partitions.

    `rows`, `partition_by`: the batch's frame and its partition columns."""

    checks: BoundChecks
    states: Mapping[str, StateBag]
    rows: Any
    partition_by: tuple[str, ...] = ()

    @property
    def lasting(self) -> dict[str, StateBag]:
        """Return the states that can be merged with those of other rows."""
        separate = frozenset(part.key for part in self.checks.plan.separate)
        return {name: bag.only(frozenset(bag.entries) - separate) for name, bag in self.states.items()}

    def exact_values(self, uncertain: UncertainChecks) -> dict[MetricKey, ExactValue]:
        """Compute uncertain checks of the batch exactly; those that cover earlier batches are left out.

        Raises UnreadableTable."""
        of_batch = {check_id: [name for name in names if name is not None] for check_id, names in uncertain.items()}
        return exact_metrics.exact_values(self.rows, self.checks, of_batch, self.partition_by)


def arrived(
    data_object: DataObject, partition_by: Sequence[str] | None, key: HashKey | None, rows: Any
) -> BatchReading:
    """Compute the states of the rows by partition; partitions without rows have none.

    `partition_by`: partition columns; None means those of the contract that the rows have. `key`: key that hashes
    classified values. Raises ContractError and UnreadableTable."""
    checks = bind(data_object, schema_of(rows))
    by = partition_columns(data_object, partition_by, checks.schema)
    return BatchReading(checks, scan(rows, replace(checks.plan, key=key), partition_by=by), rows, tuple(by))
