"""Print a profile to a terminal: one line per column, then the notes."""

from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from treaty.engine.core.number_format import visible
from treaty.engine.profile.format import ColumnDocument, ProfileDocument
from treaty.engine.profile.html import coverage_sentence, fact_text, read_as

SHOWN = ("completeness", "approx_count_distinct", "minimum", "median", "maximum", "maximum_length")
HEADINGS = ("column", "type", "completeness", "distinct", "min", "median", "max", "max length", "most frequent")


def print_profile(of: ProfileDocument, console: Console) -> None:
    """Print the profile as a table, then its notes."""
    table = Table(box=None, pad_edge=False, header_style="bold")
    for heading in HEADINGS:
        table.add_column(heading, overflow="fold")
    for column in of.columns:
        table.add_row(*map(_text, _row(column)))
    console.print(table)
    console.print(f"\n{_text(coverage_sentence(of))}")
    for note in of.notes:
        console.print(f"[yellow]{_text(note)}[/]")
    for column in of.columns:
        for note in column.notes:
            console.print(f"[yellow]{_text(column.name)}: {_text(note)}[/]")


def _row(of: ColumnDocument) -> list[str]:
    words = ", ".join(filter(None, (of.type, read_as(of.reads_as))))
    facts = [fact_text(name, of.facts[name]) if name in of.facts else "" for name in SHOWN]
    return [of.name, words, *facts, ", ".join(each.value for each in of.values[:3])]


def _text(text: Any) -> str:
    return escape(visible(str(text)))
