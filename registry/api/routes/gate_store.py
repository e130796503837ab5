"""Routes of gate verdicts for readers, and of the state store for publishers."""

from datetime import timedelta
from typing import Annotated

from fastapi import Depends, Query, Request, Response
from fastapi.concurrency import run_in_threadpool

from treaty.contracts.document.classification import classification_document
from treaty.engine.anomaly.fits import LearnedFit
from treaty.engine.core import clock
from treaty.engine.protocol.requests import TableSource
from treaty.engine.states.generations import Generation, GenerationVerdict, PartitionEntry
from treaty.engine.states.state_files import StateFiles
from treaty.registry import schemas
from treaty.registry.access.authentication import Principal, require_permission_anywhere
from treaty.registry.api.http.admission import admission, admission_router, generation_body, state_body
from treaty.registry.api.http.dependencies import Caller, Reader, Shared, Writer
from treaty.registry.api.routes.states import Called
from treaty.registry.core import ids
from treaty.registry.core.bounded_values import LookupText
from treaty.registry.core.enums import Permission
from treaty.registry.core.errors import Conflict
from treaty.registry.measurements.states import state_queries, state_store
from treaty.registry.validation import openlineage_emitter
from treaty.registry.validation.gate import publications
from treaty.registry.validation.gate.publications import GatedDataset, GenerationSwap, PublicationContext

PATH = "/dataset/gate"
router = admission_router(prefix=PATH, tags=["gate"])
BagName = Annotated[schemas.BagName, Query(description="Name of the states in a generation")]
DatasetFingerprint = Annotated[
    LookupText | None, Query(description="Fingerprint of the data to read; the verdict of other data is `unknown`")
]


def publisher(who: Caller) -> Principal:
    """Return the principal if it may read and write states, before the body is read.

    States contain copies of data."""
    require_permission_anywhere(who, Permission.STATES)
    return who


Publisher = Annotated[Principal, Depends(publisher)]


def subject(by: Caller, tx: Reader, named: Called) -> GatedDataset:
    """Return the dataset of the request, which the caller may read."""
    return publications.subject(tx, state_queries.authorized_query(tx, named, by))


def published(by: Publisher, tx: Reader, named: Called) -> GatedDataset:
    """Return the dataset of the request, whose states the caller may read and write."""
    return publications.subject(tx, state_queries.authorized_query(tx, named, by, Permission.STATES))


About = Annotated[GatedDataset, Depends(subject)]
Published = Annotated[GatedDataset, Depends(published)]


@router.get("")
def get_verdict(of: About, tx: Reader, dataset_fingerprint: DatasetFingerprint = None) -> schemas.GateVerdictOut:
    """Retrieve the verdict of the contract in force on exactly the current data; `unknown` in case of doubt."""
    answer = publications.answer(tx, of, dataset_fingerprint)
    return schemas.GateVerdictOut(
        contract_id=of.contract.id,
        version=of.contract.version,
        object=of.object.name,
        verdict=answer.verdict,
        dataset_fingerprint=answer.dataset_fingerprint,
        run_id=answer.run.id if answer.run else None,
        finished_at=answer.run.finished_at if answer.run else None,
        reason=answer.reason,
    )


@router.get("/dataset")
def get_gated_dataset(of: Published, tx: Reader) -> schemas.GatedDatasetOut:
    """Retrieve the contract, location and fits of a dataset for a gated write."""
    dataset, contract_object = of.dataset, of.object
    partition_by = tuple(dataset.partition_by) or contract_object.partition_columns
    return schemas.GatedDatasetOut(
        **dataset.model_dump(include={"namespace", "name"}),
        object=contract_object.name,
        dataset_id=dataset.id,
        contract_id=of.contract.id,
        version=of.contract.version,
        location=schemas.DatasetLocationOut(
            location=dataset.location, format=dataset.format, partition_by=partition_by
        ),
        datasets={name: _place(each) for name, each in publications.dataset_sources(tx, of).items()},
        classifying=tuple(classification_document(each).decode() for each in contract_object.classifying_objects),
        fits={name: _limits(each) for name, each in publications.learned(tx, of).items()},
        excluded_partitions=publications.spoilt(tx, of),
    )


@router.get("/generation")
def get_generation(of: Published, tx: Reader) -> schemas.GenerationBody:
    """Retrieve the current generation: the name of each partition's states."""
    return _generation(publications.current(tx, of))


@router.post("/generation", status_code=201)
@admission(Permission.STATES, body=generation_body)
def swap_generation(
    body: schemas.GenerationBody, by: Publisher, of: Published, shared: Shared, read: Reader, tx: Writer
) -> schemas.GenerationBody:
    """Replace generation `number` by these entries and record the run that validated them.

    Responds 409 and changes nothing if `number` is not the current generation or the contract is not in force."""
    swap = GenerationSwap(
        body.number,
        {name: PartitionEntry(each.fingerprint, each.bag) for name, each in body.entries.items()},
        GenerationVerdict(**body.verdict.model_dump()) if body.verdict else None,
    )
    ready, now = publications.prepared(read, of, swap, StateFiles(shared.settings.states)), clock.now()
    publishing = PublicationContext(by.name, now, ids.new, openlineage_emitter.emitter(shared.settings))
    generation = publications.commit(tx, of, ready, publishing)
    state_store.prune(tx, of.dataset.id, before=now - timedelta(days=shared.settings.state_retention_days))
    tx.commit()
    return _generation(generation)


@router.get("/bag", response_class=Response)
def get_bag(of: Published, shared: Shared, tx: Reader, bag: BagName) -> Response:
    """Retrieve packed states by name."""
    content = publications.bag(tx, of.dataset.id, bag, StateFiles(shared.settings.states))
    return Response(content, media_type="application/octet-stream")


@router.post("/bag", status_code=201)
@admission(Permission.STATES, body=state_body)
async def store_bag(_: Publisher, request: Request, shared: Shared) -> schemas.StateBagOut:
    """Store packed states or a run for use in a generation. Storing the same content again has no effect."""
    upload = await run_in_threadpool(StateFiles(shared.settings.states).begin)
    try:
        async for part in request.stream():
            await run_in_threadpool(upload.write, part)
        return schemas.StateBagOut(bag=await run_in_threadpool(publications.finish, upload))
    finally:
        await run_in_threadpool(upload.__exit__)


@router.post("/recovered", status_code=204, response_class=Response)
@admission(Permission.STATES)
def recover_publication(by: Publisher, of: Published, tx: Writer) -> None:
    """Mark the open publication as settled: the table's files are those of the current generation."""
    if not publications.settle(tx, of.dataset.id, actor=by.name, now=clock.now()):
        raise Conflict("There is no open publication.")
    tx.commit()


def _limits(fit: LearnedFit) -> schemas.FitLimitsOut:
    lower, upper = fit.limits
    return schemas.FitLimitsOut(name=fit.name, clause=fit.clause, lower=lower, upper=upper, points=fit.points)


def _place(source: TableSource) -> schemas.DatasetLocationOut:
    return schemas.DatasetLocationOut(location=source.location, format=source.format, partition_by=source.partition_by)


def _generation(generation: Generation) -> schemas.GenerationBody:
    return schemas.GenerationBody.model_validate(
        {"number": generation.number, "entries": {name: vars(each) for name, each in generation.entries.items()},
         "verdict": vars(generation.judged) if generation.judged else None}
    )  # fmt: skip
