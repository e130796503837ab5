"""Select the contract objects whose checks one request computes together."""

from collections.abc import Sequence
from dataclasses import replace

from treaty.contracts.document.classification import classifies
from treaty.contracts.document.model import DataObject
from treaty.contracts.document.reader import read
from treaty.contracts.errors import ContractError
from treaty.engine.protocol.requests import MeasureRequest
from treaty.engine.protocol.row_requests import SampleRequest


def objects(request: MeasureRequest) -> tuple[DataObject, ...]:
    """Return the contract's object, then those of the further documents that can be read.

    Each knows which columns are classified. Raises ContractError for faults of the contract, KeyError if it has no such
    object."""
    shared = _classifying(request.classifying)
    own = read(request.contract).object(request.object)
    return tuple(replace(each, classifying_objects=shared) for each in (own, *_sound(request.extra_documents)))


def of_sample(request: SampleRequest) -> DataObject:
    """Return the contract's object with all classified columns. Raises as `objects`."""
    return replace(read(request.contract).object(request.object), classifying_objects=_classifying(request.classifying))


def _classifying(documents: Sequence[tuple[bytes, str]]) -> tuple[DataObject, ...]:
    """Return the objects that classify columns. No document may be skipped: the values that it classifies would be
    stored."""
    return tuple(each for each in (read(body).object(name) for body, name in documents) if classifies(each))


def _sound(documents: Sequence[tuple[bytes, str]]) -> list[DataObject]:
    data_objects = []
    for body, name in documents:
        try:
            data_objects.append(read(body).object(name))
        except (ContractError, KeyError):
            continue
    return data_objects
