"""Restrict approval to principals who may read all datasets that the checks reference.

Otherwise the results of a run would disclose data of datasets that the approver may not read."""

from collections.abc import Iterator

from sqlmodel import Session

from treaty.contracts.document.model import Contract as Document
from treaty.engine.checks.dataset_limits import datasets, referenced_metrics
from treaty.registry.access import visibility
from treaty.registry.access.authentication import Principal
from treaty.registry.core.enums import Permission
from treaty.registry.core.errors import Forbidden
from treaty.registry.datasets import related_datasets
from treaty.registry.datasets.contract_datasets import names_of
from treaty.registry.tables import DatasetRow

BEYOND = (
    "the contract references a dataset that is unknown or that you cannot read: ask an owner who can read it to approve"
)


def refuse_beyond(session: Session, document: Document, by: Principal) -> None:
    """Raise Forbidden if the document names a dataset that the principal may not read.

    Unknown datasets are refused as well, so that the error does not reveal which datasets exist. A principal who may
    read everything is exempt."""
    if by.may(Permission.READ):
        return
    for dataset in (*_spoken_of(session, document), *_claimed(session, document)):
        places = visibility.of_dataset(session, dataset) if dataset else ()
        if not any(by.may(Permission.READ, place) for place in places):
            raise Forbidden(BEYOND)


def _spoken_of(session: Session, document: Document) -> Iterator[DatasetRow | None]:
    """Yield the datasets outside the document that its checks read; None for an unknown name."""
    own = {each.name for each in document.objects}
    for each in document.objects:
        names = {*datasets(each), *(resolved.dataset for resolved in referenced_metrics(each).values())}
        resolved = (related_datasets.resolve_dataset(session, name) for name in sorted(names - own))
        yield from (each.dataset if each else None for each in resolved)


def _claimed(session: Session, document: Document) -> Iterator[DatasetRow]:
    """Yield the document's own datasets that another contract covers as well."""
    for _, name in names_of(document):
        dataset = related_datasets.exactly(session, name.namespace, name.name)
        if dataset and any(each.contract_id != document.id for each in dataset.about):
            yield dataset.dataset
