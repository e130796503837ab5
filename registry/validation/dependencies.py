"""Dependencies of a validation, passed in by the worker: engine, evaluator, state storage and clock."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from sqlalchemy import Engine as Database

from treaty.contracts.document.model import Contract, DataObject
from treaty.contracts.schema import Schema
from treaty.engine.core.hash_key import HashKey
from treaty.engine.core.results import RunResult
from treaty.engine.evaluation.request import EvaluationRequest
from treaty.engine.protocol.engine import Engine
from treaty.engine.states.bag import StateFileStore
from treaty.registry.measurements.states.checkpoints import CheckpointStore
from treaty.registry.validation.sampling import SamplingPolicy

# Evaluates a request: `treaty.engine.evaluation.evaluator.evaluate`.
EvaluateFunction = Callable[[EvaluationRequest], RunResult]


class MissingStatesFunction(Protocol):
    """Return, by partition, the stored state keys of bags that lack states the checks need.

    `also`: objects of further targets of the same table. `afresh`: also consider states that are never stored.
    Implemented by `treaty.engine.evaluation.evaluator.missing_states`."""

    def __call__(
        self,
        contract: Contract,
        object_name: str,
        stored: Mapping[str, bytes],
        *,
        key: HashKey | None,
        afresh: bool,
        also: Sequence[DataObject],
    ) -> Mapping[str, frozenset[str]]: ...


# Returns the files of frequencies that this process does not merge, by component key:
# `treaty.engine.evaluation.large_frequencies.large`.
Large = Callable[[Contract, str, Schema, Mapping[str, bytes]], Mapping[str, tuple[str, ...]]]


@dataclass(frozen=True, kw_only=True)
class ValidationDeps:
    """Dependencies of a validation.

    `parts`: checkpoints of partitions read so far. `portion`: number of partitions read per batch. `key`: root of
    the datasets' hash keys; None means that hashes of classified values are not stored. `files`: store of large
    states; None means there is none. `state_url`: location of large states for Spark."""

    database: Database
    engine: Engine
    evaluate: EvaluateFunction
    missing_states: MissingStatesFunction
    large: Large
    clock: Callable[[], datetime]
    state_url: str | None
    sampling: SamplingPolicy
    parts: CheckpointStore
    portion: int
    key: HashKey | None = None
    files: StateFileStore | None = None
