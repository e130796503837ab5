"""ETags of objects, and If-Match preconditions on changes.

The tags are strong although they identify a state rather than bytes, because If-Match ignores weak ones. If-Match is
honored on every change. It is required unless the body names the state that the change is based on, by its revision or
fingerprint; `*` states that any state may be changed."""

from dataclasses import dataclass
from typing import Annotated, TypeVar

from fastapi import Depends, Header, Response
from sqlmodel import Session

from treaty.registry.audit import audit_log
from treaty.registry.core.bounded_values import LookupText
from treaty.registry.core.errors import PreconditionFailed, PreconditionRequired
from treaty.registry.core.pagination import PageRequest
from treaty.registry.schemas import EtagModel

ANY = "*"
Shown = TypeVar("Shown", bound=EtagModel)


@dataclass(frozen=True)
class IfMatchPrecondition:
    """The precondition of a request.

    `tags`: values of If-Match; None means that the header is missing."""

    tags: frozenset[str] | None

    @property
    def stated(self) -> bool:
        """Return whether the precondition names a state that must be compared with the current one."""
        return self.tags is not None and ANY not in self.tags

    def check(self, session: Session, object_id: object, current: str) -> None:
        """Raise PreconditionFailed, naming the last change, if `current` does not match.

        Call it with the object's row locked."""
        if not self.stated or current in (self.tags or ()):
            return
        last = audit_log.entries(session, PageRequest(1), object_id=str(object_id)).rows
        change = f" ({last[0].actor}: {last[0].action} at {last[0].time:%Y-%m-%d %H:%M:%S} UTC)" if last else ""
        raise PreconditionFailed(
            f"This has changed since you read it{change}. Its ETag is now {current}. Reload it and try again."
        )


def if_match(
    header: Annotated[LookupText | None, Header(alias="If-Match", max_length=1000)] = None,
) -> IfMatchPrecondition:
    """Return the precondition of the request."""
    if header is None:
        return IfMatchPrecondition(None)
    # A proxy that compresses responses weakens their tags, which still identify the state.
    return IfMatchPrecondition(frozenset(each.strip().removeprefix("W/") for each in header.split(",")))


IfMatch = Annotated[IfMatchPrecondition, Depends(if_match)]


def needed(if_match: IfMatch) -> IfMatchPrecondition:
    """Return the precondition of the request. Raises PreconditionRequired if there is none."""
    if if_match.tags is None:
        raise PreconditionRequired
    return if_match


NeedsMatch = Annotated[IfMatchPrecondition, Depends(needed)]


def with_etag(answer: Response, shown: Shown) -> Shown:
    """Set the ETag header of the response and return the model."""
    answer.headers["ETag"] = shown.etag
    return shown
