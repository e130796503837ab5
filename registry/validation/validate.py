"""Validate a dataset, from its task to its runs: plan, read, evaluate, store.

Reading takes minutes, during which no transaction is open; all findings are stored at once."""

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
COVERED = "covered by the task of another contract about the same data"
PUBLISHING = "a publication to the table is unfinished: run `treaty gate --recover` where the table is stored"


@dataclass(frozen=True)
class Validation:
    """A validation of a dataset, with its plan and its dependencies."""

    order: ValidationPlan
    tools: ValidationDeps

    @classmethod
    def plan(
        cls, session: Session, task: TaskRow, tools: ValidationDeps, consumers: Consumers = consumer_checks.documents
    ) -> "Validation":
        """Return the validation for the task.

        Raises ImpossibleTask if no version is in force or the location of the data is unknown."""
        return cls(validation_plan.plan_validation(session, task, consumers), tools)

    def run(self) -> ValidationFinding:
        """Read what changed and evaluate every target.

        A contract that does not fit the table is a finding. Raises EngineError, and StateConflict while a
        publication is open, because the table may differ from its stored states."""
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
            log.warning("other contracts and consumers of the dataset are skipped: %s", error)
            return self._without_others(error)

    def read(self, *, full: bool = False) -> ReadResult:
        """Read what changed since the last scan, and the states that stored partitions lack.

        `full`: read everything."""
        stored = {} if full or self.order.force_reread else self.order.stored_fingerprints
        return state_reading.read(self.order, self.tools, stored, {} if full else self.tools.parts.load())

    def evaluate(self, result: ReadResult, started: datetime) -> ValidationFinding:
        """Evaluate every target that has something new."""
        order = self.order
        if all(_is_settled(each, result) for each in order.promises):
            results = self._redefined(result, started)
            return ValidationFinding(
                results=results, covered_targets=order.secondary, measured=result.measured, scan_started_at=started
            )
        try:
            results = self._evaluate_all(result, started, strict=True)
        except StateError:
            # Damaged states are repaired by reading all partitions of the table again.
            result = self.read(full=True)
            results = self._evaluate_all(result, started, strict=False)
        return ValidationFinding(
            results=results,
            covered_targets=order.secondary,
            measured=result.measured,
            vanished=result.vanished,
            scan_started_at=started,
            samples_expire_at=self.tools.clock() + self.tools.sampling.lasts,
        )

    def store(
        self, session: Session, finding: ValidationFinding, *, emitter: Emitter = SILENT, now: datetime, ids: Ids
    ) -> dict[str, Any]:
        """Store states, runs and lineage events; return the task's result.

        Raises StateConflict if another validation of the same data was stored first; this one must then be repeated."""
        return findings.store(session, self.order, finding, emitter=emitter, now=now, ids=ids)

    def _find(self) -> ValidationFinding:
        started = self.tools.clock()
        try:
            return self.evaluate(self.read(), started)
        except (ContractError, StateError) as error:
            return findings.unevaluated(self.order, str(error), started=started, finished=self.tools.clock())

    def _without_others(self, error: EngineError) -> ValidationFinding:
        """Evaluate the task's own target alone.

        Other contracts have tasks of their own; consumers get an unevaluated result with the reason."""
        started, order = self.tools.clock(), self.order
        finding = Validation(order.alone, self.tools)._find()
        reason = (
            f"its states could not be computed together with those of {order.primary.contract_object}: {error.reason}"
        )
        consumer_targets = (each for each in order.secondary if each.subscription_id is not None)
        unevaluated = (
            evaluation.unevaluated_result(each, reason, started=started, finished=self.tools.clock())
            for each in consumer_targets
        )
        return replace(finding, results=(*finding.results, *unevaluated))

    def _evaluate_all(self, result: ReadResult, started: datetime, *, strict: bool) -> tuple[EvaluationResult, ...]:
        return tuple(
            evaluation.evaluate_all(evaluation.prepare(self.order, self.tools, result, started), strict=strict)
        )

    def _redefined(self, result: ReadResult, started: datetime) -> tuple[EvaluationResult, ...]:
        """Return the results for a changed schema; () if the schema did not change."""
        if self.order.declared_columns is None:
            return ()
        return tuple(evaluation.redefined(evaluation.prepare(self.order, self.tools, result, started)))


def _is_settled(promise: ValidationTarget, result: ReadResult) -> bool:
    """Return whether nothing is new for the target."""
    return promise.validated_fingerprints is not None and not (
        result.arrived(promise.validated_fingerprints) or result.lost(promise.validated_fingerprints)
    )


def is_covered(session: Session, task: TaskRow) -> bool:
    """Return whether another contract's task on the same data settled all of the task's triggers.

    Always False for a task without triggers."""
    subject = task.payload["contract_id"], task.payload["object"]
    return task.payload.get("seq") is not None and coalescing.is_clean(session, *subject)


def give_up(
    session: Session, task: TaskRow, reason: str, *, emitter: Emitter = SILENT, now: datetime, ids: Ids
) -> None:
    """Store a run that could not be evaluated, and settle the task's triggers."""
    with suppress(ImpossibleTask, ContractError):
        order = validation_plan.plan_validation(session, task).alone
        given_up = replace(findings.unevaluated(order, reason, started=now, finished=now), give_up_reason=reason)
        findings.store(session, order, given_up, emitter=emitter, now=now, ids=ids)
    settle(session, task, None, now=now, ids=ids)
    checkpoints.drop(session, task.id)


def settle(session: Session, task: TaskRow, covers: int | None, *, now: datetime, ids: Ids) -> None:
    """Settle the triggers of the task; later triggers are enqueued as one task.

    `covers`: number of triggers covered; None means the trigger that created the task. Tasks without triggers settle
    nothing."""
    sequence = task.payload.get("seq")
    if sequence is None:
        return
    subject = ValidationRequest(
        contract_id=task.payload["contract_id"], object=task.payload["object"], cause=f"after/{task.id}"
    )
    coalescing.settle(session, subject, sequence if covers is None else covers, now=now, task_id=ids())
