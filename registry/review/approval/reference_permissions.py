"""How far a contract reaches: who puts one in force must be able to read the datasets that its checks read, or the
results of a run would tell them what they may not see."""

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
    "the contract speaks of a dataset that you may not read, or that is not known here: "
    "an owner who may read it must approve"
)


def refuse_beyond(session: Session, document: Document, by: Principal) -> None:
    """Raises Forbidden where the document names a dataset that is not the principal's to read, or none at all.

    Who may read everything is asked nothing: unknown datasets are no secret then."""
    if by.may(Permission.READ):
        return
    for found in (*_spoken_of(session, document), *_claimed(session, document)):
        places = visibility.of_dataset(session, found) if found else ()
        if not any(by.may(Permission.READ, place) for place in places):
            raise Forbidden(BEYOND)


def _spoken_of(session: Session, document: Document) -> Iterator[DatasetRow | None]:
    """The datasets outside the document that its checks read or refer to; None for a name that stands for none."""
    own = {each.name for each in document.objects}
    for each in document.objects:
        named = {*datasets(each), *(found.dataset for found in referenced_metrics(each).values())}
        found = (related_datasets.resolve_dataset(session, name) for name in sorted(named - own))
        yield from (each.dataset if each else None for each in found)


def _claimed(session: Session, document: Document) -> Iterator[DatasetRow]:
    """The datasets that the document is about and another contract is, too."""
    for _, name in names_of(document):
        found = related_datasets.exactly(session, name.namespace, name.name)
        if found and any(each.contract_id != document.id for each in found.about):
            yield found.dataset
