"""Train the registry's key-name model, nightly and on request, and choose the one in use.

Administrators train, choose and download. Every reader may see which model is in use, because the evidence of
suggestions names it."""

from collections.abc import Callable
from dataclasses import asdict
from datetime import datetime
from pathlib import Path
from typing import Any

from sqlmodel import Session

from treaty.engine.suggestions.keys.model_file import UnreadableKeyModel
from treaty.engine.suggestions.keys.model_store import KeyModelChoice, KeyModelStore
from treaty.engine.suggestions.keys.registry_model import KeyFacts, train
from treaty.registry.access.permissions import Principal, require_permission
from treaty.registry.audit import audit_log
from treaty.registry.core.audit_actions import AuditAction
from treaty.registry.core.enums import Permission, TaskKind
from treaty.registry.core.errors import InvalidRequest, NotFound
from treaty.registry.core.ids import Ids
from treaty.registry.core.settings import RegistrySettings
from treaty.registry.drafting.keys import approved_keys
from treaty.registry.queue import registry_tasks
from treaty.registry.tables import TaskRow

UNCHANGED = "contracts and decisions have not changed since the last training"


def store(settings: RegistrySettings) -> KeyModelStore:
    """Return the registry's models."""
    return KeyModelStore(Path(settings.key_models))


def request_training(session: Session, *, by: Principal, now: datetime, ids: Ids) -> TaskRow:
    """Enqueue an immediate training and return its task. Raises Forbidden except for administrators."""
    require_permission(by, Permission.USERS)
    return registry_tasks.request(
        session, TaskKind.TRAIN, AuditAction.KEY_MODEL_REQUESTED, actor=by.name, now=now, ids=ids
    )


def work(
    facts_of: Callable[[Callable[[Session], Any]], Any],
    models: KeyModelStore,
    report: Callable[[int, int], object],
    *,
    now: datetime,
) -> dict[str, Any]:
    """Train, compare and store a model, and return the task's result.

    `facts_of`: calls a function with a session. Without changes since the last training nothing is trained, unless the
    model in use cannot be read."""
    choice = _choice(models)
    if choice and not models.selected().notes and choice.facts == facts_of(approved_keys.facts_fingerprint):
        return result(choice, note=UNCHANGED)
    facts: KeyFacts = facts_of(approved_keys.facts)
    decided = models.add(train(facts, report), facts, now.date().isoformat())
    return result(decided, **approved_keys.label_counts(facts))


def _choice(models: KeyModelStore) -> KeyModelChoice | None:
    try:
        return models.choice()
    except UnreadableKeyModel:
        return None


def result(choice: KeyModelChoice, **details: Any) -> dict[str, Any]:
    """Return a choice as the result of a task."""
    comparison = asdict(choice.comparison) if choice.comparison else None
    return {"version": choice.version, "reason": choice.reason, "comparison": comparison, **details}


def record_training(session: Session, task: TaskRow, done: dict[str, Any], *, actor: str, now: datetime) -> None:
    """Record in the audit log which model a training chose."""
    details = {name: done.get(name) for name in ("version", "reason", "tables")}
    audit_log.record(session, AuditAction.KEY_MODEL_TRAINED, actor=actor, object_id=task.id, now=now, details=details)


def use(
    session: Session, models: KeyModelStore, version: int | None, *, pinned: bool, by: Principal, now: datetime
) -> None:
    """Choose the model in use. Raises NotFound for an unknown version, InvalidRequest for a damaged one.

    `version`: None means the shipped model. `pinned`: False lets the next training decide."""
    require_permission(by, Permission.USERS)
    if version is not None and version not in models.versions():
        raise NotFound(f"There is no version {version} of the registry's key-name model.")
    try:
        models.use(version, f"chosen by {by.name} on {now.date()}", pinned=pinned)
    except UnreadableKeyModel as error:
        raise InvalidRequest(str(error)) from None
    details = {"version": version, "pinned": pinned}
    audit_log.record(
        session, AuditAction.KEY_MODEL_CHOSEN, actor=by.name, object_id="key-model", now=now, details=details
    )


def content(models: KeyModelStore, version: int, *, by: Principal) -> bytes:
    """Return the file of a version. Raises NotFound for an unknown version."""
    require_permission(by, Permission.USERS)
    if version not in models.versions():
        raise NotFound(f"There is no version {version} of the registry's key-name model.")
    return models.path(version).read_bytes()
