"""A contract as Markdown, in which whatever the document says is text, and never markup."""

import re
from collections.abc import Iterable, Iterator
from html import escape

from treaty.registry.exchange.document_summary import DocumentSummary, ExportGrid, TableSection, summarize
from treaty.registry.exchange.export_source import ExportSource

# Addresses, too: readers that turn them into links find none.
_MARKUP = re.compile(r"([\\`*_{}\[\]()#+\-.!|~:@$=^])")


def write(subject: ExportSource) -> bytes:
    """The text, in UTF-8. Raises ContractError for a faulty document."""
    return "\n".join(_page(summarize(subject))).encode()


def _page(page: DocumentSummary) -> Iterator[str]:
    yield f"# {plain(page.title)}\n"
    yield from _paragraphs(page.prose)
    yield from (f"- {name}: {plain(value)}" for name, value in page.facts)
    yield ""
    for section in page.sections:
        yield from _section(section)


def _section(section: TableSection) -> Iterator[str]:
    yield f"## {plain(section.title)}\n"
    yield from _paragraphs(section.prose)
    for table in section.tables:
        yield from _table(table) if table.rows else ()


def _table(table: ExportGrid) -> Iterator[str]:
    yield f"### {table.title}\n"
    yield _row(table.head)
    yield _row("---" for _ in table.head)
    yield from (_row(map(plain, each)) for each in table.rows)
    yield ""


def _row(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _paragraphs(prose: Iterable[str]) -> Iterator[str]:
    return (f"{plain(each)}\n" for each in prose)


def plain(text: str) -> str:
    """The text on one line, with a backslash before every character that could be markup, and none that HTML begins
    with."""
    return _MARKUP.sub(r"\\\1", escape(" ".join(text.split()), quote=False))
