"""A contract verified on a Spark frame, in the caller's own session."""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Any

from treaty.contracts.document.model import Contract
from treaty.engine.anomaly.baselines import Histories
from treaty.engine.checks.dataset_limits import ReferenceValue
from treaty.engine.core import clock
from treaty.engine.core.hash_key import HashKey
from treaty.engine.core.results import RunResult, Value
from treaty.engine.evaluation.evaluator import evaluate
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
    others: Mapping[str, Any] | None = None,
    references: Mapping[str, Value] | None = None,
    samples: int = 0,
    statistics: str | None = None,
    key: HashKey | None = None,
    history: Histories | None = None,
    now: Callable[[], datetime] = clock.now,
) -> RunResult:
    """The run that judges a Spark frame by a contract, in the frame's own session, none of whose settings change.

    It tells no text and no distribution of a column that the contract classifies; these are judged all the same.

        run = verify(orders, read(Path("orders.yaml").read_bytes()))
        assert run.verdict == "passed", [result.sentence for result in run.results if result.outcome == "failed"]

    `object_name` None: the contract's first object. `partition_by` None: the partition columns that it names, where the
    frame has them. `earlier` holds the states (`measure`) of partitions that are not in the frame: checks of the whole
    dataset count them too; those that must see all rows at once are then not evaluated. `others` holds the frames of
    other datasets by name, `references` the values of limits that refer to one ('the size of titles'); where its frame
    is among the others they are measured. `samples`: up to so many rows that break each failed check, by one more
    reading of the frame where there are any (`treaty.engine.session.violating_rows.samples`). `statistics`: the folder
    of Parquet that the frame is a reading of, all of it and nothing else; its files' own counts of rows and nulls are
    then taken for it. `key`: the one (`treaty.engine.core.key_files`) that values of classified columns were hashed
    with in earlier states. `history`: what was measured before, by the metric's identity
    (`treaty.engine.anomaly.baselines.of_runs`), for checks of anomalies; of earlier partitions the states tell it, too.
    Raises ContractError for faults of the contract, Unreadable where Spark cannot read it."""
    from treaty.engine.session.violating_rows import with_samples
    from treaty.engine.spark.handlers.frame import read_frame

    started = now()
    chosen = object_name or contract.objects[0].name
    read = read_frame(
        frame, contract, chosen, partition_by=partition_by, others=others, statistics=statistics, key=key
    )  # fmt: skip
    states: dict[str, Bag] = {**(earlier or {}), **read.states}
    request = EvaluationRequest(
        contract=contract,
        object_name=chosen,
        states=states,
        delta=sorted(read.states),
        started_at=started,
        finished_at=now(),
        whole_table_states=read.whole_table_states if states.keys() == read.states.keys() else None,
        reference_values=read.referents | {words: ReferenceValue(value) for words, value in (references or {}).items()},
        checks=read.checks,
        history=history or {},
    )
    run = redact(read.checks, evaluate(request))
    return with_samples(frame, contract, run, limit=samples, partition_by=partition_by, others=others)


def measure(
    frame: Any,
    contract: Contract,
    *,
    object_name: str,
    partition_by: Sequence[str] | None = None,
    key: HashKey | None = None,
) -> dict[str, bytes]:
    """The packed states of a frame by partition: what `verify` of a later frame takes as `earlier`.

    They have no values of columns that the contract classifies, and hashes of these only where a lasting `key` is
    given."""
    from treaty.engine.spark.handlers.frame import read_frame

    read = read_frame(frame, contract, object_name, partition_by=partition_by, key=key)
    return {name: bag.pack() for name, bag in read.states.items()}
