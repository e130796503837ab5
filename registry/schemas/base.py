"""The base of all API models, and the texts that they admit."""

from typing import Annotated, Generic, TypeVar

from pydantic import BaseModel, ConfigDict, Field, SecretStr, StringConstraints, computed_field

from treaty.contracts.fingerprint import short_fingerprint
from treaty.registry.core.enums import USER_NAME

# PostgreSQL cannot keep NUL in a text, and no name, title or reason needs a control character.
PRINTABLE = r"^[^\x00-\x08\x0b\x0c\x0e-\x1f\x7f]*$"
Name = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=200, pattern=PRINTABLE)]
UserName = Annotated[str, StringConstraints(strip_whitespace=True, to_lower=True, max_length=100, pattern=USER_NAME)]
Prose = Annotated[str, StringConstraints(strip_whitespace=True, max_length=4000, pattern=PRINTABLE)]
Reason = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=4000, pattern=PRINTABLE)]
Location = Annotated[str, StringConstraints(min_length=1, max_length=2000, pattern=PRINTABLE)]
Password = Annotated[SecretStr, Field(min_length=12, max_length=256)]
Item = TypeVar("Item")


class ApiModel(BaseModel):
    """The base of all: immutable, readable from rows."""

    model_config = ConfigDict(frozen=True, from_attributes=True)


class ApiRequest(ApiModel):
    """The base of what is sent: unknown words are refused."""

    model_config = ConfigDict(extra="forbid")


class Page(ApiModel, Generic[Item]):
    """A portion of a list. `next` is the cursor to ask for the one after it with; None: there is none."""

    items: tuple[Item, ...]
    next: str | None = None


class EtagModel(ApiModel):
    """An object that can be changed. `etag` says which state of it this is: send it as `If-Match` with a change."""

    @computed_field  # type: ignore[prop-decorator]
    @property
    def etag(self) -> str:
        """A tag that differs where any field does."""
        return f'"{short_fingerprint(self.model_dump(mode="json", exclude={"etag"}))}"'


class FaultOut(ApiModel):
    """One thing wrong with a document or a request: what, where, what to do."""

    code: str
    where: str
    message: str
    remedy: str = ""
    line: int | None = None


class ProblemOut(ApiModel):
    """The body of every answer that is not a success, as RFC 9457 has it. `faults` name each field and what is wrong
    with it, `reference` finds an unexpected failure in the log. `error` and `message` say `title` and `detail` again,
    for programs that know this form only."""

    type: str = "about:blank"
    title: str = ""
    status: int = 0
    detail: str = ""
    error: str
    message: str
    faults: tuple[FaultOut, ...] = ()
    reference: str | None = None


class HealthOut(ApiModel):
    """The process answers."""

    status: str


class ReadinessOut(ApiModel):
    """The service answers and its database is at this schema version."""

    status: str
    migration: str
