"""What a consumer says of their use of a contract's data, as its versions admit it."""

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

# In place of a column: every column of the object.
ALL = "*"
# Whoever still builds on a superseded version may say so: they are then told that they lag.
PINNABLE = IN_FORCE | {VersionState.SUPERSEDED}


@dataclass(frozen=True, kw_only=True)
class Use:
    """What a consumer says of their use. `reads`: the columns by object, ALL for every one; None: all of everything.

    `team`: the name of the team whose use it is, said once and for all; None: their own. `kinds`: of which notices they
    are told; (): of all. `channel_id`: through which channel; None: through all of theirs."""

    purpose: str
    contact: str
    pin: PinKind = PinKind.NONE
    pinned_to: str | None = None
    reads: Mapping[str, Sequence[str]] | None = None
    team: str | None = None
    kinds: Sequence[NotificationKind] = ()
    channel_id: UUID | None = None


def stored_use(session: Session, contract_id: str, use: Use) -> dict[str, Any]:
    """What a row keeps of the use, as the version in force and its versions admit it. Raises Invalid with all faults,
    Conflict where no version is in force."""
    document = read(in_force(session, contract_id).body)
    reads = use.reads if use.reads is not None else {each.name: [ALL] for each in document.objects}
    standing = standings(session, [contract_id])[contract_id]
    faults = [*_unreadable(document, reads), *_unpinnable(standing, use)]
    if faults:
        raise InvalidRequest("the subscription has faults", faults=faults)
    return {
        "purpose": use.purpose,
        "contact": use.contact,
        "pin": use.pin,
        "pinned_to": use.pinned_to,
        "reads": {name: sorted(set(listed)) for name, listed in reads.items()},
        "notification_kinds": sorted(set(use.kinds)),
        "channel_id": use.channel_id,
    }


def _unreadable(document: Document, reads: Mapping[str, Sequence[str]]) -> Iterator[Fault]:
    """What is read and is not in the document; any column where a table declares none."""
    known = {each[1].get("name"): {path for path, _ in columns(each)} for each in members(document.document, "schema")}
    for name, wanted in reads.items():
        if name not in known:
            yield _unknown(f"reads.{name}", f"the contract has no object '{name}'", name, filter(None, known))
            continue
        for column in wanted if known[name] else ():
            if column not in {ALL, *known[name]}:
                yield _unknown(f"reads.{name}", f"'{name}' has no column '{column}'", column, known[name])


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
            message="says what is pinned, but nothing is",
            remedy="say pin: group or pin: version",
        )
    elif use.pin is not PinKind.NONE and use.pinned_to not in legal[use.pin]:
        message = f"is no {use.pin.value} of the contract that can be pinned"
        yield Fault(
            code="TR-PIN",
            where="pinned_to",
            message=message,
            remedy=f"name one of: {', '.join(legal[use.pin]) or 'none is there'}",
        )


def _unknown(where: str, message: str, name: str, known: Iterable[str]) -> Fault:
    names = sorted(known)
    return Fault(
        code="TR-READS",
        where=where,
        message=message,
        remedy=suggest_nearest(name, names) or f"known are {', '.join(names[:20])}",
    )
