"""Refuse drafts and contracts about data that the service may not read."""

from collections.abc import Collection, Iterator, Mapping
from typing import Any

from sqlmodel import Session

from treaty.contracts.document.model import Contract as Document
from treaty.contracts.errors import Fault
from treaty.engine.core.locations.rules import LocationRules
from treaty.registry.access import visibility
from treaty.registry.access.authentication import Principal
from treaty.registry.core.enums import GrantScope, Permission
from treaty.registry.core.errors import InvalidRequest
from treaty.registry.datasets import names, related_datasets
from treaty.registry.datasets.contract_datasets import names_of
from treaty.registry.tables import ContractRow

# A claimed location: where the document names it, the location, and the format that was requested.
Claim = tuple[str, str, str | None]


def refuse_document(session: Session, document: Document, source: Mapping[str, Any], rules: LocationRules) -> None:
    """Raise InvalidRequest if data of the contract or of its checks may not be read.

    `source`: source of the draft; {} for none."""
    domains = frozenset({visibility.domain_of(document)})
    own = ((claim, domains) for claim in _own(document, source))
    _refuse([*own, *((claim, None) for claim in _others(session, document))], rules)


def refuse_draft(session: Session, contract_id: str, claim: Claim, rules: LocationRules, *, by: Principal) -> None:
    """Raise InvalidRequest if the table of a draft may not be read."""
    _refuse([(claim, _domains(session, contract_id, by))], rules)


def _domains(session: Session, contract_id: str, by: Principal) -> Collection[str | None] | None:
    """Return the domains that the draft may be for; None means any, until its approval."""
    contract = session.get(ContractRow, contract_id)
    if contract is not None:
        return {contract.domain}
    return None if by.may(Permission.DRAFT) else by.targets(Permission.DRAFT, GrantScope.DOMAIN)


def _own(document: Document, source: Mapping[str, Any]) -> Iterator[Claim]:
    for each, name in names_of(document):
        yield f"schema.{each.name}", names.location(name.namespace, name.name), None
    if source.get("location"):
        yield "source", str(source["location"]), source.get("format")


def _others(session: Session, document: Document) -> Iterator[Claim]:
    for each in document.objects:
        for name, other in related_datasets.sources(session, document, each).items():
            yield f"schema.{each.name}, dataset {name}", other.location, other.format


def _refuse(claims: Collection[tuple[Claim, Collection[str | None] | None]], rules: LocationRules) -> None:
    resolved = rules.resolve()
    reasons = ((where, resolved.refusal(place, kind, domains)) for (where, place, kind), domains in claims)
    faults = [Fault(code="location", where=where, message=reason) for where, reason in reasons if reason]
    if faults:
        raise InvalidRequest("The data may not be read", faults=faults)
