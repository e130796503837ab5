"""What a validation works with, handed in: who reads and who judges the data, where states are kept, the time."""

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
from treaty.engine.protocol.requests import Engine
from treaty.engine.states.bag import StateFileStore
from treaty.registry.measurements.states.checkpoints import CheckpointStore
from treaty.registry.validation.sampling import SamplingPolicy

# What evaluates a request: `treaty.engine.evaluation.evaluator.judge`.
EvaluateFunction = Callable[[EvaluationRequest], RunResult]


class MissingStatesFunction(Protocol):
    """What stored bags have, where the checks of a contract's object, and of others, need more:
    `treaty.engine.evaluation.evaluator.missing_states`."""

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


# The files of frequencies that this process does not merge itself, by component key:
# `treaty.engine.evaluation.large_frequencies.large`.
Large = Callable[[Contract, str, Schema, Mapping[str, bytes]], Mapping[str, tuple[str, ...]]]


@dataclass(frozen=True, kw_only=True)
class ValidationDeps:
    """What a validation works with: where states are, who reads and who judges the data, the time.

    `parts` keeps what was read of a table of which a `portion` of partitions is read at a time. `key`: what the keys
    of datasets are made of; None: hashes of classified values are not stored. `files`: where large states lie; None
    means nowhere."""

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
