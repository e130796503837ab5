"""A candidate for a gated table: what it is staged with, and how it is refused."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from treaty.contracts.document.classification import ALONE, classification_document
from treaty.contracts.document.model import Contract
from treaty.engine.core import clock
from treaty.engine.core.disk import Disk
from treaty.engine.core.hash_key import HashKey
from treaty.engine.core.results import RunResult, Verdict
from treaty.engine.gate.parquet_folders import PublicationMethod
from treaty.engine.gate.table_kinds import GatedTable, publication, types_of
from treaty.engine.protocol.gate_requests import GateTables, TableKind
from treaty.engine.protocol.requests import MeasureRequest, MeasureResult, TableSource
from treaty.engine.states.generations import GenerationStore

ADMITTED = frozenset({Verdict.PASSED, Verdict.WARNED})
Partition = Mapping[str, str | None]


class CandidateRejected(Exception):
    """The contract is not kept with the candidate in place, or cannot be judged; nothing was changed.

    `run` says why, `kept` is the folder of the candidate where it was to be kept."""

    def __init__(self, run: RunResult, kept: str | None = None) -> None:
        self.run = run
        self.kept = kept
        failed = sum(each.outcome in ("failed", "not_evaluated") for each in run.results)
        super().__init__(f"the candidate was not published: {run.verdict.value}, {failed} check(s) not passed")


@dataclass(frozen=True, kw_only=True)
class TableGate:
    """The gate of a table whose folder is on this machine: where all of it lies, and what measures and stages.

    `table` is the folder; `kind` and `name` say what it is and what Spark calls it, `tables` what looks at it there.
    `measure` answers a MeasureRequest; `stage` writes given rows below a folder, partitioned as the table is.
    `admitted`: the verdicts that publish. `keep` keeps a rejected candidate. `datasets` are read by checks that need
    other datasets. `key`: what values of classified columns are hashed with. `excluded_partitions`: partitions that
    belong to an incident, from which nothing is learned."""

    table: str
    contract: Contract
    object: str
    partition_by: tuple[str, ...]
    store: GenerationStore
    measure: Callable[[MeasureRequest], MeasureResult]
    stage: Callable[[Any, str, Partition], None]
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
        """What the table is."""
        types = types_of(self.contract.object(self.object))
        return GatedTable(self.kind, self.name or self.table, self.table, types)

    @property
    def source(self) -> TableSource:
        """The table as what is measured."""
        return self.site.source(self.partition_by)

    def publication(self, stage: str) -> PublicationMethod:
        """How the table takes what lies in that folder."""
        return publication(self.site, self.partition_by, stage, self.disk, self.tables, {})

    def measured(self, here: TableSource, known: Mapping[str, str], *, beside: bool = False) -> MeasureResult:
        """The states of the partitions of what lies there, without those known; `beside` the table's others."""
        classifying = tuple(
            (classification_document(each), ALONE["id"])
            for each in self.contract.object(self.object).classifying_objects
        )
        request = MeasureRequest(
            source=here,
            contract=self.contract.source,
            object=self.object,
            stored_fingerprints=known,
            datasets=self.datasets,
            reference_limits=True,
            key=self.key,
            classifying=classifying,
        )
        return self.measure(replace(request, target_table=self.source) if beside else request)


class GateCandidate:
    """What shall become part of the table. After the block, `run` is how it was judged."""

    def __init__(self, gate: TableGate, folder: str) -> None:
        self.gate = gate
        self.folder = folder
        self.run: RunResult | None = None

    def write(self, rows: Any, partition: Partition | None = None) -> None:
        """Stages rows, a Spark frame. Each partition that they belong to will replace the table's own as a whole.

        `partition` names values of partition columns; the others, all where it is None, are columns of the frame. A
        partition that is named in full is replaced even by no rows. What is written in one block adds up. Raises
        EngineError where rows belong to another partition than is named, or cannot be written."""
        self.gate.stage(rows, self.folder, partition or {})
