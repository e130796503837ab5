"""Verify a Spark frame against a contract, in the caller's own session."""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from functools import partial
from typing import Any

from treaty.contracts.document.model import Contract
from treaty.engine.anomaly.baselines import Histories
from treaty.engine.checks.dataset_limits import ReferenceValue
from treaty.engine.core import clock
from treaty.engine.core.hash_key import HashKey
from treaty.engine.core.results import RunResult, Value
from treaty.engine.evaluation.exact_evaluation import evaluate_exactly
from treaty.engine.evaluation.request import EvaluationRequest
from treaty.engine.evaluation.violation_samples import redact
from treaty.engine.states.bag import Bag


def verify(  # noqa: PLR0913
    frame: Any,
    contract: Contract,
    *,
    object_name: str | None = None,
    partition_by: Sequence[str] | None = None,
    earlier: Mapping[str, bytes] | None = None,
    other_datasets: Mapping[str, Any] | None = None,
    references: Mapping[str, Value] | None = None,
    samples: int = 0,
    statistics: str | None = None,
    key: HashKey | None = None,
    history: Histories | None = None,
    now: Callable[[], datetime] = clock.now,
) -> RunResult:
    """Evaluate a contract on a Spark frame and return the run; no setting of the session is changed.

            run = verify(orders, read(Path("orders.yaml").read_bytes()))
            assert run.verdict == "passed", [result.sentence for result in run.results if result.outcome == "failed"]

    - `object_name`: None means the contract's first object.
    - `partition_by`: None means the object's partition columns that the frame has.
    - `earlier`: states (`measure`) of partitions that are not in the frame; checks of the whole dataset include
      them, and checks that need all rows at once are then not evaluated.
    - `other_datasets`: frames of other datasets by name.
    - `references`: values of limits that refer to another dataset ('the size of titles'); if its frame is in
      `other_datasets` they are measured.
    - `samples`: number of violating rows per failed check, read in one more scan if there are any
      (`treaty.engine.session.violating_rows.samples`).
    - `statistics`: folder of Parquet files that the frame reads completely and exclusively; the files' own counts of
      rows and nulls are then used.
    - `key`: hashes values of classified columns, as in the earlier states (`treaty.engine.core.key_files`).
    - `history`: earlier measurements for anomaly checks, by metric identity
      (`treaty.engine.anomaly.baselines.of_runs`); the states of earlier partitions add to it.

    A check of an estimate whose threshold lies within its error is computed exactly, in one more statement over the
    frame; if the check also covers `earlier` states, it stays uncertain.

    The run contains no texts or distributions of columns that the contract classifies; they are evaluated
    nevertheless. Raises ContractError for faults of the contract, UnreadableTable if Spark cannot read the frame."""
    from treaty.engine.session.violating_rows import with_samples
    from treaty.engine.spark.handlers.frame import exact_values, read_frame

    started = now()
    name = object_name or contract.objects[0].name
    measured = read_frame(
        frame, contract, name, partition_by=partition_by, other_datasets=other_datasets, statistics=statistics, key=key
    )  # fmt: skip
    states: dict[str, Bag] = {**(earlier or {}), **measured.states}
    complete = states.keys() == measured.states.keys()
    request = EvaluationRequest(
        contract=contract,
        object_name=name,
        states=states,
        delta=sorted(measured.states),
        started_at=started,
        finished_at=now(),
        whole_table_states=measured.whole_table_states if complete else None,
        reference_values=measured.referents
        | {words: ReferenceValue(value) for words, value in (references or {}).items()},
        checks=measured.checks,
        history=history or {},
    )
    compute = partial(exact_values, frame, measured, complete=complete)
    run = redact(measured.checks, evaluate_exactly(request, compute))
    return with_samples(frame, contract, run, limit=samples, partition_by=partition_by, other_datasets=other_datasets)


def measure(
    frame: Any,
    contract: Contract,
    *,
    object_name: str,
    partition_by: Sequence[str] | None = None,
    key: HashKey | None = None,
) -> dict[str, bytes]:
    """Return the packed states of a frame by partition, as input for `earlier` of `verify`.

    They contain no values of classified columns, and hashes of these only with a lasting `key`."""
    from treaty.engine.spark.handlers.frame import read_frame

    measured = read_frame(frame, contract, object_name, partition_by=partition_by, key=key)
    return {name: bag.pack() for name, bag in measured.states.items()}
