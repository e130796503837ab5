"""Routes of the registry's key-name model."""

from dataclasses import asdict
from typing import Annotated

from fastapi import Path, Response

from treaty.engine.core import clock
from treaty.engine.suggestions.keys.model_file import UnreadableKeyModel
from treaty.engine.suggestions.keys.model_store import KeyModelChoice, KeyModelStore
from treaty.registry import schemas
from treaty.registry.access import authentication
from treaty.registry.api.http.admission import admission, admission_router
from treaty.registry.api.http.dependencies import Caller, Reader, Shared, Writer
from treaty.registry.api.http.etags import NeedsMatch, with_etag
from treaty.registry.core import ids
from treaty.registry.core.enums import Permission
from treaty.registry.drafting.keys import key_models
from treaty.registry.schemas.key_models import KeyComparisonOut, KeyModelChoiceIn, KeyModelOut, KeyModelsOut

router = admission_router(tags=["key-models"])
Version = Annotated[int, Path(ge=1, le=999_999, description="Version of the registry's model")]
OBJECT = "key-model"


@router.get("/key-models")
def get_key_models(by: Caller, shared: Shared, answer: Response) -> KeyModelsOut:
    """Retrieve the key-name model in use, the reason, and all stored versions."""
    authentication.require_permission_anywhere(by, Permission.READ)
    return with_etag(answer, _models(key_models.store(shared.settings)))


@router.post("/key-models", status_code=202)
@admission(Permission.USERS)
def train_key_model(by: Caller, tx: Writer) -> schemas.TaskOut:
    """Start a task that trains a model on the keys that owners approved. Requires an administrator.

    The task's result contains the comparison with the shipped model and the decision."""
    task = key_models.request_training(tx, by=by, now=clock.now(), ids=ids.new)
    tx.commit()
    return schemas.TaskOut.model_validate(task)


@router.put("/key-models")
@admission(Permission.USERS)
def use_key_model(body: KeyModelChoiceIn, by: Caller, shared: Shared, tx: Writer, match: NeedsMatch) -> KeyModelsOut:
    """Choose the model in use. Requires an administrator, and If-Match: the `etag` as read, or `*`."""
    authentication.require_permission(by, Permission.USERS)
    models = key_models.store(shared.settings)
    if match.stated:
        match.check(tx, OBJECT, _models(models).etag)
    key_models.use(tx, models, body.version, pinned=body.pinned, by=by, now=clock.now())
    tx.commit()
    return _models(models)


@router.get("/key-models/{version}", response_class=Response)
def get_key_model(version: Version, by: Caller, shared: Shared, tx: Reader) -> Response:
    """Download a version of the registry's model. Requires an administrator.

    Its weights reveal whether a name occurs in the registry's contracts."""
    content = key_models.content(key_models.store(shared.settings), version, by=by)
    return Response(content, media_type="application/octet-stream")


def _models(models: KeyModelStore) -> KeyModelsOut:
    selected = models.selected()
    try:
        choice = models.choice()
    except UnreadableKeyModel:
        choice = KeyModelChoice(reason="the stored choice cannot be read")
    comparison = KeyComparisonOut(**asdict(choice.comparison)) if choice.comparison else None
    return KeyModelsOut(
        title=selected.model.title,
        version=None if selected.notes else choice.version,
        pinned=choice.pinned,
        reason=choice.reason,
        notes=selected.notes,
        comparison=comparison,
        versions=tuple(
            KeyModelOut(**card.model_dump(include=set(KeyModelOut.model_fields))) for card in models.cards()
        ),
    )
