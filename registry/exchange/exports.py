"""List the export formats: each is one function, by name in FORMS."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from treaty.contracts.editing.text_edits import with_property, with_status
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
    """Return the document with its registry status and approval record, if present."""
    document = with_status(subject.document, subject.status) if subject.status else subject.document
    return with_property(document, RECORD, subject.record) if subject.record else document


FORMS: Mapping[str, ExportFormat] = {
    "odcs": ExportFormat(_odcs, "application/yaml", ".odcs.yaml"),
    "dbt": ExportFormat(dbt_export.write, "application/yaml", ".schema.yml"),
    "dqx": ExportFormat(dqx.write, "application/yaml", ".dqx.yml"),
    "gx": ExportFormat(great_expectations.write, "application/json", ".gx.json"),
    "soda": ExportFormat(soda.write, "application/yaml", ".soda.yml"),
    "html": ExportFormat(html.write, "text/html; charset=utf-8", ".html"),
    "markdown": ExportFormat(markdown.write, "text/markdown; charset=utf-8", ".md"),
}
