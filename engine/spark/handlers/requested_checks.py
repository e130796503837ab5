"""What a request's documents promise of one table: the objects whose checks are read together."""

from collections.abc import Sequence
from dataclasses import replace

from treaty.contracts.document.classification import classifies
from treaty.contracts.document.model import DataObject
from treaty.contracts.document.reader import read
from treaty.contracts.errors import ContractError
from treaty.engine.protocol.requests import MeasureRequest, SampleRequest


def objects(request: MeasureRequest) -> tuple[DataObject, ...]:
    """The object of the contract, then those of the further documents that can be read: they all know what is
    classified. Raises ContractError for faults of the contract, KeyError where it has no such object."""
    shared = _classifying(request.classifying)
    own = read(request.contract).object(request.object)
    return tuple(replace(each, classifying_objects=shared) for each in (own, *_sound(request.extra_documents)))


def of_sample(request: SampleRequest) -> DataObject:
    """The object of the contract, which knows what is classified. Raises as `objects`."""
    return replace(read(request.contract).object(request.object), classifying_objects=_classifying(request.classifying))


def _classifying(documents: Sequence[tuple[bytes, str]]) -> tuple[DataObject, ...]:
    """None may be passed over: what it classifies would be stored."""
    return tuple(each for each in (read(body).object(name) for body, name in documents) if classifies(each))


def _sound(documents: Sequence[tuple[bytes, str]]) -> list[DataObject]:
    found = []
    for body, name in documents:
        try:
            found.append(read(body).object(name))
        except (ContractError, KeyError):
            continue
    return found
