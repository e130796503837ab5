"""Paginate lists with opaque cursors."""

from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import Any, Generic, TypeVar

from pydantic import TypeAdapter
from sqlalchemy import Select, literal, tuple_

from treaty.registry.core.bounded_values import Count, LookupText, Timestamp
from treaty.registry.core.errors import InvalidRequest

Query = TypeVar("Query", bound=Select[*tuple[Any, ...]])
Row = TypeVar("Row")
FOREIGN = (
    "The cursor does not belong to this list. Start without a cursor, then pass the `next` value of each response."
)


@dataclass(frozen=True)
class PageRequest:
    """Request for a page of a list.

    `limit`: maximum number of rows.
    `cursor`: the page starts after this cursor; None means the first page."""

    limit: int
    cursor: str | None = None


@dataclass(frozen=True)
class RowPage(Generic[Row]):
    """A page of a list.

    `next`: cursor of the next page; None means this is the last page."""

    rows: Sequence[Row]
    next: str | None = None


# Restricts the values of a cursor to those that every database accepts.
FORMS: dict[type, Any] = {
    int: Count,
    str: LookupText,
    datetime: Timestamp,
}


@dataclass(frozen=True)
class SortOrder:
    """Order of a list by columns of one table that together are unique."""

    columns: tuple[Any, ...]
    newest_first: bool = False

    def of(self, query: Query, request: PageRequest) -> Query:
        """Return the query for the rows of a page and one more row.

        The additional row shows `cut` whether another page follows. Raises InvalidRequest if the cursor belongs to
        another list."""
        if request.cursor is not None:
            query = query.where(self._beyond(_read(self._form, request.cursor)))
        ordered = [each.desc() if self.newest_first else each.asc() for each in self.columns]
        return query.order_by(*ordered).limit(request.limit + 1)

    def cut(
        self, selected: Sequence[Row], request: PageRequest, row: Callable[[Row], Any] = lambda each: each
    ) -> RowPage[Row]:
        """Return the page of the fetched rows.

        `selected`: the rows of the query that `of` returned.
        `row`: returns the row of the sorted table for a result; by default the result itself."""
        rows = selected[: request.limit]
        if len(selected) <= request.limit:
            return RowPage(rows)
        last = row(rows[-1])
        return RowPage(rows, _written(self._form, tuple(getattr(last, each.key) for each in self.columns)))

    @cached_property
    def _form(self) -> TypeAdapter[tuple[Any, ...]]:
        kinds = [each.class_.model_fields[each.key].annotation for each in self.columns]
        return TypeAdapter(tuple[tuple(FORMS.get(each, each) for each in kinds)])  # type: ignore[arg-type, misc]

    def _beyond(self, values: Sequence[Any]) -> Any:
        position = tuple_(*self.columns)
        boundary = tuple_(*(literal(value, each.type) for value, each in zip(values, self.columns, strict=True)))
        return position < boundary if self.newest_first else position > boundary


COUNTS = TypeAdapter(tuple[Count])


def skipped(request: PageRequest) -> int:
    """Return the offset of a page, for lists without a unique sort order.

    Raises InvalidRequest if the cursor belongs to another list."""
    return 0 if request.cursor is None else int(_read(COUNTS, request.cursor)[0])


def counted(rows: Sequence[Row], request: PageRequest) -> RowPage[Row]:
    """Return the page of rows fetched after the offset.

    `rows`: the rows after `skipped` rows; one more than the limit if another page follows."""
    more = len(rows) > request.limit
    return RowPage(rows[: request.limit], _written(COUNTS, (skipped(request) + request.limit,)) if more else None)


def _written(form: TypeAdapter[Any], values: tuple[Any, ...]) -> str:
    return urlsafe_b64encode(form.dump_json(values)).decode().rstrip("=")


def _read(form: TypeAdapter[Any], cursor: str) -> tuple[Any, ...]:
    try:
        values: tuple[Any, ...] = form.validate_json(urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)), strict=True)
    except ValueError:
        raise InvalidRequest(FOREIGN) from None
    return values
