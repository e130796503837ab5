"""A text to import."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Given:
    """A text, where it comes from, and what its table is called where the text does not say."""

    source: str
    name: str
    text: bytes
