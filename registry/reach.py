"""How far a contract reaches: who puts one in force must be able to read the datasets that its checks read, or the
results of a run would tell them what they may not see."""

from collections.abc import Iterator

from sqlmodel import Session, select

from contracts.document import Contract as Document
from engine.references import datasets, wanted
from registry import references, scope
from registry.access import Principal
from registry.datasets import names_of
from registry.errors import Forbidden
from registry.tables import Dataset
from registry.words import Permission

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
        if found is None or not by.may(Permission.READ, scope.of_dataset(session, found)):
            raise Forbidden(BEYOND)


def _spoken_of(session: Session, document: Document) -> Iterator[Dataset | None]:
    """The datasets outside the document that its checks read or refer to; None for a name that stands for none."""
    own = {each.name for each in document.objects}
    for each in document.objects:
        named = {*datasets(each), *(found.dataset for found in wanted(each).values())}
        yield from (references.named(session, name) for name in sorted(named - own))


def _claimed(session: Session, document: Document) -> Iterator[Dataset]:
    """The datasets that the document is about and another contract is, too."""
    for _, name in names_of(document):
        query = select(Dataset).where(Dataset.namespace == name.namespace, Dataset.name == name.name)
        found = session.exec(query).first()
        if found and found.contract_id not in (None, document.id):
            yield found
