"""A row is made of the fields of its table alone."""

import pytest
from sqlmodel import SQLModel

from treaty.registry import tables
from treaty.registry.tables.base import BaseRow

ROWS = [row for row in vars(tables).values() if isinstance(row, type) and issubclass(row, SQLModel)]


def test_every_table_refuses_a_field_that_it_lacks() -> None:
    """SQLModel itself drops such a field silently."""
    assert len(ROWS) > 40
    accepting = [row.__name__ for row in ROWS if not issubclass(row, BaseRow)]
    assert accepting == []
    for row in ROWS:
        with pytest.raises(TypeError, match=f"{row.__name__} has no field no_such_field"):
            row(no_such_field=1)
