"""Portions of lists: where one ends and the next begins, as a text that means something to this service alone."""

from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property
from typing import Annotated, Any, Generic, TypeVar

from pydantic import AfterValidator, AwareDatetime, Field, TypeAdapter
from sqlalchemy import Select, literal, tuple_

from treaty.registry.core.errors import InvalidRequest

Query = TypeVar("Query", bound=Select[*tuple[Any, ...]])
Row = TypeVar("Row")
FOREIGN = "this cursor is none of this list: ask without one, and then with the `next` of each answer"


@dataclass(frozen=True)
class PageRequest:
    """What is asked for of a list: at most `limit` rows, those after `cursor`. None: from the start."""

    limit: int
    cursor: str | None = None


@dataclass(frozen=True)
class RowPage(Generic[Row]):
    """Rows of a list. `next`: the cursor of those after them, None where there are none."""

    rows: Sequence[Row]
    next: str | None = None


def _utc(moment: datetime) -> datetime:
    try:
        return moment.astimezone(UTC)
    except OverflowError:
        raise ValueError("no moment of this calendar") from None


Count = Annotated[int, Field(ge=0, lt=2**31)]
# What a cursor may hold for a column of that kind: nothing that a database would stumble over.
FORMS: dict[type, Any] = {
    int: Count,
    datetime: Annotated[AwareDatetime, AfterValidator(_utc)],
}


@dataclass(frozen=True)
class SortOrder:
    """How a list is ordered: by columns of one table that together differ for every row of it."""

    columns: tuple[Any, ...]
    newest_first: bool = False

    def of(self, query: Query, asked: PageRequest) -> Query:
        """The query for the rows of the portion, and for one more, by which `cut` knows whether there are others.

        Raises Invalid for a cursor of another list."""
        if asked.cursor is not None:
            query = query.where(self._beyond(_read(self._form, asked.cursor)))
        ordered = [each.desc() if self.newest_first else each.asc() for each in self.columns]
        return query.order_by(*ordered).limit(asked.limit + 1)

    def cut(
        self, found: Sequence[Row], asked: PageRequest, row: Callable[[Row], Any] = lambda each: each
    ) -> RowPage[Row]:
        """The portion, of what the query found. `row` gives the row of the table that the order is of."""
        rows = found[: asked.limit]
        if len(found) <= asked.limit:
            return RowPage(rows)
        last = row(rows[-1])
        return RowPage(rows, _written(self._form, tuple(getattr(last, each.key) for each in self.columns)))

    @cached_property
    def _form(self) -> TypeAdapter[tuple[Any, ...]]:
        kinds = [each.class_.model_fields[each.key].annotation for each in self.columns]
        return TypeAdapter(tuple[tuple(FORMS.get(each, each) for each in kinds)])  # type: ignore[arg-type, misc]

    def _beyond(self, seen: Sequence[Any]) -> Any:
        place = tuple_(*self.columns)
        there = tuple_(*(literal(value, each.type) for value, each in zip(seen, self.columns, strict=True)))
        return place < there if self.newest_first else place > there


COUNTS = TypeAdapter(tuple[Count])


def skipped(asked: PageRequest) -> int:
    """How many rows come before the portion, in a list of no order that a row tells. Raises Invalid as
    `SortOrder.of`."""
    return 0 if asked.cursor is None else int(_read(COUNTS, asked.cursor)[0])


def counted(found: Sequence[Row], asked: PageRequest) -> RowPage[Row]:
    """The portion, of what the query found beyond those that were skipped: one more than is asked for, if there is."""
    more = len(found) > asked.limit
    return RowPage(found[: asked.limit], _written(COUNTS, (skipped(asked) + asked.limit,)) if more else None)


def _written(form: TypeAdapter[Any], values: tuple[Any, ...]) -> str:
    return urlsafe_b64encode(form.dump_json(values)).decode().rstrip("=")


def _read(form: TypeAdapter[Any], cursor: str) -> tuple[Any, ...]:
    try:
        seen: tuple[Any, ...] = form.validate_json(urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)), strict=True)
    except ValueError:
        raise InvalidRequest(FOREIGN) from None
    return seen
