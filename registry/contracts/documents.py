"""Cache the parsed documents and bound checks of one request.

A procedure creates one `Documents` and passes it on; nothing in it outlives the request."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from treaty.contracts.document import reader
from treaty.contracts.document.identifiers import disguise
from treaty.contracts.document.model import Contract
from treaty.contracts.errors import ContractError, Fault
from treaty.contracts.schema import Schema
from treaty.engine.checks.binding import bind
from treaty.engine.checks.bound_check import BoundChecks
from treaty.registry.access import visibility
from treaty.registry.core.errors import InvalidRequest
from treaty.registry.datasets.contract_datasets import names_of

LONGEST_NAME = 500
Bound = BoundChecks | ContractError


@dataclass(frozen=True)
class Documents:
    """Documents parsed during a request, and their bound checks.

    `contracts`: by the document's bytes.
    `bound`: by the document's bytes and the object's name; a ContractError if binding failed."""

    contracts: dict[bytes, Contract] = field(default_factory=dict)
    bound: dict[tuple[bytes, str], Bound] = field(default_factory=dict)

    def stored(self, document: bytes) -> Contract:
        """Return the contract of a document that was accepted before. Raises ContractError with all its faults."""
        if document not in self.contracts:
            self.contracts[document] = reader.read(document)
        return self.contracts[document]

    def parsed(self, document: bytes) -> Contract:
        """Return the contract of the document, without validating its checks.

        Raises InvalidRequest with the faults of the text."""
        try:
            return self.stored(document)
        except ContractError as error:
            raise InvalidRequest.because(error) from error

    def checked(self, document: bytes) -> Contract:
        """Return the contract of the document. Raises InvalidRequest with all faults of its text and checks."""
        contract = self.parsed(document)
        faults = [fault for each in contract.objects for fault in self._faults(contract, each.name)]
        faults.extend(_unkeepable(contract))
        if faults:
            raise InvalidRequest.because(ContractError(faults))
        return contract

    def checks(self, contract: Contract, name: str) -> BoundChecks:
        """Return the checks of an object, bound to an empty schema. Raises ContractError with all their faults."""
        key = contract.source, name
        if key not in self.bound:
            self.bound[key] = _bound(contract, name)
        bound = self.bound[key]
        if isinstance(bound, ContractError):
            raise bound
        return bound

    def _faults(self, contract: Contract, name: str) -> Sequence[Fault]:
        try:
            self.checks(contract, name)
        except ContractError as error:
            return error.faults
        return ()


def _bound(contract: Contract, name: str) -> Bound:
    try:
        return bind(contract.object(name), Schema(()))
    except ContractError as error:
        return error


def _unkeepable(contract: Contract) -> Iterator[Fault]:
    """Yield faults of names that the database cannot index, and of a confusable id."""
    if disguised := disguise(contract.id):
        yield Fault(
            code="TR-NAME",
            where="id",
            message=disguised,
            remedy="use letters of one script",
            line=contract.lines.get("id"),
        )
    domain = visibility.domain_of(contract) or ""
    tables = ((each.path, part) for each, name in names_of(contract) for part in (name.namespace, name.name))
    named = (("id", contract.id), ("name", contract.name), ("version", contract.version), ("domain", domain), *tables)
    for path, text in named:
        if len(text) > LONGEST_NAME or any(character < " " for character in text):
            remedy = f"use at most {LONGEST_NAME} characters and no control characters"
            yield Fault(
                code="TR-NAME",
                where=path,
                message="cannot be stored as a name",
                remedy=remedy,
                line=contract.lines.get(path),
            )
