"""The state of an object in HTTP: an ETag that says which one was read, If-Match against changing another.

The tags are strong although they stand for the state and not for bytes: If-Match compares nothing else. If-Match is
heeded wherever it is sent. It must be sent where a change would otherwise write over what its sender never saw, which
`*` says is meant."""

from dataclasses import dataclass
from typing import Annotated, TypeVar

from fastapi import Depends, Header, Response
from sqlmodel import Session

from treaty.registry.audit import audit_log
from treaty.registry.core.errors import PreconditionFailed, PreconditionRequired
from treaty.registry.core.pagination import PageRequest
from treaty.registry.schemas import EtagModel

ANY = "*"
Shown = TypeVar("Shown", bound=EtagModel)


@dataclass(frozen=True)
class IfMatchPrecondition:
    """What the request's If-Match names; None: it has none."""

    tags: frozenset[str] | None

    @property
    def stated(self) -> bool:
        """Whether it names a state, so that the current one must be looked at."""
        return self.tags is not None and ANY not in self.tags

    def check(self, session: Session, object_id: object, current: str) -> None:
        """Raises Changed, saying who did what last, where the request was made of another state than `current`.

        Call it with the object's row locked."""
        if not self.stated or current in (self.tags or ()):
            return
        last = audit_log.entries(session, PageRequest(1), object_id=str(object_id)).rows
        what = f": {last[0].actor} did {last[0].action.value} at {last[0].time:%Y-%m-%d %H:%M:%S} UTC" if last else ""
        raise PreconditionFailed(f"this changed since you read it{what}; its state is {current} now: look again")


def if_match(given: Annotated[str | None, Header(alias="If-Match", max_length=1000)] = None) -> IfMatchPrecondition:
    """What the request says that it saw."""
    if given is None:
        return IfMatchPrecondition(None)
    # A proxy that packs answers weakens their tags; what they say of the state stays true.
    return IfMatchPrecondition(frozenset(each.strip().removeprefix("W/") for each in given.split(",")))


IfMatch = Annotated[IfMatchPrecondition, Depends(if_match)]


def needed(seen: IfMatch) -> IfMatchPrecondition:
    """What the request says that it saw. Raises Unconditional where it says nothing."""
    if seen.tags is None:
        raise PreconditionRequired
    return seen


NeedsMatch = Annotated[IfMatchPrecondition, Depends(needed)]


def with_etag(answer: Response, shown: Shown) -> Shown:
    """What is shown; the answer's ETag says which state of it that is."""
    answer.headers["ETag"] = shown.etag
    return shown
