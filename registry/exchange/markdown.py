"""Export a contract as Markdown in which no text of the document acts as markup."""

import re
from collections.abc import Iterable, Iterator
from html import escape

from treaty.registry.exchange.document_summary import DocumentSummary, ExportGrid, TableSection, summarize
from treaty.registry.exchange.export_source import ExportSource

# Includes characters of URLs and e-mail addresses, so that viewers do not turn them into links.
_MARKUP = re.compile(r"([\\`*_{}\[\]()#+\-.!|~:@$=^])")


def write(subject: ExportSource) -> bytes:
    """Return the text as UTF-8. Raises ContractError if the document has faults."""
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
    """Return the text on one line, with Markdown characters escaped and HTML characters encoded."""
    return _MARKUP.sub(r"\\\1", escape(" ".join(text.split()), quote=False))
