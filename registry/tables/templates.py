"""Table of contract templates."""

from datetime import datetime
from uuid import UUID

from sqlmodel import Field

from treaty.registry.tables.base import BaseRow, foreign_key_column, time_column


class TemplateRow(BaseRow, table=True):
    """A shared template. Never changed: to edit one, remove it and add another."""

    __tablename__ = "template"
    name: str = Field(primary_key=True)
    description: str
    document: str
    owner_id: UUID = foreign_key_column("user.id", index=True)
    created_at: datetime = time_column()
