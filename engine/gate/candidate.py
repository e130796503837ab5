"""Represent a candidate for a gated table, and its rejection."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from treaty.contracts.document.classification import ALONE, classification_document
from treaty.contracts.document.model import Contract
from treaty.engine.core import clock
from treaty.engine.core.disk import Disk
from treaty.engine.core.hash_key import HashKey
from treaty.engine.core.results import ADMITTED, AMISS, ExactValue, MetricKey, RunResult, Verdict, gate_verdict
from treaty.engine.gate.parquet_folders import PublicationMethod
from treaty.engine.gate.table_kinds import GatedTable, publication, types_of
from treaty.engine.protocol.gate_requests import GateTables, TableKind
from treaty.engine.protocol.requests import MeasureRequest, MeasureResult, TableSource
from treaty.engine.protocol.row_requests import ExactRequest
from treaty.engine.states.generations import GenerationStore

Partition = Mapping[str, str | None]


def no_exact_values(request: ExactRequest) -> Mapping[MetricKey, ExactValue]:
    """Return no exact values, where no Spark computes them."""
    return {}


class CandidateRejected(Exception):
    """The candidate violates the contract or could not be evaluated; nothing was changed.

    `run`: the run with the reasons. `folder`: folder of the rejected candidate; None if it was discarded."""

    def __init__(self, run: RunResult, folder: str | None = None) -> None:
        self.run = run
        self.folder = folder
        failed = sum(each.outcome in AMISS for each in run.results)
        super().__init__(f"the candidate was not published: {run.verdict.value}, {failed} check(s) not passed")


@dataclass(frozen=True, kw_only=True)
class TableGate:
    """The gate of a table whose folder is on this machine.

    - `table`: the table's folder.
    - `kind`, `name`: its kind and its name in Spark.
    - `tables`: access to tables of Delta and of the catalog.
    - `measure`: computes states for a MeasureRequest.
    - `exact`: computes uncertain checks exactly; without it they stay uncertain.
    - `stage`: writes rows to a folder, partitioned like the table.
    - `admitted`: verdicts that publish.
    - `keep`: whether a rejected candidate is kept.
    - `datasets`: other datasets that checks read.
    - `key`: hashes values of classified columns.
    - `excluded_partitions`: partitions of an incident, from which nothing is learned."""

    table: str
    contract: Contract
    object: str
    partition_by: tuple[str, ...]
    store: GenerationStore
    measure: Callable[[MeasureRequest], MeasureResult]
    stage: Callable[[Any, str, Partition], None]
    exact: Callable[[ExactRequest], Mapping[MetricKey, ExactValue]] = no_exact_values
    admitted: frozenset[Verdict] = ADMITTED
    keep: bool = False
    datasets: Mapping[str, TableSource] = field(default_factory=dict)
    disk: Disk = field(default_factory=Disk)
    now: Callable[[], datetime] = clock.now
    kind: TableKind = TableKind.FOLDER
    name: str = ""
    tables: GateTables | None = None
    key: HashKey | None = None
    excluded_partitions: frozenset[str] = frozenset()

    @property
    def site(self) -> GatedTable:
        """Return the table's kind, name, folder and partition types."""
        types = types_of(self.contract.object(self.object))
        return GatedTable(self.kind, self.name or self.table, self.table, types)

    @property
    def source(self) -> TableSource:
        """Return the table as a source to measure."""
        return self.site.source(self.partition_by)

    def publication(self, stage: str) -> PublicationMethod:
        """Return the publication method for files staged in that folder."""
        return publication(self.site, self.partition_by, stage, self.disk, self.tables, {})

    def verdict(self, run: RunResult) -> Verdict:
        """Return the verdict that decides on the candidate: uncertain checks count by the contract's terms."""
        return gate_verdict(run.results, self.contract.terms.on_uncertain)

    def measured(
        self, here: TableSource, stored_fingerprints: Mapping[str, str], *, with_others: bool = False
    ) -> MeasureResult:
        """Measure the partitions of a source, except those whose fingerprint is already known.

        `with_others`: whole-table scans include the table's other partitions."""
        return self.measure(self.request(here, stored_fingerprints, with_others=with_others))

    def request(
        self, here: TableSource, stored_fingerprints: Mapping[str, str], *, with_others: bool = False
    ) -> MeasureRequest:
        """Return the request to measure the partitions of a source, as in `measured`."""
        classifying = tuple(
            (classification_document(each), ALONE["id"])
            for each in self.contract.object(self.object).classifying_objects
        )
        request = MeasureRequest(
            source=here,
            contract=self.contract.source,
            object=self.object,
            stored_fingerprints=stored_fingerprints,
            datasets=self.datasets,
            reference_limits=True,
            key=self.key,
            classifying=classifying,
        )
        return replace(request, target_table=self.source) if with_others else request


class GateCandidate:
    """A candidate for the table; after the block, `run` has its evaluation."""

    def __init__(self, gate: TableGate, folder: str) -> None:
        self.gate = gate
        self.folder = folder
        self.run: RunResult | None = None

    def write(self, rows: Any, partition: Partition | None = None) -> None:
        """Stage rows (a Spark frame); each partition they belong to will replace the table's entirely.

        `partition`: values of partition columns; the others are columns of the frame; None means all are. A fully
        named partition is replaced even by zero rows. Several writes in one block add up. Raises EngineError if rows
        belong to a partition other than the named one, or cannot be written."""
        self.gate.stage(rows, self.folder, partition or {})
