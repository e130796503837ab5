"""A validation of a dataset, from its task to its runs: planned, read, evaluated and stored.

The reading takes minutes and no transaction is open meanwhile; what was found is stored at once."""

import logging
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from sqlmodel import Session

from treaty.contracts.errors import ContractError
from treaty.engine.core.errors import EngineError, StateError, UnreadableTable
from treaty.registry.core.ids import Ids
from treaty.registry.measurements.states import checkpoints, state_store
from treaty.registry.queue import coalescing
from treaty.registry.queue.coalescing import ValidationRequest
from treaty.registry.review.consumers import consumer_checks
from treaty.registry.tables import TaskRow
from treaty.registry.validation import evaluation, findings, state_reading
from treaty.registry.validation import plan as validation_plan
from treaty.registry.validation.dependencies import ValidationDeps
from treaty.registry.validation.evaluation import EvaluationResult
from treaty.registry.validation.findings import ValidationFinding
from treaty.registry.validation.openlineage_emitter import SILENT, Emitter
from treaty.registry.validation.plan import Consumers, ImpossibleTask, ValidationPlan, ValidationTarget
from treaty.registry.validation.state_reading import ReadResult

log = logging.getLogger("treaty.worker")
COVERED = "a task of another contract about the same data dealt with it"
PUBLISHING = (
    "a publication to the table was begun and not ended: recover it where the table lies (treaty gate --recover)"
)


@dataclass(frozen=True)
class Validation:
    """A validation of a dataset as its task orders it, with what it works with."""

    order: ValidationPlan
    tools: ValidationDeps

    @classmethod
    def plan(
        cls, session: Session, task: TaskRow, tools: ValidationDeps, consumers: Consumers = consumer_checks.documents
    ) -> "Validation":
        """Return the validation that the task asks for: what is promised of the data, where they lie, what is known.

        Raises Unworkable if no version is in force, or if nobody knows where the data lie."""
        return cls(validation_plan.plan_validation(session, task, consumers), tools)

    def run(self) -> ValidationFinding:
        """Read what changed and evaluate every promise. A contract that does not fit the table is a finding.

        Raises EngineError, and states.Overtaken while a publication is open: the table may be other than its states
        say."""
        order = self.order
        if order.publishing:
            raise state_store.StateConflict(PUBLISHING)
        if order.already_covered and not (order.force_reread or order.afresh):
            return ValidationFinding(results=(), covered_targets=order.secondary)
        try:
            return self._find()
        except UnreadableTable:
            raise
        except EngineError as error:
            if not order.secondary:
                raise
            log.warning("what is promised beside the task's own contract is left out: %s", error)
            return self._without_others(error)

    def read(self, *, anew: bool = False) -> ReadResult:
        """Read what changed since the data were read last, and what their stored states lack; `anew`: all of it."""
        known = {} if anew or self.order.force_reread else self.order.stored_fingerprints
        return state_reading.read(self.order, self.tools, known, {} if anew else self.tools.parts.load())

    def evaluate(self, found: ReadResult, started: datetime) -> ValidationFinding:
        """Evaluate every promise of which something is new, from what was read."""
        order = self.order
        if all(_is_settled(each, found) for each in order.promises):
            told = self._redefined(found, started)
            return ValidationFinding(
                results=told, covered_targets=order.secondary, measured=found.measured, scan_started_at=started
            )
        try:
            told = self._evaluate_all(found, started, strict=True)
        except StateError:
            # A stored state is damaged. Its remedy is to compute it again, and with it all others of the table.
            found = self.read(anew=True)
            told = self._evaluate_all(found, started, strict=False)
        return ValidationFinding(
            results=told,
            covered_targets=order.secondary,
            measured=found.measured,
            vanished=found.vanished,
            scan_started_at=started,
            samples_expire_at=self.tools.clock() + self.tools.sampling.lasts,
        )

    def store(
        self, session: Session, finding: ValidationFinding, *, emitter: Emitter = SILENT, now: datetime, ids: Ids
    ) -> dict[str, Any]:
        """Store states, and of each promise its run with the event that tells of it. Returns the task's result.

        Raises states.Overtaken: another validation of the same data came first, so this one has to be done again."""
        return findings.store(session, self.order, finding, emitter=emitter, now=now, ids=ids)

    def _find(self) -> ValidationFinding:
        started = self.tools.clock()
        try:
            return self.evaluate(self.read(), started)
        except (ContractError, StateError) as error:
            return findings.unevaluated(self.order, str(error), started=started, finished=self.tools.clock())

    def _without_others(self, error: EngineError) -> ValidationFinding:
        """The task's own contract alone: others have tasks of their own, consumers are told why they have no
        verdict."""
        started, order = self.tools.clock(), self.order
        found = Validation(order.alone, self.tools)._find()
        reason = (
            f"its states could not be computed together with those of {order.primary.contract_object}: {error.reason}"
        )
        missed = (each for each in order.secondary if each.subscription_id is not None)
        told = (
            evaluation.unevaluated_result(each, reason, started=started, finished=self.tools.clock()) for each in missed
        )
        return replace(found, results=(*found.results, *told))

    def _evaluate_all(self, found: ReadResult, started: datetime, *, strict: bool) -> tuple[EvaluationResult, ...]:
        return tuple(evaluation.evaluate_all(evaluation.prepare(self.order, self.tools, found, started), strict=strict))

    def _redefined(self, found: ReadResult, started: datetime) -> tuple[EvaluationResult, ...]:
        """What comes of other columns where the data are as they were; () where the table was given none."""
        if self.order.declared_columns is None:
            return ()
        return tuple(evaluation.redefined(evaluation.prepare(self.order, self.tools, found, started)))


def _is_settled(promise: ValidationTarget, found: ReadResult) -> bool:
    """Whether nothing is new to it."""
    return promise.validated_fingerprints is not None and not (
        found.arrived(promise.validated_fingerprints) or found.lost(promise.validated_fingerprints)
    )


def is_covered(session: Session, task: TaskRow) -> bool:
    """Whether all that the task was made for was dealt with by one of another contract about the same data.

    Never of a task that no trigger made."""
    subject = task.payload["contract_id"], task.payload["object"]
    return task.payload.get("seq") is not None and coalescing.is_clean(session, *subject)


def give_up(
    session: Session, task: TaskRow, reason: str, *, emitter: Emitter = SILENT, now: datetime, ids: Ids
) -> None:
    """Records that the data could not be judged, as a run, and lets later triggers of the object begin anew."""
    with suppress(ImpossibleTask, ContractError):
        order = validation_plan.plan_validation(session, task).alone
        broken = replace(findings.unevaluated(order, reason, started=now, finished=now), give_up_reason=reason)
        findings.store(session, order, broken, emitter=emitter, now=now, ids=ids)
    settle(session, task, None, now=now, ids=ids)
    checkpoints.drop(session, task.id)


def settle(session: Session, task: TaskRow, covers: int | None, *, now: datetime, ids: Ids) -> None:
    """Ends what the task's trigger began: what was triggered since is enqueued once. None: what the task was made for.

    Tasks that no trigger made leave the count alone."""
    made_for = task.payload.get("seq")
    if made_for is None:
        return
    subject = ValidationRequest(
        contract_id=task.payload["contract_id"], object=task.payload["object"], cause=f"after/{task.id}"
    )
    coalescing.settle(session, subject, made_for if covers is None else covers, now=now, task_id=ids())
