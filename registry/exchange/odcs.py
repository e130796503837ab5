"""The standard's own form: a version's document byte for byte, but for its status and the record of its approval."""

from contracts.splicing import with_property, with_status
from registry.exchange.subject import Subject

RECORD = "treatyRecord"


def write(subject: Subject) -> bytes:
    """The document; its status and, as a custom property, the hash of its record are put in where there are any."""
    document = with_status(subject.document, subject.status) if subject.status else subject.document
    return with_property(document, RECORD, subject.record) if subject.record else document
