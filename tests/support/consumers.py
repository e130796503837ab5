"""A contract in force with a consumer on it: a table of orders, and short ways to subscribe and to ask."""

from copy import deepcopy
from typing import Any
from uuid import UUID

from support.api import World, plain

from treaty.contracts.document import writer
from treaty.registry import schemas
from treaty.registry.core.enums import PinKind

CONTRACT = "shop-orders"
COLUMNS = [
    {"name": "id", "logicalType": "integer", "physicalType": "bigint", "required": True, "unique": True},
    {"name": "day", "logicalType": "date", "partitioned": True, "partitionKeyPosition": 1},
    {"name": "amount", "logicalType": "number", "physicalType": "double"},
    {"name": "country", "logicalType": "string", "physicalType": "string"},
    {"name": "card", "logicalType": "string", "physicalType": "string", "classification": "restricted"},
    {
        "name": "buyer",
        "logicalType": "object",
        "physicalType": "struct<name:string,city:string>",
        "properties": [{"name": "name", "logicalType": "string"}, {"name": "city", "logicalType": "string"}],
    },
]


def check(identity: str, analyzer: str, **words: Any) -> dict[str, Any]:
    """A quality entry of our own."""
    implementation = {"analyzer": analyzer, **words}
    return {"id": identity, "type": "custom", "engine": "treaty", "implementation": implementation}


PRODUCER = [check("many", "size", mustBeGreaterThan=0), check("dear", "minimum", column="amount", mustBeGreaterThan=0)]


def content(
    version: str = "1.0.0", *, quality: Any = None, contract_id: str = CONTRACT, **terms: Any
) -> dict[str, Any]:
    """The producer's contract as data, with these terms of Treaty's own."""
    made = plain(contract_id, version=version)
    made["schema"][0] |= {"properties": deepcopy(COLUMNS), "quality": deepcopy(quality or PRODUCER)}
    return made | ({"customProperties": [{"property": "treaty", "value": terms}]} if terms else {})


def approve(world: World, made: dict[str, Any], *, by: str = "producer", owner: str = "owner") -> schemas.VersionOut:
    """Has the contract proposed and approved."""
    proposal = world.client(by).propose(writer.write(made).decode())
    client = world.client(owner)
    version = client.approve(proposal.id, client.preview(proposal.id).fingerprint).version
    assert version
    return version


def subscribe(
    world: World,
    who: str = "consumer",
    *,
    reads: dict[str, list[str]] | None = None,
    purpose: str = "reports",
    pin: tuple[PinKind, str | None] = (PinKind.NONE, None),
) -> schemas.SubscriptionOut:
    """Has the user subscribe to the contract."""
    body = schemas.SubscriptionIn(
        contract_id=CONTRACT, purpose=purpose, contact="me@example.org", pin=pin[0], pinned_to=pin[1], reads=reads
    )
    return world.client(who).subscribe(body)


def ask(
    world: World, subscription_id: UUID, entry: dict[str, Any], *, column: str | None = None, who: str = "consumer"
) -> schemas.ConsumerCheckOut:
    """Has the consumer add a check: a quality entry where it has a type, else words of the column."""
    patch = {"quality": entry} if "type" in entry or "metric" in entry else entry
    body = schemas.ConsumerCheckIn(object="orders", column=column, patch=patch)
    return world.client(who).add_consumer_check(subscription_id, body)
