"""Base classes and constrained text types of the API models."""

from typing import Annotated, Any, ClassVar, Generic, TypeVar

from pydantic import BaseModel, ConfigDict, Field, GetJsonSchemaHandler, SecretStr, StringConstraints, computed_field
from pydantic_core import CoreSchema

from treaty.contracts.fingerprint import short_fingerprint
from treaty.registry.core.enums import USER_NAME
from treaty.registry.schemas.field_descriptions import describe_fields

# PostgreSQL cannot store NUL in text, and no name, title or reason needs control characters.
PRINTABLE = r"^[^\x00-\x08\x0b\x0c\x0e-\x1f\x7f]*$"
Name = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=200, pattern=PRINTABLE)]
UserName = Annotated[str, StringConstraints(strip_whitespace=True, to_lower=True, max_length=100, pattern=USER_NAME)]
Prose = Annotated[str, StringConstraints(strip_whitespace=True, max_length=4000, pattern=PRINTABLE)]
Reason = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=4000, pattern=PRINTABLE)]
Location = Annotated[str, StringConstraints(min_length=1, max_length=2000, pattern=PRINTABLE)]
Password = Annotated[SecretStr, Field(min_length=12, max_length=256)]
Item = TypeVar("Item")


class ApiModel(BaseModel):
    """Base class of all models: immutable and readable from rows.

    The docstring of a model describes its fields in a list. The JSON schema has these descriptions at the fields."""

    model_config = ConfigDict(frozen=True, from_attributes=True)

    @classmethod
    def __get_pydantic_json_schema__(cls, core: CoreSchema, handler: GetJsonSchemaHandler) -> dict[str, Any]:
        """Return the JSON schema of the model with the descriptions of its fields."""
        schema = handler.resolve_ref_schema(handler(core))
        describe_fields(schema, *(vars(kind).get("__doc__") or "" for kind in cls.__mro__))
        return schema


class ApiRequest(ApiModel):
    """Base class of request bodies. Unknown fields are rejected."""

    model_config = ConfigDict(extra="forbid")


class Page(ApiModel, Generic[Item]):
    """One page of a list.

    - `next`: cursor of the next page; null on the last page."""

    items: tuple[Item, ...]
    next: str | None = None


class EtagModel(ApiModel):
    """An object that can be changed.

    `unversioned`: fields that may change by themselves, or depend on the caller.

    - `etag`: identifies the current content; send it as `If-Match` with a change."""

    unversioned: ClassVar[frozenset[str]] = frozenset()

    @computed_field  # type: ignore[prop-decorator]
    @property
    def etag(self) -> str:
        """Entity tag; changes whenever a field changes."""
        return f'"{short_fingerprint(self.model_dump(mode="json", exclude={"etag", *self.unversioned}))}"'


class FaultOut(ApiModel):
    """A fault in a document or a request.

    - `code`: stable code of the kind of fault.
    - `where`: the field or the path of the element.
    - `remedy`: how to fix it; may be empty.
    - `line`: line of the document, starting at 1; null if unknown.
    - `message`: what is wrong, without data values."""

    code: str
    where: str
    message: str
    remedy: str = ""
    line: int | None = None


class ProblemOut(ApiModel):
    """The body of every error response, in the format of RFC 9457 (Problem Details).

    - `faults`: every invalid field with a description of the fault.
    - `reference`: identifies an unexpected error in the service's log; null otherwise.
    - `error`, `message`: repeat `title` and `detail` for clients that support only this format.
    - `type`: URI of the kind of problem.
    - `status`: HTTP status.
    - `detail`: what went wrong and what to do."""

    type: str = "about:blank"
    title: str = ""
    status: int = 0
    detail: str = ""
    error: str
    message: str
    faults: tuple[FaultOut, ...] = ()
    reference: str | None = None


class HealthOut(ApiModel):
    """The process is alive.

    - `status`: `alive`."""

    status: str


class ReadinessOut(ApiModel):
    """The service is ready.

    - `migration`: schema version of the database.
    - `status`: `ready`."""

    status: str
    migration: str
