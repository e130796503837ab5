"""What a contract is exported as: each form is one function, under its name in FORMS."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from treaty.contracts.editing.text_edits import with_property, with_status
from treaty.registry.exchange import dbt_export, dqx, great_expectations, html, markdown, soda
from treaty.registry.exchange.export_source import Subject

RECORD = "treatyRecord"


@dataclass(frozen=True)
class Form:
    """A form of export: what it writes, the media type of that, and how its files are named."""

    write: Callable[[Subject], bytes]
    media_type: str
    suffix: str

    def file_name(self, subject: Subject) -> str:
        """A name for the file, of letters, digits, dots, dashes and underscores alone."""
        named = f"{subject.contract.id}-{subject.contract.version}"
        plain = "".join(each if each.isascii() and (each.isalnum() or each in "._-") else "-" for each in named)
        return f"{plain.strip('.-')[:100] or 'contract'}{self.suffix}"


def _odcs(subject: Subject) -> bytes:
    """The document; its status and, as a custom property, the hash of its record are put in where there are any."""
    document = with_status(subject.document, subject.status) if subject.status else subject.document
    return with_property(document, RECORD, subject.record) if subject.record else document


FORMS: Mapping[str, Form] = {
    "odcs": Form(_odcs, "application/yaml", ".odcs.yaml"),
    "dbt": Form(dbt_export.write, "application/yaml", ".schema.yml"),
    "dqx": Form(dqx.write, "application/yaml", ".dqx.yml"),
    "gx": Form(great_expectations.write, "application/json", ".gx.json"),
    "soda": Form(soda.write, "application/yaml", ".soda.yml"),
    "html": Form(html.write, "text/html; charset=utf-8", ".html"),
    "markdown": Form(markdown.write, "text/markdown; charset=utf-8", ".md"),
}
