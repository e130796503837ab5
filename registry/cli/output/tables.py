"""Print tables, all in one form."""

import re
import sys
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from treaty.engine.core.number_format import visible

if TYPE_CHECKING:
    from rich.console import Console

# Columns of a line that is not read on a terminal.
WIDTH = 160
# Ids are copied into the next command, so they stay on one line.
ID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")


def console() -> "Console":
    """Return the console of standard output, as wide as the terminal."""
    from rich.console import Console

    return Console(highlight=False, width=None if sys.stdout.isatty() else WIDTH)


def shown(text: object) -> str:
    """Return foreign text as it is written, on one line."""
    from rich.markup import escape

    return escape(visible(str(text)))


def print_table(
    on: "Console", headings: Sequence[str], rows: Sequence[Sequence[str | None]], *, none: str = "No results."
) -> None:
    """Print the rows below their headings.

    `none`: text instead of an empty table; '' prints nothing."""
    from rich.table import Table

    if not rows:
        _print_none(on, none)
        return
    table = Table(box=None, pad_edge=False, header_style="bold")
    for heading, cells in zip(headings, _columns(headings, rows), strict=True):
        table.add_column(heading, overflow="fold", no_wrap=any(map(ID.search, cells)))
    for row in rows:
        table.add_row(*(shown(each or "") for each in row))
    on.print(table)


def _print_none(on: "Console", none: str) -> None:
    if none:
        on.print(none, markup=False)


def _columns(headings: Sequence[str], rows: Sequence[Sequence[str | None]]) -> Iterator[list[str]]:
    for at in range(len(headings)):
        yield [row[at] or "" for row in rows]
