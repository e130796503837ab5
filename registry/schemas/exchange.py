"""Models of imports and templates."""

from typing import Annotated

from pydantic import Field, StringConstraints

from treaty.registry.core.bounded_values import LookupText
from treaty.registry.schemas.base import ApiModel, ApiRequest, Name

Form = Annotated[LookupText, Field(max_length=40)]
Text = Annotated[str, Field(max_length=2_000_000)]


class ImportIn(ApiRequest):
    """A definition in the format of another tool.

    - `name`: name of the table if the text does not contain one."""

    format: Form
    text: Text
    name: Name = "table"


class ImportOut(ApiModel):
    """A contract document converted from another format. It is not stored; propose it to keep it."""

    contract_id: str
    version: str
    document: str


class TemplateIn(ApiRequest):
    """A document to start contracts from.

    - `document`: must be a valid contract before its placeholders, such as `${id}`, are replaced.
    - `description`: what the template is for."""

    name: Annotated[str, StringConstraints(max_length=60, pattern=r"^[a-z0-9][a-z0-9-]*$")]
    description: Name
    document: Annotated[str, Field(min_length=1, max_length=262_144)]


class TemplateOut(ApiModel):
    """A document to start contracts from.

    - `placeholders`: placeholders to fill in, such as `${id}`.
    - `owner`: user who maintains the template; null if it is shipped with Treaty.
    - `description`: what the template is for."""

    name: str
    description: str
    placeholders: tuple[str, ...]
    document: str
    owner: str | None = None
