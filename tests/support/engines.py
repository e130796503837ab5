"""An engine without Spark: tables are texts by partition, a state is the text itself, and 'bad' texts fail."""

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from treaty.contracts.document.model import Contract, DataObject
from treaty.contracts.schema import Column, Schema
from treaty.engine.components.frequencies import FrequencySpectrum
from treaty.engine.core.errors import UnreadableTable
from treaty.engine.core.hash_key import HashKey
from treaty.engine.core.results import CheckResult, Measurement, MetricKey, Outcome, RunResult, Value, ViolationSample
from treaty.engine.evaluation.request import EvaluationRequest
from treaty.engine.protocol.progress import ReportProgress, no_progress
from treaty.engine.protocol.requests import (
    DraftRequest,
    DraftResult,
    LakeRequest,
    MeasureRequest,
    MeasureResult,
    SpectraRequest,
)
from treaty.engine.protocol.row_requests import ExactRequest, SampleRequest
from treaty.engine.protocol.write_hints import DetectionMethod, TableVersion

SCHEMA = Schema((Column("id", "bigint"), Column("amount", "double")))


def marker(text: str) -> str:
    """The fingerprint of a partition with that content."""
    return hashlib.sha256(text.encode()).hexdigest()


@dataclass
class FakeEngine:
    """Answers from `tables` (location -> partition -> text), which have these `columns`. `errors` are raised first, one
    a request.

    `meanwhile` is called during each measurement: what happens while Spark works. `at`, `pinned`, `behind`: as what was
    measured has them."""

    tables: dict[str, dict[str, str]] = field(default_factory=dict)
    errors: list[BaseException] = field(default_factory=list)
    requests: list[MeasureRequest | DraftRequest | LakeRequest | SampleRequest | ExactRequest] = field(
        default_factory=list
    )
    drafted: DraftResult | None = None
    samples: tuple[ViolationSample, ...] = ()
    exact: Mapping[MetricKey, Value] = field(default_factory=dict)
    at: TableVersion | None = None
    pinned: bool = True
    behind: bool = False
    columns: tuple[tuple[str, str], ...] = tuple((each.name, each.type) for each in SCHEMA)
    meanwhile: Callable[[], None] = lambda: None
    closed: bool = False
    cancelled: int = 0

    def measure(self, request: MeasureRequest) -> MeasureResult:
        """The states of the partitions whose text differs from the known one."""
        self._asked(request)
        table = self.tables.get(request.source.location)
        if table is None:
            raise UnreadableTable("the table is not there")
        now = {partition: marker(text) for partition, text in table.items()}
        due = [
            name
            for name in sorted(now)
            if request.stored_fingerprints.get(name) != now[name] or name in request.stored_keys
        ]
        taken = due[: request.portion]
        changed = {name: table[name].encode() for name in taken if request.stored_fingerprints.get(name) != now[name]}
        added = {name: table[name].encode() for name in taken if name not in changed}
        vanished = tuple(sorted(request.stored_fingerprints.keys() - now.keys()))
        left = len(due) - len(taken)
        schema = SCHEMA if changed or added else Schema(())
        columns = self.columns if request.columns and not schema.columns else ()
        return MeasureResult(
            schema=schema, fingerprints=now, states=changed, vanished=vanished, added=added, remaining=left,
            method=DetectionMethod.FINGERPRINTS, table_version=self.at, pinned=self.pinned,
            is_outdated=self.behind, columns=columns,
        )  # fmt: skip

    def draft(self, request: DraftRequest, tell: ReportProgress = no_progress) -> DraftResult:
        """The draft that the test prepared; of its progress one word is told."""
        tell("first scan")
        self._asked(request)
        assert self.drafted is not None
        return self.drafted

    def learn(self, request: LakeRequest, tell: ReportProgress = no_progress) -> Mapping[str, Any]:
        """Says how many tables were asked of."""
        self._asked(request)
        return {"tables": len(request.tables)}

    def sample(self, request: SampleRequest) -> tuple[ViolationSample, ...]:
        """The samples that the test prepared."""
        self._asked(request)
        return self.samples

    def exact_values(self, request: ExactRequest) -> Mapping[MetricKey, Value]:
        """The exact values that the test prepared."""
        self._asked(request)
        return self.exact

    def spectra(self, request: SpectraRequest) -> dict[str, FrequencySpectrum]:
        """One value that occurs as often as there are files, whatever lies in them."""
        return {key: FrequencySpectrum({len(names): 1}, {len(names): 1}, key) for key, names in request.files.items()}

    def cancel(self) -> None:
        """Counts how often it was told to stop."""
        self.cancelled += 1

    def close(self) -> None:
        self.closed = True

    def _asked(self, request: MeasureRequest | DraftRequest | LakeRequest | SampleRequest | ExactRequest) -> None:
        self.requests.append(request)
        self.meanwhile()
        if self.errors:
            raise self.errors.pop(0)


def lacking(
    contract: Contract,
    object_name: str,
    stored: Mapping[str, bytes],
    *,
    key: HashKey | None,
    afresh: bool,
    also: Sequence[DataObject],
) -> dict[str, frozenset[str]]:
    """States answer unless their text says that they are old: then none of them can be used."""
    return {name: frozenset() for name, packed in stored.items() if packed == b"old"}


def large(
    contract: Contract, object_name: str, schema: Schema, states: Mapping[str, bytes]
) -> Mapping[str, tuple[str, ...]]:
    """Nothing is."""
    return {}


def judge(request: EvaluationRequest) -> RunResult:
    """A run with one result for each new partition (failed where its text says 'bad') and one for the whole."""
    assert request.schema is not None
    assert request.schema.names == SCHEMA.names
    states: Mapping[str, Any] = request.states
    size = sum(map(len, states.values()))
    return RunResult(
        contract_id=request.contract.id,
        contract_version=request.contract.version,
        contract_fingerprint=request.contract.fingerprint,
        object=request.object_name,
        partitions=tuple(request.delta),
        rows=sum(len(states[each]) for each in request.delta),
        started_at=request.started_at,
        finished_at=request.finished_at,
        results=(
            *(_result(each, b"bad" in states[each]) for each in request.delta),
            _result(None, failed=False, value=size),
        ),
        measurements=tuple(_measurement(each, len(states[each])) for each in request.delta),
    )


def _result(partition: str | None, failed: bool, value: Any = None) -> CheckResult:
    return CheckResult(
        check_id="good",
        name="good data",
        outcome=Outcome.FAILED if failed else Outcome.PASSED,
        severity="error",
        scope="delta" if partition else "dataset",
        partition=partition,
        sentence="data must be good",
        value=value,
        measurement="size",
    )


def _measurement(partition: str, value: int) -> Measurement:
    return Measurement(analyzer="size", arguments={}, partition=partition, value=value, identity="size")
