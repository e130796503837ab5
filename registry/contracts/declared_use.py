"""Validate a consumer's declared use of a contract's data against its versions."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from sqlmodel import Session

from treaty.contracts.document.columns import columns, members
from treaty.contracts.document.model import Contract as Document
from treaty.contracts.document.reader import read
from treaty.contracts.errors import Fault, suggest_nearest
from treaty.registry.contracts.version_status import VersionOverview, in_force, standings
from treaty.registry.core.enums import NotificationKind, PinKind, VersionState
from treaty.registry.core.errors import InvalidRequest
from treaty.registry.core.state_machines import IN_FORCE

# Stands for every column of an object.
ALL = "*"
# A consumer may pin a superseded version; the subscription is then reported as lagging.
PINNABLE = IN_FORCE | {VersionState.SUPERSEDED}


@dataclass(frozen=True, kw_only=True)
class Use:
    """A consumer's declared use of a contract's data.

    `pin`, `pinned_to`: the group or version that the consumer depends on.
    `reads`: columns by object, with ALL for every column; None means all columns of all objects.
    `team`: name of the team that uses the data, fixed once subscribed; None means the subscriber alone.
    `kinds`: notification kinds to send; () means all.
    `channel_id`: channel for notifications; None means all channels of the subscriber."""

    purpose: str
    contact: str
    pin: PinKind = PinKind.NONE
    pinned_to: str | None = None
    reads: Mapping[str, Sequence[str]] | None = None
    team: str | None = None
    kinds: Sequence[NotificationKind] = ()
    channel_id: UUID | None = None


def stored_use(session: Session, contract_id: str, use: Use) -> dict[str, Any]:
    """Validate the use and return the columns of its subscription row.

    Raises InvalidRequest with all faults, and Conflict if no version is in force."""
    document = read(in_force(session, contract_id).body)
    reads = use.reads if use.reads is not None else {each.name: [ALL] for each in document.objects}
    overview = standings(session, [contract_id])[contract_id]
    faults = [*_unreadable(document, reads), *_unpinnable(overview, use)]
    if faults:
        raise InvalidRequest("The subscription has faults", faults=faults)
    return {
        "purpose": use.purpose,
        "contact": use.contact,
        "pin": use.pin,
        "pinned_to": use.pinned_to,
        "reads": {name: sorted(set(paths)) for name, paths in reads.items()},
        "notification_kinds": sorted(set(use.kinds)),
        "channel_id": use.channel_id,
    }


def _unreadable(document: Document, reads: Mapping[str, Sequence[str]]) -> Iterator[Fault]:
    """Yield a fault for each declared object or column that is not in the document.

    Any column is valid if the table declares none."""
    paths = {each[1].get("name"): {path for path, _ in columns(each)} for each in members(document.document, "schema")}
    for name, requested in reads.items():
        if name not in paths:
            yield _unknown(f"reads.{name}", f"the contract has no object '{name}'", name, filter(None, paths))
            continue
        for column in requested if paths[name] else ():
            if column not in {ALL, *paths[name]}:
                yield _unknown(f"reads.{name}", f"'{name}' has no column '{column}'", column, paths[name])


def _unpinnable(standing: VersionOverview, use: Use) -> Iterator[Fault]:
    legal: Mapping[PinKind, Sequence[str]] = {
        PinKind.NONE: (),
        PinKind.GROUP: standing.groups,
        PinKind.VERSION: [each.version for each in standing.versions if each.state in PINNABLE],
    }
    if use.pin is PinKind.NONE and use.pinned_to is not None:
        yield Fault(
            code="TR-PIN",
            where="pinned_to",
            message="is set although nothing is pinned",
            remedy="set pin to group or version, or remove pinned_to",
        )
    elif use.pin is not PinKind.NONE and use.pinned_to not in legal[use.pin]:
        message = f"is not a {use.pin.value} of the contract that can be pinned"
        yield Fault(
            code="TR-PIN",
            where="pinned_to",
            message=message,
            remedy=f"use one of: {', '.join(legal[use.pin]) or 'none available'}",
        )


def _unknown(where: str, message: str, name: str, available: Iterable[str]) -> Fault:
    names = sorted(available)
    return Fault(
        code="TR-READS",
        where=where,
        message=message,
        remedy=suggest_nearest(name, names) or f"available: {', '.join(names[:20])}",
    )
