"""List the export formats: each is one function, by name in FORMS."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from treaty.contracts.document.model import Contract
from treaty.contracts.editing.text_edits import with_option, with_property, with_status
from treaty.engine.checks.column_keywords import columns_of
from treaty.engine.checks.pattern_option import patterns_of
from treaty.registry.exchange import dbt_export, dqx, great_expectations, html, markdown, soda
from treaty.registry.exchange.export_source import ExportSource

RECORD = "treatyRecord"


@dataclass(frozen=True)
class ExportFormat:
    """An export format: its writer, media type and file name suffix."""

    write: Callable[[ExportSource], bytes]
    media_type: str
    suffix: str

    def file_name(self, subject: ExportSource) -> str:
        """Return a file name of ASCII letters, digits, dots, dashes and underscores."""
        title = f"{subject.contract.id}-{subject.contract.version}"
        plain = "".join(each if each.isascii() and (each.isalnum() or each in "._-") else "-" for each in title)
        return f"{plain.strip('.-')[:100] or 'contract'}{self.suffix}"


def _odcs(subject: ExportSource) -> bytes:
    """Return the document with its registry status and approval record, if present.

    Pattern checks of all rows are added as the standard's own `pattern`, for tools that read only that."""
    document = with_status(subject.document, subject.status) if subject.status else subject.document
    for path, pattern in _patterns(subject.contract):
        document = with_option(document, path, "pattern", pattern)
    return with_property(document, RECORD, subject.record) if subject.record else document


def _patterns(contract: Contract) -> Iterator[tuple[str, str]]:
    """Yield (path, pattern) of text columns without a `pattern` that have an equal check."""
    for each in contract.objects:
        patterns = patterns_of(each)
        for name, column in columns_of(each.properties):
            if column.logical_type == "string" and name in patterns and "pattern" not in column.options:
                yield column.path, patterns[name][0]


FORMS: Mapping[str, ExportFormat] = {
    "odcs": ExportFormat(_odcs, "application/yaml", ".odcs.yaml"),
    "dbt": ExportFormat(dbt_export.write, "application/yaml", ".schema.yml"),
    "dqx": ExportFormat(dqx.write, "application/yaml", ".dqx.yml"),
    "gx": ExportFormat(great_expectations.write, "application/json", ".gx.json"),
    "soda": ExportFormat(soda.write, "application/yaml", ".soda.yml"),
    "html": ExportFormat(html.write, "text/html; charset=utf-8", ".html"),
    "markdown": ExportFormat(markdown.write, "text/markdown; charset=utf-8", ".md"),
}
