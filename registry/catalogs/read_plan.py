"""Plan which tables of a catalog are loaded. Pure: no requests, no database."""

from collections.abc import Mapping
from dataclasses import dataclass

from treaty.registry.catalogs.bounds import is_storable
from treaty.registry.catalogs.model import Identifier, TableListing, parse_spelled, spell


@dataclass(frozen=True)
class StoredTable:
    """Newest facts of a table. `dropped`: whether the catalog did not have it at the last read."""

    token: str
    dropped: bool = False


@dataclass(frozen=True)
class TableLoad:
    """A table to load. `name`: spelled. `token`: that of the stored facts; '' if they do not matter."""

    name: str
    identifier: Identifier
    token: str = ""


@dataclass(frozen=True, kw_only=True)
class ReadPlan:
    """Plan of a read.

    `loads`: tables to load, by name. `confirmed`: tables whose token in the listing is that of the stored facts.
    `dropped`: stored tables that a complete listing does not have. `unstorable`: number of tables whose names do not
    fit into the database."""

    loads: tuple[TableLoad, ...]
    confirmed: tuple[str, ...]
    dropped: tuple[str, ...]
    unstorable: int = 0


def plan_read(listing: TableListing, stored: Mapping[str, StoredTable], *, after: str = "") -> ReadPlan:
    """Return the plan. `stored`: by spelled name. `after`: the last table that an earlier part of the read loaded.

    Stored tables that an incomplete listing does not have are loaded, to learn whether they exist."""
    listed = {spell(each.identifier): each for each in listing.tables if is_storable(each.identifier)}
    present = {name: facts for name, facts in stored.items() if not facts.dropped}
    confirmed = {name for name, each in listed.items() if name in present and each.token == present[name].token}
    missing = present.keys() - listed.keys()
    identifiers = {name: each.identifier for name, each in listed.items() if name not in confirmed}
    identifiers |= {} if listing.complete else {name: parse_spelled(name) for name in missing}
    return ReadPlan(
        loads=tuple(
            TableLoad(name, identifiers[name], present[name].token if name in present else "")
            for name in sorted(identifiers)
            if name > after
        ),
        confirmed=tuple(sorted(confirmed)),
        dropped=tuple(sorted(missing)) if listing.complete else (),
        unstorable=sum(not is_storable(each.identifier) for each in listing.tables),
    )
