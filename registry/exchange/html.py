"""Export a contract as one HTML page, in light and dark mode.

The page has no scripts and no external resources."""

from collections.abc import Iterable, Iterator
from html import escape

from treaty.registry.exchange.document_summary import DocumentSummary, ExportGrid, TableSection, summarize
from treaty.registry.exchange.export_source import ExportSource

# Prevents the browser from loading or running anything, whatever the document contains.
POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"
STYLE = """
:root { color-scheme: light dark; --line: #d0d7de; --faint: #59636e; --ground: #f6f8fa }
@media (prefers-color-scheme: dark) { :root { --line: #3d444d; --faint: #9198a1; --ground: #151b23 } }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 72rem; margin: 2rem auto; padding: 0 1rem }
h1, h2, h3 { line-height: 1.2; overflow-wrap: anywhere }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .2rem 1rem }
dt, caption { color: var(--faint) } dd { margin: 0; overflow-wrap: anywhere } p { white-space: pre-wrap }
.wide { overflow-x: auto } table { border-collapse: collapse; width: 100%; margin: 1rem 0 }
caption { text-align: left } th, td { border-bottom: 1px solid var(--line); padding: .3rem .6rem; text-align: left;
vertical-align: top; overflow-wrap: anywhere } td:first-child, pre { font-family: ui-monospace, monospace }
pre { background: var(--ground); padding: 1rem; overflow-x: auto }
"""


def write(subject: ExportSource) -> bytes:
    """Return the page as UTF-8. Raises ContractError if the document has faults."""
    return "\n".join(_page(summarize(subject))).encode()


def _page(page: DocumentSummary) -> Iterator[str]:
    title = escape(page.title)
    yield '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">'
    yield f'<meta http-equiv="Content-Security-Policy" content="{escape(POLICY)}">'
    yield '<meta name="viewport" content="width=device-width, initial-scale=1">'
    yield f"<title>{title}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n<main>\n<h1>{title}</h1>"
    yield from _paragraphs(page.prose)
    yield "<dl>"
    yield from (f"<dt>{escape(name)}</dt><dd>{escape(value)}</dd>" for name, value in page.facts)
    yield "</dl>"
    for section in page.sections:
        yield from _section(section)
    yield f"<details><summary>Full document</summary><pre>{escape(page.document)}</pre></details>"
    yield "</main>\n</body>\n</html>\n"


def _section(section: TableSection) -> Iterator[str]:
    yield f"<h2>{escape(section.title)}</h2>"
    yield from _paragraphs(section.prose)
    for table in section.tables:
        yield from _table(table) if table.rows else ()


def _table(table: ExportGrid) -> Iterator[str]:
    yield f'<div class="wide"><table><caption>{escape(table.title)}</caption>'
    yield f"<thead>{_row('th', table.head)}</thead>\n<tbody>"
    yield from (_row("td", each) for each in table.rows)
    yield "</tbody></table></div>"


def _row(cell: str, row: Iterable[str]) -> str:
    return "<tr>" + "".join(f"<{cell}>{escape(each)}</{cell}>" for each in row) + "</tr>"


def _paragraphs(prose: Iterable[str]) -> Iterator[str]:
    return (f"<p>{escape(each)}</p>" for each in prose)
