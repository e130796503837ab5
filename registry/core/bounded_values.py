"""Types of values from outside that both databases can store: integers, times, texts and JSON objects."""

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Annotated, Any

from pydantic import AfterValidator, AwareDatetime, Field, StringConstraints

from treaty.engine.core import clock

# PostgreSQL cannot store NUL in a text.
NUL = "\x00"
NO_NUL = r"^[^\x00]*$"
# As long as a predicate may be, which is the longest text that is looked up.
LONGEST_LOOKUP = 4096


def _utc(moment: datetime) -> datetime:
    """Return the time in UTC, which a time without a zone is in. Raises ValueError if UTC has no such year."""
    try:
        return clock.aware(moment).astimezone(UTC)
    except OverflowError:
        raise ValueError("must be between the years 1 and 9999 in UTC") from None


def _without_nul(content: dict[str, Any]) -> dict[str, Any]:
    """Return the object. Raises ValueError if one of its texts contains NUL."""
    if any(NUL in each for each in _texts(content)):
        raise ValueError("must not contain the character NUL")
    return content


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for each in (*value, *value.values()):
            yield from _texts(each)
    elif isinstance(value, list):
        for each in value:
            yield from _texts(each)


Count = Annotated[int, Field(ge=0, lt=2**31)]
Revision = Annotated[int, Field(ge=1, lt=2**31)]
LargeCount = Annotated[int, Field(ge=0, lt=2**63)]
Timestamp = Annotated[AwareDatetime, AfterValidator(_utc)]
# Without a zone, the time is in UTC.
LocalTimestamp = Annotated[datetime, AfterValidator(_utc)]
LookupText = Annotated[str, StringConstraints(max_length=LONGEST_LOOKUP, pattern=NO_NUL)]
WITHOUT_NUL = AfterValidator(_without_nul)
JsonObject = Annotated[dict[str, Any], WITHOUT_NUL]
