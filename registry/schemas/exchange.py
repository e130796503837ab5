"""What is imported, as the API takes and gives it."""

from typing import Annotated

from pydantic import Field, StringConstraints

from treaty.registry.schemas.base import ApiModel, ApiRequest, Name

Form = Annotated[str, StringConstraints(max_length=40)]
Text = Annotated[str, Field(max_length=2_000_000)]


class ImportIn(ApiRequest):
    """A text in the form of another tool; `name`: what its table is called where the text does not say."""

    format: Form
    text: Text
    name: Name = "table"


class ImportOut(ApiModel):
    """A contract document that was made of the text. It is not kept: propose it."""

    contract_id: str
    version: str
    document: str


class TemplateIn(ApiRequest):
    """A document for others to start from. Its places are written as ${id}; it must be a contract before they are
    filled."""

    name: Annotated[str, StringConstraints(max_length=60, pattern=r"^[a-z0-9][a-z0-9-]*$")]
    description: Name
    document: Annotated[str, Field(min_length=1, max_length=262_144)]


class TemplateOut(ApiModel):
    """A document to start from: what it is for, and its places, such as ${id}, for what only its author knows.

    `owner`: who keeps it for others; None: it comes with Treaty."""

    name: str
    description: str
    placeholders: tuple[str, ...]
    document: str
    owner: str | None = None
